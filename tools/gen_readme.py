#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of README.md that are made from .def files; with --check only tells whether they are current."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def rows(table, macro):
    text = (ROOT / "include/tessera" / table).read_text()
    for line in re.findall(rf"^{macro}\((.*)\)$", text, re.M):
        yield [a or b for a, b in re.findall(r'"((?:[^"\\]|\\.)*)"|([^,\s][^,]*)', line)]


def environment():
    yield "| variable | values | default | meaning |"
    yield "|---|---|---|---|"
    for name, obeys, side, values, default, text in rows("env.def", "TSR_ENV"):
        marks = " †" * (obeys == "OWNER")
        default = default.removeprefix("(").removesuffix(")")
        yield f"| `TESSERA_{name}`{marks} | {values.replace('|', '&#124;')} | {default} | {text} |"
    yield ""
    yield "† ignored in programs that run with more rights than who started them (set-uid, set-gid, file capabilities)"


def extensions():
    quiet = " (in kernels; the queries do not name it)"
    yield ", ".join(f"`{row[0]}`" + (quiet if row[-1] == "QUIET" else "") for row in rows("ext.def", "TSR_EXT"))


TABLES = {"environment": environment, "extensions": extensions}


def main():
    readme = ROOT / "README.md"
    old = new = readme.read_text()
    for name, make in TABLES.items():
        begin, end = f"<!-- {name}: made by tools/gen_readme.py -->", f"<!-- /{name} -->"
        body = "\n".join(make())
        new = re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: f"{begin}\n{body}\n{end}", new, flags=re.S)
    if "--check" in sys.argv:
        if new != old:
            print("README.md: tables are not current, run tools/gen_readme.py", file=sys.stderr)
        return new != old
    readme.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
