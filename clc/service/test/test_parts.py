#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_parts.py BUILD: the compiler in a folder whose files are missing, empty, cut off or damaged says which it is, and what to do."""
import os
import pathlib
import subprocess
import sys
import tempfile

PARTS = pathlib.Path(sys.argv[1]) / "lib/tessera"
SOURCE = "kernel void k(global float *p) { p[get_global_id(0)] = exp(p[get_global_id(0)]); }\n"


def compiled(folder):
    done = subprocess.run([folder / "tessera-cc", "-c", folder / "k.cl", "-o", folder / "k.o"], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def expect(what, got, status, *texts):
    print(f"{what}: {got}")
    if (got[0] != 0) != status or not all(text in got[1] for text in texts):
        sys.exit(f"{what}: expected {texts}")


# In the build's file system, so that large files can be linked. A link has a folder of its own, unlike a symbolic one.
with tempfile.TemporaryDirectory(dir=sys.argv[1]) as name:
    folder = pathlib.Path(name)
    for part in PARTS.iterdir():
        os.link(part, folder / part.name)
    (folder / "k.cl").write_text(SOURCE)
    expect("whole", compiled(folder), False)

    shelf, data = folder / "builtins.shelf", (PARTS / "builtins.shelf").read_bytes()
    shelf.unlink()
    expect("missing", compiled(folder), True, str(shelf), "No such file", "install Tessera again")
    for size in 0, 1, 23, 24, 1000, len(data) // 2, len(data) - 1:
        shelf.write_bytes(data[:size])
        expect(f"{size} bytes", compiled(folder), True, str(shelf), "damaged or cut off" if size else "empty", "install Tessera again")
    shelf.write_bytes(b"\0" + data[1:])
    expect("of another kind", compiled(folder), True, str(shelf), "damaged or cut off")
    shelf.write_bytes(data[:len(data) // 2] + bytes(len(data) - len(data) // 2))
    status, text = compiled(folder)
    expect("zeros at the end", (status, text), status != 0)  # seen if the program needs what was there
