#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long builds of products in the tensor language take: tensor_build.py BUILD [-r ROUNDS] [-w FOLDER] [NAME...]

Compiles texts in this process's turn by `tessera-cc --times --repeat=ROUNDS`, without the cache, and prints the processor time of a build in
ms: the sum of the least time of each stage. NAMEs choose texts that begin so; -w writes the texts into a folder instead."""
import argparse
import pathlib
import re
import subprocess
import tempfile

TYPES = {"f32": ("f32", ".0"), "f64": ("f64", ".0"), "bf16": ("f32", ".0"), "i8": ("i32", "")}
SIZES = [(4, 4, 4), (8, 8, 8), (16, 16, 16), (32, 32, 32), (64, 64, 64), (56, 9, 56), (56, 9, 9)]
ROWS = [10, 20, 50, 100]  # products that follow each other


def numbers(kind, beta=0):
    out, dot = TYPES[kind]
    return f"  %one = constant 1{dot} : {kind}\n  %beta = constant {beta}{dot} : {out}\n"


def batched(kind, m, n, k):
    """One product of a batch for each work-group, as in bench_batched."""
    out = TYPES[kind][0]
    views = "".join(f"  %{name.lower()} = subview %{name}[:,:,%g] : memref<{kind if name != 'C' else out}x{rows}x{cols}>\n"
                    for name, rows, cols in (("A", m, k), ("B", k, n), ("C", m, n)))
    return (f"func @mm(%A: memref<{kind}x{m}x{k}x?>, %B: memref<{kind}x{k}x{n}x?>, %C: memref<{out}x{m}x{n}x?>) {{\n"
            f"  %g = builtin.group_id : index\n{views}{numbers(kind)}  gemm.n.n %one, %a, %b, %beta, %c\n}}\n")


def open_sizes(kind, transposed):
    """Sizes that are arguments."""
    out = TYPES[kind][0]
    return (f"func @mm(%A: memref<{kind}x?x?>, %B: memref<{kind}x?x?>, %C: memref<{out}x?x?>) {{\n{numbers(kind)}"
            f"  gemm.{transposed} %one, %A, %B, %beta, %C\n}}\n")


def tiles(kind, steps):
    """64 x 64 of C for each work-group; `steps`: with 64 of K at a time."""
    out = TYPES[kind][0]
    head = (f"func @mm(%A: memref<{kind}x?x?>, %B: memref<{kind}x?x?>, %C: memref<{out}x?x?>) {{\n{numbers(kind, steps)}"
            "  %i = group_id.x : index\n  %j = group_id.y : index\n  %side = constant 64 : index\n  %m = arith.mul %i, %side : index\n"
            f"  %n = arith.mul %j, %side : index\n  %c = subview %C[%m:64, %n:64] : memref<{out}x64x64,strided<1,?>>\n")
    view = "  %{} = subview %{}[{}] : memref<" + kind + "x{},strided<1,?>>\n"
    if not steps:
        return (head + view.format("a", "A", "%m:64, :", "64x?") + view.format("b", "B", ":, %n:64", "?x64") +
                "  gemm.n.n %one, %a, %b, %beta, %c\n}\n")
    return (head + "  %depth = size %A[1] : index\n  %from = constant 0 : index\n  for %k = %from, %depth, %side {\n" +
            view.format("a", "A", "%m:64, %k:64", "64x64") + view.format("b", "B", "%k:64, %n:64", "64x64") +
            "    gemm.n.n %one, %a, %b, %beta, %c\n  }\n}\n")


def in_a_row(count, shape):
    """Products in f32 that follow each other, with a load and a store between them."""
    m, n, k = shape
    between = "  %x{0} = load %A[%zero, %zero] : f32\n  store %x{0}, %D[%zero, %zero]\n"
    product = "  gemm.n.n %one, %A, %B, %beta, %C\n"
    return (f"func @mm(%A: memref<f32x{m}x{k}>, %B: memref<f32x{k}x{n}>, %C: memref<f32x{m}x{n}>, %D: memref<f32x{m}x{n}>) {{\n"
            f"{numbers('f32')}  %zero = constant 0 : index\n{product}" + "".join(between.format(i) + product for i in range(1, count)) + "}\n")


def all_texts():
    texts = {f"small {kind} {m} {n} {k}": batched(kind, m, n, k) for kind in TYPES for m, n, k in SIZES}
    texts |= {f"open {kind} {transposed}": open_sizes(kind, transposed) for kind in TYPES for transposed in ("n.n", "t.n", "n.t")}
    texts |= {f"{'steps' if steps else 'tiles'} {kind}": tiles(kind, steps) for kind in TYPES for steps in (0, 1)}
    return texts | {f"row {name} {count}": in_a_row(count, shape) for name, shape in (("open", ("?", "?", "?")), ("56 9 56", (56, 9, 56)))
                    for count in ROWS}


def milliseconds(compiler, source, rounds):
    made = subprocess.run([compiler, "--times", f"--repeat={rounds}", "-c", source, "-o", "/dev/null"], capture_output=True, text=True, check=True)
    stages = {}
    for name, took in re.findall(r"^(\S+) +[\d.]+ ms, processor +([\d.]+) ms", made.stderr, re.M):
        stages.setdefault(name, []).append(float(took))
    return sum(min(took) for took in stages.values())


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("-r", "--rounds", type=int, default=11)
parser.add_argument("-w", "--write", type=pathlib.Path)
parser.add_argument("names", nargs="*")
options = parser.parse_args()
with tempfile.TemporaryDirectory() as folder:
    for title, text in all_texts().items():
        if options.names and not title.startswith(tuple(options.names)):
            continue
        file = (options.write or pathlib.Path(folder)) / (title.replace(" ", "_") + ".tt")
        file.write_text(text)
        if not options.write:
            print(f"{title:20} {milliseconds(options.build / 'lib/tessera/tessera-cc', file, options.rounds):6.1f} ms", flush=True)
