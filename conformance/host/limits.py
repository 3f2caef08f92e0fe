#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the program `facts` under CPU affinity, real control-group limits and an address-space limit, and checks what the device reports.
Exit code 77 (skipped) if this machine lets us set none of them."""
import os
import pathlib
import resource
import subprocess
import sys

GIB = 1 << 30
CGROUP = pathlib.Path("/sys/fs/cgroup")


def facts(prepare=None):
    out = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True, preexec_fn=prepare).stdout
    return {k: int(v) for k, v in (word.split("=") for word in out.split())}


def expect(what, got, wanted):
    print(f"{what}: {got}, wanted {wanted}")
    if got != wanted:
        sys.exit(1)


class Group:
    """A control group below our own, of version 1 or 2, that exists while the `with` block runs."""

    def __init__(self, controller, settings_v1, settings_v2):
        v1 = CGROUP / controller
        self.settings = settings_v1 if v1.is_dir() else settings_v2
        base = v1 if v1.is_dir() else CGROUP
        for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            if controller in names.split(",") or (names == "" and not v1.is_dir()):
                base = base / path.lstrip("/")
        self.path = base / f"tessera-test-{os.getpid()}"

    def __enter__(self):
        self.path.mkdir()
        try:
            for name, value in self.settings.items():
                (self.path / name).write_text(value)
        except OSError:
            self.path.rmdir()
            raise
        return lambda: (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def __exit__(self, *_):
        self.path.rmdir()


def main():
    plain = facts()
    ran = 0

    one = {min(os.sched_getaffinity(0))}
    expect("affinity to one CPU", facts(lambda: os.sched_setaffinity(0, one))["compute_units"], 1)
    ran += 1

    if "--sanitized" in sys.argv:
        print("skipped: no limit on the address space under a sanitizer, whose shadow memory needs more")
    else:
        space = facts(lambda: resource.setrlimit(resource.RLIMIT_AS, (3 * GIB, 3 * GIB)))
        expect("address space of 3 GiB", space["global_memory"], min(3 * GIB, plain["global_memory"]))
        ran += 1

    try:
        with Group("cpu", {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "50000"}, {"cpu.max": "50000 100000"}) as enter:
            expect("CPU quota of one half", facts(enter)["compute_units"], 1)
        ran += 1
    except OSError as error:
        print("no CPU quota here:", error)

    try:
        with Group("memory", {"memory.limit_in_bytes": str(2 * GIB)}, {"memory.max": str(2 * GIB)}) as enter:
            got = facts(enter)
        expect("memory limit of 2 GiB", got["global_memory"], 2 * GIB)
        if got["max_allocation"] > 2 * GIB:
            sys.exit("max_allocation is above the limit")
        ran += 1
    except OSError as error:
        print("no memory limit here:", error)
    print(f"{ran} limits checked")


if __name__ == "__main__":
    main()
