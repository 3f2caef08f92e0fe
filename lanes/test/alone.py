#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does each pass do alone what it does among the others? alone.py TESSERA_OPT BUILTINS.bc MODULE WORK_DIR

Runs all passes and keeps the module after each; then each pass by itself on what the one before it left. What it makes must be the same."""
import pathlib
import re
import subprocess
import sys

opt, library, module, work = map(pathlib.Path, sys.argv[1:])
# What text does not keep: names of values, which are made unique by numbers, and comments, as on predecessors in the order of use lists;
# and sets of attributes: LLVM gives its own functions theirs. The order of functions is that of the kernels, or what a pass made of it.
NAME = re.compile(r"%[-\w.$]+|^[-\w.$]+(?=:)| *;.*|[#!]\d+")


def run(*arguments):
    ended = subprocess.run([opt, *arguments], capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}: exit code {ended.returncode}: {ended.stderr[-2000:]}")
    return ended.stdout


def line_of(text):  # phis made in the order of predecessors differ as these do
    parts = NAME.sub("", text)
    return " ".join([parts.split("[")[0], *sorted(re.findall(r"\[[^]]*\]", parts))]) if " = phi " in parts else parts


def code(text):
    return sorted(line_of(line) for line in text.splitlines() if not line.startswith("attributes"))


usage = subprocess.run([opt], capture_output=True, text=True).stderr
passes = re.findall(r"^  (\w+) \(\w+, (\w+)\): ", usage, re.M)
work.mkdir(parents=True, exist_ok=True)
for variant in "-packets=16", "-O2":
    for old in work.glob("*"):
        old.unlink()
    run(variant, "-link", library, "-dump", work, "-object", work / "all.o", module)
    other = ("ITEMS",) if variant != "-O2" else ("VECTOR", "PACKETS")
    numbered = [(f"{number:02}-{name}", name) for number, (name, engine) in enumerate(passes, 1) if engine not in other]
    names = [number for number, _ in numbered]
    missing = [name for name in names if not (work / f"{name}.ll").exists()]
    if missing:
        sys.exit(f"{variant}: nothing was kept for {' '.join(missing)}")
    for (made, name), before in zip(numbered, ["", *names]):
        source = ["-link", library, module] if not before else [work / f"{before}.ll"]
        if name == "emit":  # what it leaves of the module is of no use
            run(variant, "-passes=emit", "-object", work / "alone.o", *source)
            if (work / "alone.o").stat().st_size < (work / "all.o").stat().st_size // 2:
                sys.exit(f"{variant}: emit alone makes other code")
        elif code(run(variant, f"-passes={name}", *source)) != code((work / f"{made}.ll").read_text()):
            sys.exit(f"{variant}: {name} alone makes something else than {made}.ll")
print(f"{len(passes)} passes")
