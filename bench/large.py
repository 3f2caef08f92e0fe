#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels as generators of code write them, larger than people do, and prints how long tessera-cc takes and for what.

large.py BUILD [-l SECONDS] [NAME...]

A line: the kernel, its size in KiB, seconds, the pass that took longest with its seconds, and what the build log says. Exit status: 1 if one
did not end in time or did not compile, 2 wrong use."""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

HEAD = "kernel void k(global float *a, global int *b, int n)\n{\n    int i = get_global_id(0), y = b[i];\n    float x = a[i];\n"
TAIL = "    a[i] = x;\n    b[i] = y;\n}\n"


def straight(count):
    """Arithmetic in one block."""
    dice = random.Random(1)
    forms = ["v{p} = v{q} * v{r} + {j}.5f;", "v{p} = v{q} - v{r} * 0.25f;", "v{p} = fmax(v{q}, v{r} + a[i + {j}]);", "y = y * 3 + {j};",
             "v{p} += (float)(y & {j});"]
    lines = [dice.choice(forms).format(p=dice.randrange(4), q=dice.randrange(4), r=dice.randrange(4), j=j) for j in range(count)]
    return HEAD + "    float v0 = x, v1 = x + 1, v2 = x * 2, v3 = 1;\n" + "\n".join(lines) + "\n    x = v0 + v1 + v2 + v3;\n" + TAIL


def call_chain(count):
    """Functions that call each other in a row."""
    lines = "".join(f"int f{j + 1}(int x, global int *b) {{ return f{j}(x ^ {j}, b) * {j % 7 + 2} + (x >> {j % 5}); }}\n" for j in range(count))
    head = "int f0(int x, global int *b) { return x * 3 + b[x & 7]; }\n"
    return f"{head}{lines}kernel void k(global int *b) {{ b[get_global_id(0)] = f{count}(get_global_id(0), b); }}\n"


def arguments(count):
    """A sum of arguments."""
    names = [f"a{j}" for j in range(count)]
    return f"kernel void k(global int *b, {', '.join('int ' + a for a in names)})\n{{\n    b[get_global_id(0)] = get_global_id(0) + {' + '.join(names)};\n}}\n"


def branches(count):
    """Branches at which work-items part, one after the other, with loads and stores in them."""
    form = "    if ((y ^ {j}) % {m} > {r}) {{ x = x * {r}.5f + a[(i + {j}) & 1023]; y += {j}; }} else {{ x -= {j}; b[y & 1023] = {j}; }}\n"
    return HEAD + "".join(form.format(j=j, m=j % 5 + 2, r=j % 3) for j in range(count)) + TAIL


def switch(count):
    """An interpreter: a loop around a switch, of which some cases fall through."""
    cases = "".join("        case {}: x = x * {}.5f + {};{}\n".format(j * 3, j % 9, j, " break;" if j % 4 else "") for j in range(count))
    return HEAD + "    for (int t = 0; t < n; t++) {\n        switch (b[i + t]) {\n" + cases + "        default: x += 1;\n        }\n    }\n" + TAIL


def cases(count):
    """A switch of many small cases, one after the other, at which work-items part."""
    lines = "".join("    case {}: x = x * {}.5f + {}; break;\n".format(j, j % 9, j) for j in range(count))
    return HEAD + "    switch (y) {\n" + lines + "    default: x += 1;\n    }\n" + TAIL


def falling_cases(count):
    """The same, of which each fourth case falls through."""
    lines = "".join("    case {}: x = x * {}.5f + {};{}\n".format(j, j % 9, j, " break;" if j % 4 else "") for j in range(count))
    return HEAD + "    switch (y) {\n" + lines + "    default: x += 1;\n    }\n" + TAIL


def uniform_cases(count):
    """The same with a value that all work-items have."""
    return cases(count).replace("switch (y)", "switch (n)")


def barriers(count):
    """Exchanges through local memory."""
    form = ("    t[l] = x; barrier(CLK_LOCAL_MEM_FENCE); x += t[(l + {j}) & (get_local_size(0) - 1)] * 0.5f; barrier(CLK_LOCAL_MEM_FENCE);\n")
    return HEAD.replace("{\n", "{\n    local float t[256];\n    int l = get_local_id(0);\n", 1) + "".join(
        form.format(j=j) for j in range(1, count + 1)) + TAIL


def private(count):
    """A private array with indices that differ."""
    lines = "".join("    p[{}] = p[{}] * p[y & {}] + p[{}];\n".format(j, j * 7 % count, count - 1, j * 3 % count) for j in range(count))
    load = "    float p[{0}];\n    for (int j = 0; j < {0}; j++)\n        p[j] = a[i * {0} + j];\n".format(count)
    return HEAD + load + lines + "    for (int j = 0; j < {}; j++)\n        x += p[j];\n".format(count) + TAIL


def calls(count):
    """Functions of which each calls the next one twice, as rays that are reflected and refracted."""
    text = "float f0(float x, int y) { return x * 0.5f + y; }\n"
    for j in range(1, count):
        text += ("float f{j}(float x, int y)\n{{\n    if (y & {bit})\n        x += f{k}(x, y + 1);\n    else\n        x -= f{k}(x + 1, y);\n"
                 "    return x * {j}.5f + y;\n}}\n").format(j=j, k=j - 1, bit=1 << j % 8)
    return text + HEAD + "    x = f{}(x, y);\n".format(count - 1) + TAIL


def maths(count):
    """Functions of double."""
    names = ["sin", "cos", "exp", "log", "tan", "atan", "sinh", "erf", "cbrt", "tgamma", "lgamma", "asin", "acosh", "log1p"]
    lines = "".join("    d = {}(d + {}) + d;\n".format(names[j % len(names)], j) for j in range(count))
    return HEAD + "    double d = x;\n" + lines + "    x = d;\n" + TAIL


def rounds(count):
    """Rounds of a hash, unrolled."""
    form = "    A = rotate(A ^ ((B & C) | ~D) + w[{0}], {1}u) + B; D ^= A; C += w[{2}] * D; B = B << 3 | B >> 29; w[{3}] ^= A;\n"
    lines = "".join(form.format(j % 16, j % 31 + 1, j * 5 % 16, j * 3 % 16) for j in range(count))
    return (HEAD + "    uint w[16], A = 1, B = 2, C = 3, D = 4;\n    for (int j = 0; j < 16; j++)\n        w[j] = b[i * 16 + j];\n" + lines +
            "    y = A + B + C + D;\n" + TAIL)


def comparisons(count):
    """A chain of if and else over an integer."""
    return HEAD + "    " + "    else ".join(f"if (y == {j * 3}) x = x * {j % 9}.5f + {j};\n" for j in range(count)) + TAIL


def float_comparisons(count):
    """A chain of if and else over a float."""
    return HEAD + "    " + "    else ".join(f"if (x == {j}.5f) x = x * {j % 9}.5f + {j};\n" for j in range(count)) + TAIL


def loops(count):
    """Loops of as many rounds as each work-item wants, one after the other."""
    return HEAD + "".join(f"    for (int j = 0; j < (y & {j % 15 + 1}); j++) x = x * {j % 9}.5f + j;\n" for j in range(count)) + TAIL


def uniform_loops(count):
    """Loops of as many rounds as an argument says, one after the other."""
    return HEAD + "".join(f"    for (int j = 0; j < n + {j}; j++) x = x * {j % 9}.5f + j;\n" for j in range(count)) + TAIL


def loads(count):
    """One sum of elements that lie apart."""
    return HEAD + "    x = " + " + ".join(f"a[i * {j % 13 + 1} + {j * 7}]" for j in range(count)) + ";\n" + TAIL


def uniform_loads(count):
    """One sum of elements that are the same for all work-items."""
    return HEAD + "    y = " + " + ".join(f"b[{j}]" for j in range(count)) + ";\n" + TAIL


KERNELS = {f"{make.__name__}-{count}": (make, count)
           for make, count in [(straight, 2000), (straight, 8000), (branches, 100), (branches, 300), (branches, 1000), (switch, 300),
                               (switch, 2000), (cases, 2000), (cases, 20000), (uniform_cases, 2000), (uniform_cases, 20000), (falling_cases, 20000),
                               (barriers, 100), (barriers, 300), (private, 64), (private, 256), (calls, 12), (calls, 30), (call_chain, 1000), (maths, 60),
                               (rounds, 200), (rounds, 2000), (comparisons, 1000), (float_comparisons, 1000), (loops, 1000),
                               (uniform_loops, 200), (uniform_loops, 400), (loads, 2500), (uniform_loads, 2000), (uniform_loads, 6000)]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder of Tessera")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(KERNELS)}")
    parser.add_argument("-l", "--limit", type=float, default=60, help="seconds for one kernel")
    args = parser.parse_args()
    if set(args.names) - set(KERNELS):
        parser.error(f"no kernel {', '.join(sorted(set(args.names) - set(KERNELS)))}")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "k.cl"
        for name in args.names or KERNELS:
            make, count = KERNELS[name]
            source.write_text(make(count))
            began = time.monotonic()
            try:
                done = subprocess.run([args.build / "lib/tessera/tessera-cc", "--times", "-c", source, "-o", source.with_suffix(".o")],
                                      capture_output=True, text=True, timeout=args.limit, check=False)
            except subprocess.TimeoutExpired:
                print(f"{name:22} {source.stat().st_size / 1024:6.0f} KiB   not in {args.limit:.0f} s")
                good = False
                continue
            took = time.monotonic() - began
            passes = {}
            for stage, ms in re.findall(r"^  (\S+) +([\d.]+) ms", done.stderr, re.M):
                passes[stage] = passes.get(stage, 0) + float(ms) / 1000
            longest = max(passes, key=passes.get, default="-")
            notes = "; ".join(re.findall(r"^note: kernel k: (.*)", done.stderr, re.M))
            print(f"{name:22} {source.stat().st_size / 1024:6.0f} KiB {took:7.2f} s   {longest} {passes.get(longest, 0):.2f} s   {notes}", flush=True)
            if done.returncode:
                print(done.stderr, file=sys.stderr)
                good = False
    return not good


if __name__ == "__main__":
    sys.exit(main())
