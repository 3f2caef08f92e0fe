#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_command.py PROGRAM COMPILER: what the command `tessera tensor` writes, and how it ends."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM, COMPILER = sys.argv[1:]
GOOD = """func @f(%a: f32, %X: memref<f32x4>, %n: i16, %Y: memref<f32x?>) {
  %one = constant 1.0 : f32
  %0 = subview %Y[0:4] : memref<f32x4>
  axpby.n %a, %X, %one, %0
}
"""
LOCAL = """func @f(%x: f32, %O: memref<f32x4>) attributes{work_group_size=[32,1]} {
  %a = alloca {alignment=128} : memref<f32x4,local>
  %b = alloca {alignment=128} : memref<f32x4,local>
  store %x, %a[0]
  barrier.global
  %0 = load %a[0] : f32
  store %0, %b[0]
}
"""
GROUP = """func @f(%n: index, %G: group<memref<f32x?>x?>, %L: memref<i8x2,local>, %c: c32) {
  %id = builtin.group_id : index
  %m = load %G[%id] : memref<f32x?>
  %one = constant 1.0 : f32
  axpby.n %one, %m, %one, %m
}
"""
ROWS = "func @f(%A: memref<f16x512x4>, %x: memref<f16x4>, %y: memref<f16x512>) { %one = constant 1.0 : f16 gemv.n %one, %A, %x, %one, %y }"
COLUMNS = "func @f(%A: memref<i16x40x4>, %x: memref<i16x40>, %y: memref<i16x4>) { %one = constant 1 : i16 gemv.t %one, %A, %x, %one, %y }"
LINES = "func @f(%A: memref<f32x48x9>, %B: memref<f32x48x9>) { %one = constant 1.0 : f32 cumsum %one, %A, 1, %one, %B }"
COMPONENTS = """func @f(%A: memref<f32x64x16>, %B: memref<f32x64x16>) attributes{subgroup_size=8,work_group_size=[8,1]} { parallel {
  %z = constant 0 : index
  %a = cooperative_matrix_load.n %A[%z,%z] : coopmatrix<f32x64x16,matrix_acc>
  %b = cooperative_matrix_apply (%i,%j,%v)=%a -> coopmatrix<f32x64x16,matrix_acc> { %e = exp %v : f32 %w = log %e : f32 %x = mul %w, %v : f32 yield (%x) }
  %c = cooperative_matrix_atomic_add %b, %B[%z,%z] : coopmatrix<f32x64x16,matrix_acc>
  cooperative_matrix_store %c, %A[%z,%z] } }
"""
PRODUCT = """func @f(%A: memref<f32x32x32>, %C: memref<f32x32x32>) attributes{work_group_size=[16,1],subgroup_size=16} { parallel { %z = constant 0 : index
  %a = cooperative_matrix_load.n %A[%z,%z] : coopmatrix<f32x32x32,matrix_a>
  %b = cooperative_matrix_load.n %A[%z,%z] : coopmatrix<f32x32x32,matrix_b>
  %c = cooperative_matrix_load.n %C[%z,%z] : coopmatrix<f32x32x32,matrix_acc>
  %d = cooperative_matrix_mul_add %a, %b, %c : coopmatrix<f32x32x32,matrix_acc>
  cooperative_matrix_store %d, %C[%z,%z] } }
"""
BAD = "func @f(%a: f32) { %0 = arith.neg %a : f64 }"


def run(*words, text=GOOD):
    done = subprocess.run([PROGRAM, "tensor", *words], input=text, capture_output=True, text=True, env=dict(os.environ, TESSERA_CC=COMPILER), timeout=60)
    return done.returncode, done.stdout, done.stderr


assert run("check", "-") == (0, "", "")
status, out, err = run("check", "-", text=BAD)
assert status == 1 and not out and err.startswith("-:1.25-42: error: Type of operand must match return type\n"), err
status, out, err = run("print", "-")
assert status == 0 and run("print", "-", text=out) == (0, out, ""), out
assert run("run", "-", "f", "1", "2", "4", "0", "5", "5") == (0, "%X: -2 -1 0 1\n%Y: -6 -3 0 3 2\n", "")
status, out, err = run("run", "-", "f", "2", "0", "3,2,0", "3,2,0", "3", "2", "1", text=GROUP)
assert (status, out, err) == (0, "%G[0]: -4 -2 0\n%G[1]: -4 -2\n%G[2]:\n%L: -2 -1\n", ""), (status, out, err)
status, out, err = run("run", "-", "f", "2", "0", "3,2,0", "3,2,", "3", "2", "1", text=GROUP)
assert status == 1 and "'' is no number" in err, (status, err)
status, out, err = run("run", "-", "f", "2", "0", "3,-2", "3,2", "2", "2", "1", text=GROUP)
assert status == 1 and "no memory for -2 elements" in err, (status, err)
for memory, sizes, count, why in (("3,2", "3,3", "2", "memory of %G"), ("3", "3", "2", "%G has another size"), ("3,2", "3,-1", "2", "memory of %G"), ("3", "3", "-1", "%G has another size")):
    status, out, err = run("run", "-", "f", "1", "0", memory, sizes, count, "2", "1", text=GROUP)
    assert status == 1 and why in err and not out, (memory, status, err)
for memory, size in (("1", "1000000000"), ("4", "5"), ("4", "-1")):
    status, out, err = run("run", "-", "f", "1", "2", "4", "0", memory, size)
    assert status == 1 and "memory of %Y is smaller than its memref" in err and not out, (memory, status, err)
status, out, err = run("run", "-", "f", "1", "2", "3", "0", "5", "5")
assert status == 1 and "memory of %X is smaller than its memref" in err, err
status, out, err = run("run", "-", "f", "1", "2")
assert status == 2 and "float a, float* X, short n, float* Y, long Y.shape0" in err, err
for groups in ("", "-1", "two", "1x", "99999999999999999999"):
    status, out, err = run("run", "-", "f", groups, "2", "4", "0", "5", "5")
    assert status == 2 and "number of work-groups" in err, (groups, status, err)
status, out, err = run("run", "-", "g", "1")
assert status == 2 and "no function @g" in err, err
status, out, err = run("run", "-", "f", "1", "2", "4", "0", "3", "3")
assert status == 1 and "subview is outside" in err, err
with tempfile.TemporaryDirectory() as folder:
    image = pathlib.Path(folder, "f.tsr")
    status, out, err = run("compile", "-", "-o", str(image))
    assert status == 0 and image.stat().st_size > 1000, err
    status, out, err = run("compile", "-")
    assert status == 2 and not out and err.startswith("Usage: "), err
    status, out, err = run("compile", "-", "-o", str(image), text=BAD)
    assert status == 1 and "input.tensor:1.25-42: error" in err, err
    module = pathlib.Path(folder, "f.ll")
    status, out, err = run("compile", "-", "--emit-llvm", "-o", str(module), text=LOCAL)
    text = module.read_text()
    assert status == 0 and "[144 x i8]" in text, (err, text)  # the second alloca is aligned as well
    # Sums of f16 are in f32, those of several vectors of rows at once, and a later column's piece is prefetched.
    os.environ["TESSERA_CPU"] = "avx2"
    status, out, err = run("compile", "-", "--emit-llvm", "-o", str(module), text=ROWS)
    rows = module.read_text()
    assert status == 0 and rows.count("phi float") > 3 and "prefetch" in rows, (err, rows)
    status, out, err = run("compile", "-", "--emit-llvm", "-o", str(module), text=ROWS.replace("512", "48"))
    rows = module.read_text()
    assert status == 0 and rows.count("phi float") >= 3 and "prefetch" not in rows, err
    status, out, err = run("compile", "-", "--emit-llvm", "-o", str(module), text=LINES)
    assert status == 0 and module.read_text().count("phi float") >= 3, err
    del os.environ["TESSERA_CPU"]
    # Components that are many are gone through by loops.
    status, out, err = run("compile", "-", "--emit-llvm", "-o", str(module), text=COMPONENTS)
    loops = module.read_text()
    assert status == 0 and loops.count("call spir_func float @_Z3expf") == 1 and loops.count("atomicrmw") == 1, (err, loops[:4000])
    # Products of many numbers are loops through K, those of bytes matrix functions.
    status, out, err = run("compile", "-", "--emit-llvm", "-o", str(module), text=PRODUCT)
    sums = module.read_text()
    assert status == 0 and sums.count("call float @llvm.fma") == 64 and "sub_group_broadcast" not in sums, err
    bytes_of = PRODUCT.replace("C: memref<f32", "C: memref<i32").replace("f32x32x32,matrix_acc", "i32x32x32,matrix_acc").replace("f32", "i8")
    os.environ["TESSERA_CPU"] = "avx2"
    status, out, err = run("compile", "-", "--emit-llvm", "-o", str(module), text=bytes_of)
    assert status == 0 and "i8_i8_matrix_mad_k32" in module.read_text(), err
    del os.environ["TESSERA_CPU"]
    # Lanes read what lies side by side, and vectors of sums become one.
    status, out, err = run("compile", "-", "--emit-llvm", "-o", str(module), text=COLUMNS)
    assert status == 0 and "sub_group_shuffle" in module.read_text(), err
    # A fence of global memory is none for the local memory that is read next.
    assert re.search(r"barrierj\(i32 2\)\n.*barrierj\(i32 1\)\n.* = load float", text), text
    # What is no program is said as `check` says it, whatever is in the file.
    source = pathlib.Path(folder, "f.tensor")
    for content, line, mark in (
        (b"func @f() {\x1b[2J\x07 }\r\n", r"func @f() {\x1b[2J\x07 }", " " * 11 + "~" * 4),
        (b"; \xc3\xa9\nfunc @f(\xc3\xa9) {}", "func @f(\u00e9) {}", " " * 8 + "~"),
        (b"func\t\xff\xc2\x9b", "func\t\\xff\\xc2\\x9b", "    \t~~~~"),
        (b"\x7fELF\x02\x01", r"\x7fELF\x02\x01", "~" * 4),
    ):
        source.write_bytes(content)
        status, out, err = run("check", str(source))
        assert status == 1 and not out and all(c.isprintable() or c in "\n\t" for c in err), err
        assert f"\n{line}\n{mark}\n" in err, err
        assert run("compile", str(source), "-o", str(image)) == (1, "", err)
with open("/dev/full", "w", encoding="ascii") as full:
    for words in (["print", "-"], ["run", "-", "f", "1", "2", "4", "0", "5", "5"]):
        done = subprocess.run([PROGRAM, "tensor", *words], input=GOOD, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (2, "tessera: the output cannot be written\n"), (words, done)
assert run("check", "/nonexistent")[0] == 1
assert run("what", "-")[0] == 2
