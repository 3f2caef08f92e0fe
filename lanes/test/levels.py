#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does tessera-opt make code for the CPUs that -cpu= names, whatever this CPU is? levels.py TESSERA_OPT LLVM_OBJDUMP WORK_DIR

By the largest registers in the machine code."""
import pathlib
import re
import subprocess
import sys

opt, objdump, work = map(pathlib.Path, sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)
module = work / "kernel.ll"
module.write_text("""target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"
declare spir_func i64 @__tsr_global_id(i32) memory(none) nounwind willreturn
define spir_kernel void @k(ptr addrspace(1) %a) {
  %i = call spir_func i64 @__tsr_global_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p
  %y = fadd float %x, %x
  store float %y, ptr addrspace(1) %p
  ret void
}
""")


def make(*words):
    made = work / "made.o"
    made.unlink(missing_ok=True)
    ended = subprocess.run([opt, "-packets=16", *words, "-object", made, module], capture_output=True, text=True)
    return ended, made.read_bytes() if made.exists() else None


def largest_register():
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", work / "made.o"], capture_output=True, text=True, check=True).stdout
    return max(set(re.findall(r"%([xyz])mm\d", text)))


for level, register in ("sse2", "x"), ("avx2", "y"), ("AVX512", "z"):
    ended, code = make(f"-cpu={level}")
    if ended.returncode or not code:
        sys.exit(f"{level}: exit code {ended.returncode}: {ended.stderr[-2000:]}")
    if largest_register() != register:
        sys.exit(f"{level}: {largest_register()}mm registers")
if make("-cpu=native")[1] != make()[1]:
    sys.exit("native is not what is made for this CPU")
ended, code = make("-cpu=avx1024")
if ended.returncode == 0 or code is not None or "avx1024" not in ended.stderr:
    sys.exit("a level that there is not is taken")
usage = subprocess.run([opt], capture_output=True, text=True).stderr
if "-cpu=" not in usage:
    sys.exit("the usage does not tell of -cpu=")
