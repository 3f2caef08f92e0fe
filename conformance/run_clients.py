#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs that others have written on the driver and compares each result with conformance/clients/expect.txt.

run_clients.py [PROGRAM...] [-b BUILD] [-o OUT] [-l SECONDS] [--vendors FOLDER]
run_clients.py --packages [PROGRAM...]

Debian's packages must be installed (--packages lists them); those of PyPI are put into OUT,
where the logs are, too. Results are pass, fail, skip, crash, timeout. Exit status: 0 as expected, 1 differences, 2 wrong use."""
import argparse
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from run_cts import counts

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
from clients import debian_programs, passwords, pictures, pypi_programs  # noqa: E402

EXPECT = HERE / "clients" / "expect.txt"
ANSI = re.compile(r"\x1b\[[0-9;]*m")


class Run:
    """What a program needs to run: an environment whose folders are fresh, a place for logs, a limit for one test."""

    def __init__(self, name, args, scratch):
        self.name, self.out, self.limit = name, args.out, args.limit
        self.scratch = pathlib.Path(scratch)
        self.env = {key: value for key, value in os.environ.items() if not key.startswith(("TESSERA_", "POCL_", "PYOPENCL_"))}
        for variable in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TESSERA_CACHE_DIR", "TMPDIR"):
            folder = self.scratch / variable.lower()
            folder.mkdir()
            self.env[variable] = str(folder)
        self.env["OCL_ICD_VENDORS"] = str((args.vendors or args.build / "vendors").resolve())
        self.driver = args.build.resolve() / "lib" / "libtessera.so"
        self.prefix = []  # words before each command

    def command(self, test, words, limit=None, **more):
        """Runs a command, keeps its output as the log of `test`; returns (outcome, output): pass means that it ended with 0."""
        log = self.out / "logs" / self.name / (re.sub(r"[^\w.-]+", "_", test) + ".log")
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as file:
            process = subprocess.Popen([*self.prefix, *words], env=self.env, stdin=subprocess.DEVNULL, stdout=file, stderr=file, **more)
            try:
                code = process.wait(limit or self.limit)
                outcome = "crash" if code < 0 or code >= 128 else "fail" if code else "pass"
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                outcome = "timeout"
        return outcome, ANSI.sub("", log.read_text(errors="replace"))


# Program -> its function and Debian's packages.
PROGRAMS = {
    "pyopencl": (pypi_programs.pyopencl, ["python3-venv"]),
    "reikna": (pypi_programs.reikna, ["python3-venv"]),
    "kernel_tuner": (pypi_programs.kernel_tuner, ["python3-venv"]),
    "pyfai": (pypi_programs.pyfai, ["python3-venv"]),
    "pyrqa": (pypi_programs.pyrqa, ["python3-venv"]),
    "sasmodels": (pypi_programs.sasmodels, ["python3-venv"]),
    "loopy-suite": (pypi_programs.loopy_suite, ["python3-venv"]),
    "opencv": (pypi_programs.opencv, ["python3-venv"]),
    "openvino": (pypi_programs.openvino, ["python3-venv"]),
    **{package: (pypi_programs.called, ["python3-venv"]) for package in pypi_programs.CALLED},
    "hashcat": (passwords.hashcat, ["hashcat", "hashcat-data"]),
    "gegl": (pictures.gegl, ["gegl"]),
    "ffmpeg": (pictures.ffmpeg, ["ffmpeg"]),
    "darktable": (pictures.darktable, ["darktable"]),
    "clblast": (debian_programs.clblast, ["clblast-tests"]),
    "clfft": (debian_programs.clfft, ["clfft-client"]),
    "clpeak": (debian_programs.clpeak, ["clpeak"]),
    "hcxkeys": (debian_programs.hcxkeys, ["hcxkeys"]),
    "clinfo": (debian_programs.clinfo, ["clinfo"]),
    "piglit": (debian_programs.piglit, ["piglit"]),
    "hashcat-modes": (passwords.hashcat_modes, ["hashcat", "hashcat-data"]),
    "dpctl": (pypi_programs.dpctl, ["python3-venv"]),
    "dpnp": (pypi_programs.dpnp, ["python3-venv"]),
    "dpctl-level-zero": (pypi_programs.dpctl_level_zero, ["python3-venv"]),
}
APART = ("piglit", "hashcat-modes", "dpctl", "dpnp", "dpctl-level-zero")  # only by name, as they take long, or by ./dev sycl and ./dev xmx


# ---- what is expected ----


def read_expected():
    """Lines `program  tests  outcome  reason`, where tests may have wildcards, and `program  total  COUNT`."""
    totals, rules = {}, []
    for line in EXPECT.read_text().splitlines():
        words = line.split(None, 3)
        if not words or line.startswith("#"):
            continue
        if words[1] == "total":
            totals[words[0]] = int(words[2])
        else:
            rules.append((words[0], words[1], words[2]))
    return totals, rules


def matches(test, pattern):
    return fnmatch.fnmatchcase(test, pattern.replace("[", "[[]"))


def differences(program, results, totals, rules):
    mine = [(pattern, outcome) for name, pattern, outcome in rules if name == program]
    for test, result in sorted(results.items()):
        expected = next((outcome for pattern, outcome in mine if matches(test, pattern)), "pass")
        if expected != "any" and result not in expected.split("/"):
            yield f"{program} {test}: {result}, expected {expected}"
    for pattern, _ in mine:
        if not any(matches(test, pattern) for test in results):
            yield f"{program} {pattern}: expect.txt names it, but it was not run"
    if len(results) != totals.get(program):
        yield f"{program}: {len(results)} tests, expected {totals.get(program, 'nothing')}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", action="store_true", help="print the Debian packages of the programs instead")
    parser.add_argument("-b", "--build", type=pathlib.Path, default=HERE.parent / "build", help="build folder of Tessera")
    parser.add_argument("-o", "--out", type=pathlib.Path, help="folder for what is fetched and for logs (default: BUILD/clients)")
    parser.add_argument("--vendors", type=pathlib.Path, help="folder of .icd files: another driver, to compare with")
    parser.add_argument("-l", "--limit", type=float, default=300, help="seconds for one test")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(PROGRAMS) + "; default: all but " + " and ".join(APART))
    args = parser.parse_args()
    for program in args.programs:
        if program not in PROGRAMS:
            parser.error(f"no program '{program}'; known: {' '.join(PROGRAMS)}")
    programs = args.programs or [program for program in PROGRAMS if program not in APART]
    if args.packages:
        print(*sorted({package for program in programs for package in PROGRAMS[program][1]}), sep="\n")
        return 0
    args.out = (args.out or args.build / "clients").resolve()
    args.out.mkdir(parents=True, exist_ok=True)

    totals, rules = read_expected()
    different = []
    for program in programs:
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="clients.") as scratch:
            results = PROGRAMS[program][0](Run(program, args, scratch))
        (args.out / f"{program}.txt").write_text("".join(f"{result}\t{test}\n" for test, result in sorted(results.items())))
        print(f"{program}: {counts(results)} ({time.monotonic() - start:.0f} s)", flush=True)
        found = list(differences(program, results, totals, rules))
        print("".join(f"  {line}\n" for line in found), end="", flush=True)
        different += found
    print(f"{len(different)} differences from {EXPECT.name}; logs are in {args.out / 'logs'}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
