#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the compiler's time grow with the square of a kernel? growth.py TESSERA_CC

Compiles kernels of large.py in two sizes and compares the processor time. Twice the code may take three times as long: linear time takes
twice, quadratic time four times as long. Measurements that fail are made again, as other programs disturb them, and the shortest counts."""
import math
import pathlib
import resource
import subprocess
import sys
import tempfile

import large

MOST, TRIES = 3.0, 5
SIZES = {large.straight: 800, large.cases: 750, large.uniform_cases: 1000, large.switch: 800, large.arguments: 120, large.call_chain: 500}


def seconds(compiler, source):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([compiler, "-c", source, "-o", source.with_suffix(".o")], capture_output=True, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def grows_too_fast(compiler, source, make, count):
    took = [math.inf, math.inf]
    for _ in range(TRIES):
        for i, size in enumerate((count, 2 * count)):
            source.write_text(make(size))
            took[i] = min(took[i], seconds(compiler, source))
        print(f"{make.__name__}: {count} in {took[0]:.2f} s, {2 * count} in {took[1]:.2f} s")
        if took[1] < MOST * took[0]:
            return False
    return True


with tempfile.TemporaryDirectory() as folder:
    bad = [make.__name__ for make, count in SIZES.items() if grows_too_fast(sys.argv[1], pathlib.Path(folder) / "k.cl", make, count)]
sys.exit(f"time grows too fast: {', '.join(bad)}" if bad else 0)
