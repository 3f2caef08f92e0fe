#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does every built-in function of values become straight vector code? straight.py LLVM_BIN_DIR BUILTINS.bc TESSERA_OPT WORK_DIR STEP [NAME...]

Each prototype of clang's opencl-c.h whose arguments and result are numbers or vectors of four becomes a kernel that applies the function to an
element of each argument: every STEPth of them. In the vectorised kernels there must be no code that runs lane by lane. Prints the functions that have some."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

from complete import ABSENT, FLAGS, prototypes, parameter

NUMBER = re.compile(r"(u?(char|short|int|long)|half|float|double)4?$")
# They ask about the work-item or meet others; conversions differ in their rounding mode only in what surrounds the same code.
OTHER = re.compile(r"^(sub_group|work_group|get_|intel_|async|atom|barrier|mem_fence|read_mem|write_mem|convert_\w*_rt[zn]$|is_valid|to_)")
BATCH = 100


def kernels(clang, wanted):
    seen = set()
    for result, name, arguments in prototypes(clang):
        arguments = [parameter(a) for a in arguments]
        if ABSENT.search(name) or OTHER.search(name) or (wanted and name not in wanted) or (name, *arguments) in seen:
            continue
        result = result.split()[-1]
        if not arguments or not all(NUMBER.match(t) for t in [result, *arguments]):
            continue
        seen.add((name, *arguments))
        pointers = "".join(f"global const {t} *a{i}, " for i, t in enumerate(arguments))
        call = ", ".join(f"a{i}[g]" for i in range(len(arguments)))
        yield f"{result} {name}({', '.join(arguments)})", f"({pointers}global {result} *r) {{ size_t g = get_global_id(0); r[g] = {name}({call}); }}\n"


def lane_loops(llvm, library, opt, work, number, batch):
    source, module = work / f"{number}.cl", work / f"{number}.bc"
    source.write_text("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + "".join(f"kernel void k{i}{body}" for i, (_, body) in enumerate(batch)))
    subprocess.run([llvm / "clang", *FLAGS, "-Xclang", "-finclude-default-header", "-Dcl_khr_extended_bit_ops=1", "-emit-llvm", "-c", source,
                    "-o", module], check=True)
    text = subprocess.run([opt, "-packets=16", "-passes=..drop_items", "-link", library, module], check=True,
                          capture_output=True, text=True).stdout
    bodies = re.findall(r"^define [^\n]*@k(\d+)\.whole\((.*?)^}", text, re.M | re.S)
    if len(bodies) != len(batch):
        sys.exit(f"straight.py: {len(batch)} kernels, {len(bodies)} of them vectorised")
    return [batch[int(k)][0] for k, body in bodies if "lanes.done" in body]


def main():
    llvm, library, opt, work = (pathlib.Path(a).absolute() for a in sys.argv[1:5])
    work.mkdir(parents=True, exist_ok=True)
    every = list(kernels(str(llvm / "clang"), set(sys.argv[6:])))[::int(sys.argv[5])]
    batches = [every[i:i + BATCH] for i in range(0, len(every), BATCH)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda job: lane_loops(llvm, library, opt, work, *job), enumerate(batches)))
    bad = [name for names in found for name in names]
    print("\n".join(bad + [f"{len(every)} functions, {len(bad)} of them run lane by lane"]))
    sys.exit(1 if bad or not every else 0)


main()
