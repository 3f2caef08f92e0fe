#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_emit_spirv.py BUILD: modules that tessera-cc --emit-spirv makes of kernel files compute what the files say; the options of the source hold, and
nothing of the driver's own is in them. Exit status 77: there is no llc-22."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import spirv_as  # noqa: E402

BUILD = pathlib.Path(sys.argv[1])


def run(*command, **variables):
    env = {name: value for name, value in os.environ.items() if not name.startswith("TESSERA_")}
    done = subprocess.run(command, env=dict(env, **variables), capture_output=True, text=True, errors="replace", timeout=100)
    return done.returncode, done.stdout + done.stderr


def main():
    if not shutil.which("llc-22"):
        sys.exit(77)
    compiler = BUILD / "lib/tessera/tessera-cc"
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for name in ("vector_memory", "work_group", "uneven_loops"):
            source = ROOT / f"conformance/kernels/{name}.cl"
            status, log = run(compiler, "-c", source, "--emit-spirv", "-o", scratch / f"{name}-0.spv", "-cl-std=CL3.0")
            assert status == 0, log
            status, log = run(BUILD / "conformance/conformance_run_kernels", "--il", scratch, source, OCL_ICD_VENDORS=str(BUILD / "vendors"),
                              TESSERA_CACHE_DIR=str(scratch))
            assert status == 0, (name, log)
        source, module = scratch / "k.cl", scratch / "k.spv"
        source.write_text("kernel void k(global float *p) { p[0] = sin(p[0]) * NUMBER; }\n")
        status, log = run(compiler, "-c", source, "--emit-spirv", "-o", module, "-DNUMBER=1024.5f", "-cl-fast-relaxed-math")
        text = spirv_as.disassemble(module.read_bytes())
        assert status == 0 and "1024.5" in text and " sin " in text and "tsr" not in text, (log, text)
        status, log = run(compiler, "-c", module, "--emit-spirv", "-o", scratch / "again.spv")  # of a module, too
        assert status == 0 and " sin " in spirv_as.disassemble((scratch / "again.spv").read_bytes()), log
        status, log = run(compiler, "-c", source, "--emit-spirv", "-o", module)
        assert status == 1 and "NUMBER" in log, log
        status, log = run(compiler, "-c", source, "--emit-spirv", "-o", module, "-DNUMBER=1", PATH="/nowhere")
        assert status == 1 and "PATH has no llc-22" in log, log


if __name__ == "__main__":
    main()
