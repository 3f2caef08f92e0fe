#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_command.py BUILD: words that tessera-cc refuses, with the reason, and sources that it leaves as they are."""
import os
import pathlib
import subprocess
import sys
import tempfile

COMPILER = pathlib.Path(sys.argv[1]) / "lib/tessera/tessera-cc"
SOURCE = "kernel void k(global int *p) { p[0] = 1; }\n"
# Words, in a folder with two.cl and a link to it, and what the message has.
REFUSED = [
    ([], "Usage"),
    (["-c"], "needed"),
    (["-c", "two.cl"], "needed"),
    (["-c", "two.cl", "-o"], "needed"),
    (["two.cl", "-o", "out"], "needed"),
    (["-c", "two.cl", "-c", "two.cl", "-o", "out"], "one source"),
    (["-c", "none.cl", "-o", "out"], "cannot read none.cl"),
    (["-c", ".", "-o", "out"], "cannot read ."),
    (["-c", "/dev/null", "-o", "out"], "cannot read /dev/null"),
    (["-c", "two.cl", "-o", "none/out"], "cannot write none/out"),
    (["-c", "two.cl", "-o", "."], "cannot write ."),
    (["-c", "two.cl", "-o", "two.cl"], "overwrite"),
    (["-o", "./two.cl", "-c", "two.cl"], "overwrite"),
    (["-c", "link.cl", "-o", "two.cl"], "overwrite"),
    (["--link", "-c", "two.cl", "-c", "link.cl", "-o", "link.cl"], "overwrite"),
    (["-c", "two.cl", "-o", "out", "--repeat="], "--repeat="),
    (["-c", "two.cl", "-o", "out", "--repeat=0"], "--repeat=0"),
    (["-c", "two.cl", "-o", "out", "--repeat=-1"], "--repeat=-1"),
    (["-c", "two.cl", "-o", "out", "--repeat=2x"], "--repeat=2x"),
    (["-c", "two.cl", "-o", "out", "--repeat=4294967297"], "--repeat=4294967297"),
    (["-c", "two.cl", "-o", "out", "--repeats"], "no option '--repeats'"),
]


def main():
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TESSERA_")}
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "two.cl")
        source.write_text(SOURCE)
        pathlib.Path(folder, "link.cl").symlink_to("two.cl")
        for words, message in REFUSED:
            done = subprocess.run([COMPILER, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors="replace", timeout=60)
            assert done.returncode == 2 and message in done.stdout + done.stderr, (words, done)
            assert source.read_text() == SOURCE and not pathlib.Path(folder, "out").exists(), words
        done = subprocess.run([COMPILER, "-c", "two.cl", "-o", "-", "--repeat=2"], cwd=folder, env=environment, capture_output=True, timeout=60)
        assert done.returncode == 0 and done.stdout, done


if __name__ == "__main__":
    main()
