#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_cycles.py [--without FILE]… OBJECT…: fails if files of a folder call each other in a circle. FILE (dispatch.c) may be referred to
by all: its table is what every handle begins with."""
import os
import subprocess
import sys


def name_of(path):
    return os.path.basename(path)[: -len(".o")]


def graph(objects, without):
    """File -> file -> the symbols that the one needs of the other."""
    defined, needed = {}, {name_of(path): set() for path in objects}
    lines = subprocess.run(["nm", "-gAP", *objects], capture_output=True, text=True, check=True).stdout.splitlines()
    for line in lines:
        path, symbol, kind = line.split()[:3]
        if kind == "U":
            needed[name_of(path.rstrip(":"))].add(symbol)
        else:
            defined[symbol] = name_of(path.rstrip(":"))
    edges = {name: {} for name in needed}
    for name, symbols in needed.items():
        for symbol in sorted(symbols):
            other = defined.get(symbol)
            if other not in (None, name, *without):
                edges[name].setdefault(other, []).append(symbol)
    return edges


def find_cycle(edges):
    """Files of one circle in order, or None."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name) :]
        if name in done:
            return None
        path.append(name)
        for other in edges[name]:
            cycle = visit(other)
            if cycle:
                return cycle
        path.pop()
        done.add(name)
        return None

    for name in edges:
        cycle = visit(name)
        if cycle:
            return cycle
    return None


def main():
    words, without = sys.argv[1:], []
    while words[:1] == ["--without"]:
        without.append(words[1])
        words = words[2:]
    if not words:
        sys.exit(__doc__)
    edges = graph(words, without)
    cycle = find_cycle(edges)
    for i, name in enumerate(cycle or []):
        other = cycle[(i + 1) % len(cycle)]
        print(f"{name} calls {other}: {', '.join(edges[name][other])}", file=sys.stderr)
    print("check_cycles:", "a circle of files" if cycle else f"ok, {len(edges)} files")
    return 1 if cycle else 0


if __name__ == "__main__":
    sys.exit(main())
