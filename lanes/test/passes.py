#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each pass does, on small modules: passes.py TESSERA_OPT FILECHECK [FILE.ll…]

lanes/test/passes/<pass>.ll, or <pass>-<what>.ll, is a module with the command lines that it is a test of, and the lines that are expected:

    ; RUN: tessera-opt -packets=16 -passes=<pass> %s | FileCheck %s
    ; CHECK: store i32 1

Each command must give the expected lines, and must not give them when the pass is left out: else the lines would say nothing of the pass. A
command behind RUN-SAME: is one that the pass leaves alone; its lines are expected either way. `not` in front: tessera-opt must fail; NAME=VALUE: a variable of its environment.
Without files: all of the folder; each row of lanes/passes.def must have one, and a row in the table of docs/engine.md."""
import itertools
import os
import pathlib
import re
import shlex
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / "passes"
DOC = FOLDER.parent.parent.parent / "docs/engine.md"
RUN = re.compile(r"^; (RUN|RUN-SAME): (.*)$", re.M)


def all_passes(opt):
    """The rows of the table, in order: name, unit, engine."""
    return re.findall(r"^  (\w+) \((\w+), (\w+)\): ", subprocess.run([opt], capture_output=True, text=True).stderr, re.M)


def check_table(table):
    """Each row has a file, and stands in docs/engine.md, in order."""
    tested = {path.stem.partition("-")[0] for path in FOLDER.glob("*.ll")}
    problems = [f"lanes/test/passes/{name}.ll is missing: each row of lanes/passes.def has one" for name, _, _ in table if name not in tested]
    said = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \|", DOC.read_text(), re.M)
    if said != list(dict.fromkeys(table)):
        wrong = next((a, b) for a, b in itertools.zip_longest(said, dict.fromkeys(table)) if a != b)
        problems.append(f"docs/engine.md has the row {wrong[0]} where lanes/passes.def has {wrong[1]}")
    return problems


def without(argument, left_out, rows):
    """The argument -passes=… less one pass."""
    names = []
    for part in argument.removeprefix("-passes=").split(","):
        first, dots, last = part.partition("..")
        if dots:
            begin = rows.index(first) if first else 0
            end = rows.index(last) + 1 if last else len(rows)
            names += rows[begin:end]
        else:
            names.append(part)
    if left_out not in names:
        sys.exit(f"{argument}: the pass {left_out} is not among these")
    return "-passes=" + ",".join(name for name in names if name != left_out)


def run(opt, filecheck, path, command, drop=None):
    """What is wrong with the command's result, or ''. `drop`: changes the list of passes."""
    left, _, right = command.partition("|")
    words, check = shlex.split(left.replace("%s", str(path))), shlex.split(right.replace("%s", str(path)))
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TESSERA_")}
    while "=" in words[0]:
        name, value = words.pop(0).split("=", 1)
        environment[name] = value
    fails = words[0] == "not"
    words = words[fails:]
    merged = "2>&1" in words
    if words[0] != "tessera-opt" or check[:1] != ["FileCheck"]:
        return "not of the form: tessera-opt … | FileCheck …"
    arguments = [drop(w) if drop and w.startswith("-passes=") else w for w in words[1:] if w != "2>&1"]
    ended = subprocess.run([opt, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT if merged else subprocess.PIPE, text=True,
                           env=environment)
    if (ended.returncode != 0) != fails or ended.returncode < 0:
        return f"exit code {ended.returncode}: {ended.stderr or ended.stdout}"
    checked = subprocess.run([filecheck, "--dump-input-context=3", *check[1:]], input=ended.stdout, capture_output=True, text=True)
    return checked.stderr or "FileCheck fails" if checked.returncode else ""


def test(opt, filecheck, path, rows):
    name = path.stem.partition("-")[0]
    if name not in rows:
        return [f"{path}: there is no pass {name}"]
    commands, problems = RUN.findall(path.read_text()), []
    if not any(kind == "RUN" for kind, _ in commands):
        problems.append(f"{path}: no line RUN:")
    for kind, command in commands:
        wrong = run(opt, filecheck, path, command)
        if wrong:
            problems.append(f"{path}: {command}\n{wrong}")
            continue
        same = not run(opt, filecheck, path, command, lambda argument: without(argument, name, rows))
        if same != (kind == "RUN-SAME"):
            problems.append(f"{path}: {command}\nthe lines are {'also' if same else 'not'} there without the pass {name}")
    return problems


def main():
    opt, filecheck, *files = sys.argv[1:]
    table = all_passes(opt)
    rows = [name for name, _, _ in table]
    paths = [pathlib.Path(f) for f in files] or sorted(FOLDER.glob("*.ll"))
    problems = [p for path in paths for p in test(opt, filecheck, path, rows)]
    if not files:
        problems += check_table(table)
    print("\n".join(problems) or f"{len(paths)} files")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
