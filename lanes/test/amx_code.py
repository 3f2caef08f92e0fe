#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is there code with AMX's tiles for the kernels of conformance/kernels/matrix_*.cl, on any machine?
amx_code.py TESSERA-CC TESSERA-OPT BUILTINS KERNELS-FOLDER WORK-FOLDER"""
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

compiler, opt, builtins, kernels, work = map(pathlib.Path, sys.argv[1:])


def problem(file):
    """What goes wrong with a file, or None."""
    options = re.search(r"^// options: (.*)$", file.read_text(), re.M)
    module = work / (file.stem + ".ll")
    made = subprocess.run([compiler, "-c", file, "--emit-llvm", "-o", module, "-w", *(options[1] if options else "-cl-std=CL3.0").split()],
                          capture_output=True, text=True)
    if made.returncode == 0:
        made = subprocess.run([opt, "-link", builtins, "-packets=16", "-cpu=avx512", "-amx", "-object", os.devnull, module],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return f"{file.name}: exit code {made.returncode}: {made.stderr[-1000:]}" if made.returncode else None


work.mkdir(parents=True, exist_ok=True)
files = sorted(kernels.glob("matrix_*.cl"))
if not files:
    sys.exit(f"no kernels in {kernels}")
with ThreadPoolExecutor(2) as pool:
    problems = [p for p in pool.map(problem, files) if p]
sys.exit("\n".join(problems) or 0)
