#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what docs/engine.md says of adding a pass: howto.py DOC FOLDER OUT

The indented blocks behind "Row of `lanes/passes.def`, behind `pass`:" and behind "`lanes/…`:" are what somebody would write. Puts these files
to OUT, with the new table of passes."""
import pathlib
import re
import sys

doc, source, out = map(pathlib.Path, sys.argv[1:])
text = doc.read_text()
BLOCK = r":\n\n   ```\w*\n(.*?)\n   ```\n"
rows = re.findall(r"Row of `lanes/passes\.def`, behind `(\w+)`" + BLOCK, text, re.S)
files = re.findall(r"`(lanes/[\w/]+\.(?:c|ll))`" + BLOCK, text, re.S)
if not rows or len(files) != 2 * len(rows):
    sys.exit(f"{doc}: {len(rows)} rows and {len(files)} files: a row has a C file and a test")

table = (source / "lanes/passes.def").read_text()
for before, row in rows:
    place = re.search(rf"^TSR_PASS\([^\n]*, {before}, [^\n]*\n", table, re.M)
    if not place:
        sys.exit(f"{doc}: lanes/passes.def has no pass {before}")
    table = table[:place.end()] + row.strip() + "\n" + table[place.end():]
for path, content in [("lanes/passes.def", table), *((path, re.sub(r"^   ", "", block, flags=re.M) + "\n") for path, block in files)]:
    to = out / path
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(content)
