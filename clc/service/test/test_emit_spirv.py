#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_emit_spirv.py BUILD: modules that tessera-cc --emit-spirv makes of kernel files compute what the files say; the options of the source hold, and
nothing of the driver's own is in them."""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import spirv_as  # noqa: E402

BUILD = pathlib.Path(sys.argv[1])
# Instructions of SPIR-V that OpenCL C has no functions of, by the names that LLVM's writer gives them.
INSTRUCTIONS = {
    "OpSubgroupMatrixMultiplyAccumulateINTEL": """// kernel: k
// global: 8
// local: 8
// buffer: int 64 = 0x01010101
// buffer: int 64 = 0x02020202
// buffer: int 64 = i
// expect: 2 = i + 64
int8 __attribute__((overloadable, convergent)) __spirv_SubgroupMatrixMultiplyAccumulateINTEL(int k, int8 a, int8 b, int8 c, int operands);
__attribute__((intel_reqd_sub_group_size(8))) kernel void k(global const int8 *a, global const int8 *b, global int8 *c)
{
    size_t i = get_global_id(0);
    c[i] = __spirv_SubgroupMatrixMultiplyAccumulateINTEL(32, a[i], b[i], c[i], 0x33);
}
""",
    "OpSubgroup2DBlockLoadINTEL": """// kernel: k
// global: 16
// local: 16
// buffer: ushort 256 = i
// buffer: ushort 128 = 0
// expect: 1 = i/8 + i%8*32
void __attribute__((overloadable, convergent)) __spirv_Subgroup2DBlockLoadINTEL(int size, int width, int height, int count, global void *base,
                                                                              int w, int h, int pitch, int2 at, private void *values);
__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global ushort *in, global ushort *out)
{
    ushort values[8];
    __spirv_Subgroup2DBlockLoadINTEL(2, 16, 8, 1, in, 64, 8, 64, (int2)(0, 0), values);
    for (int r = 0; r < 8; r++)
        out[get_global_id(0) * 8 + r] = values[r];
}
""",
}


def run(*command, **variables):
    env = {name: value for name, value in os.environ.items() if not name.startswith("TESSERA_")}
    done = subprocess.run(command, env=dict(env, **variables), capture_output=True, text=True, errors="replace", timeout=100)
    return done.returncode, done.stdout + done.stderr


def main():
    compiler = BUILD / "lib/tessera/tessera-cc"
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        sources = [ROOT / f"conformance/kernels/{name}.cl" for name in ("vector_memory", "work_group", "uneven_loops")]
        for name, text in INSTRUCTIONS.items():
            sources.append(scratch / f"{name}.cl")
            sources[-1].write_text(text)
        for source in sources:
            name, module = source.stem, scratch / f"{source.stem}-0.spv"
            status, log = run(compiler, "-c", source, "--emit-spirv", "-o", module, "-cl-std=CL3.0")
            assert status == 0, log
            text = spirv_as.disassemble(module.read_bytes())
            assert name not in INSTRUCTIONS or f"{name} " in text, name
            assert "FPFastMathDefault" not in text or "OpCapability FloatControls2" in text, name  # what a module uses it declares
            status, log = run(BUILD / "conformance/conformance_run_kernels", "--il", scratch, source, OCL_ICD_VENDORS=str(BUILD / "vendors"),
                              TESSERA_CACHE_DIR=str(scratch))
            assert status == 0, (name, log)
        source, module = scratch / "k.cl", scratch / "k.spv"
        source.write_text("kernel void k(global float *p) { p[0] = sin(p[0]) * NUMBER; }\n")
        status, log = run(compiler, "-c", source, "--emit-spirv", "-o", module, "-DNUMBER=1024.5f", "-cl-fast-relaxed-math")
        text = spirv_as.disassemble(module.read_bytes())
        assert status == 0 and "1024.5" in text and " sin " in text and "tsr" not in text, (log, text)
        status, log = run(compiler, "-c", module, "--emit-spirv", "-o", scratch / "again.spv", "-cl-fast-relaxed-math")  # of a module, too
        text = spirv_as.disassemble((scratch / "again.spv").read_bytes())
        assert status == 0 and " sin " in text and "tsr" not in text, (log, text)
        tensor = scratch / "t.tensor"  # in the tensor language, too
        tensor.write_text("func @k(%p: memref<f32>) { %0 = load %p[] : f32 %1 = sin %0 : f32 store %1, %p[] }\n")
        status, log = run(compiler, "-c", tensor, "--emit-spirv", "-o", module, "-cl-fast-relaxed-math")
        text = spirv_as.disassemble(module.read_bytes())
        assert status == 0 and " sin " in text and "tsr" not in text, (log, text)
        status, log = run(compiler, "-c", source, "--emit-spirv", "-o", module)
        assert status == 1 and "NUMBER" in log, log


if __name__ == "__main__":
    main()
