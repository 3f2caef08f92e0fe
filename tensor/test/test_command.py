#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_command.py PROGRAM COMPILER: what the command `tessera tensor` writes, and how it ends."""
import os
import pathlib
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
status, out, err = run("run", "-", "f", "1", "2")
assert status == 2 and "float a, float* X, short n, float* Y, long Y" in err, err
status, out, err = run("run", "-", "g", "1")
assert status == 2 and "no function @g" in err, err
status, out, err = run("run", "-", "f", "1", "2", "4", "0", "3", "3")
assert status == 1 and "subview is outside" in err, err
with tempfile.TemporaryDirectory() as folder:
    image = pathlib.Path(folder, "f.tsr")
    status, out, err = run("compile", "-", "-o", str(image))
    assert status == 0 and image.stat().st_size > 1000, err
    status, out, err = run("compile", "-", "-o", str(image), text=BAD)
    assert status == 1 and "input.tensor:1.25-42: error" in err, err
assert run("check", "/nonexistent")[0] == 1
assert run("what", "-")[0] == 2
