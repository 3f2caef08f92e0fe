#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs packed tests and benchmarks of Tessera on a machine that has nothing installed.

  check.py tests [REGEX] [-j N]        the tests whose names match, N at a time (default: one for each two CPUs)
  check.py bench NAME [ARGUMENTS...]   one benchmark: those are in bin/bench_*. `bench suite -s -r 5` is what bench/scale.sh runs
  check.py kgen SECONDS SEED           random kernels in both engines, one process for each CPU
  check.py cpu                         what the CPU has
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

root = os.path.dirname(os.path.abspath(__file__))


vendors = os.path.join(root, "vendors")


def write_vendors():
    """For the place where this folder now is."""
    os.makedirs(vendors, exist_ok=True)
    with open(os.path.join(vendors, "tessera.icd"), "w") as file:
        file.write(os.path.join(root, "libtessera.so") + "\n")


def environment(more=()):
    return {**os.environ, "OCL_ICD_VENDORS": vendors, "LD_LIBRARY_PATH": os.path.join(root, "lib") + ":" + root, **dict(more)}


def run_test(test):
    start = time.monotonic()
    command = [os.path.join(root, test["command"][0]), *test["command"][1:]]
    try:
        done = subprocess.run(command, cwd=root, env=environment(test["environment"]), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=300)
        code, text = done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        code, text = None, ""
    result = "passed" if code == 0 else "skipped" if code is not None and code == test["skip"] else "FAILED"
    return test["name"], result, "no end in 300 s" if code is None else "answers %d" % code, time.monotonic() - start, text


def tests(words):
    at_a_time = max(1, len(os.sched_getaffinity(0)) // 2)
    if "-j" in words:
        i = words.index("-j")
        at_a_time = int(words[i + 1])
        del words[i:i + 2]
    with open(os.path.join(root, "tests.json")) as file:
        chosen = [t for t in json.load(file) if re.search(words[0] if words else "", t["name"])]
    count = {"passed": 0, "skipped": 0, "FAILED": 0}
    with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
        for name, result, why, seconds, text in pool.map(run_test, chosen):
            count[result] += 1
            print("%-7s %6.1f s  %s" % (result, seconds, name), flush=True)
            if result == "FAILED":
                print(why + "\n" + text[-3000:], flush=True)
    print("%(passed)d passed, %(skipped)d skipped, %(FAILED)d failed" % count)
    return count["FAILED"] or not count["passed"]


def bench(words):
    return subprocess.run([os.path.join(root, "bin", "bench_" + words[0]), *words[1:]], cwd=root, env=environment()).returncode


def kgen(words):
    command = [os.path.join(root, "bin", "conformance_kgen"), "-n", "100000000", "-t", words[0], "-s", words[1]]
    return subprocess.run(command, cwd=root, env=environment({"TESSERA_THREADS": "2"})).returncode


def cpu(_):
    with open("/proc/cpuinfo") as file:
        text = file.read()
    flags = set(re.search(r"^flags\s*: (.*)", text, re.M)[1].split())
    print(re.search(r"^model name\s*: (.*)", text, re.M)[1], len(os.sched_getaffinity(0)), "CPUs")
    print(*sorted(f for f in flags if f.startswith(("avx", "amx", "fma", "f16c"))))
    return 0


jobs = {"tests": (tests, 0), "bench": (bench, 1), "kgen": (kgen, 2), "cpu": (cpu, 0)}
if len(sys.argv) < 2 or sys.argv[1] not in jobs or len(sys.argv) - 2 < jobs[sys.argv[1]][1]:
    sys.exit(__doc__)
write_vendors()
sys.exit(jobs[sys.argv[1]][0](sys.argv[2:]))
