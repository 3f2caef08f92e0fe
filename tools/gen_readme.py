#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of README.md and docs/xmx.md that are made from .def files; with --check only tells whether they are current."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def rows(table, macro):
    text = (ROOT / table).read_text()
    for line in re.findall(rf"^{macro}\((.*)\)$", text, re.M):
        yield [a or b for a, b in re.findall(r'"((?:[^"\\]|\\.)*)"|([^,\s][^,]*)', line)]


def environment():
    yield "| variable | values | default | meaning |"
    yield "|---|---|---|---|"
    for name, obeys, side, values, default, text in rows("include/tessera/env.def", "TSR_ENV"):
        marks = " †" * (obeys == "OWNER")
        default = default.removeprefix("(").removesuffix(")")
        yield f"| `TESSERA_{name}`{marks} | {values.replace('|', '&#124;')} | {default} | {text} |"
    yield ""
    yield "† ignored in programs that run with more rights than who started them (set-uid, set-gid, file capabilities)"


def extensions():
    quiet = " (in kernels; the queries do not name it)"
    yield ", ".join(f"`{row[0]}`" + quiet * (row[-1] == "QUIET") for row in rows("include/tessera/ext.def", "TSR_EXT"))


def standin_settings():
    yield "| variable | values | default | meaning |"
    yield "|---|---|---|---|"
    for name, values, default, text in rows("device-xmx/standin/settings.def", "TSR_SETTING"):
        yield f"| `STANDIN_{name}` | {values.replace('|', '&#124;')} | {default} | {text} |"


def standin_faults():
    yield "| `STANDIN_FAULT` | |"
    yield "|---|---|"
    for name, number, text in rows("device-xmx/standin/faults.def", "TSR_FAULT"):
        yield f"| `{name}{'=n' * (number == 'NUMBER')}` | {text} |"
    yield "| `missing=NAME` | the driver lacks the extension NAME |"


PAGES = {
    "README.md": {"environment": environment, "extensions": extensions},
    "docs/xmx.md": {"settings of the stand-in": standin_settings, "faults of the stand-in": standin_faults},
}


def main():
    stale = False
    for name, tables in PAGES.items():
        page = ROOT / name
        old = new = page.read_text()
        for table, make in tables.items():
            begin, end = f"<!-- {table}: made by tools/gen_readme.py -->", f"<!-- /{table} -->"
            body = "\n".join(make())
            new = re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: f"{begin}\n{body}\n{end}", new, flags=re.S)
        if "--check" not in sys.argv:
            page.write_text(new)
        elif new != old:
            stale = True
            print(f"{name}: tables are not current, run tools/gen_readme.py", file=sys.stderr)
    return stale


if __name__ == "__main__":
    sys.exit(main())
