#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs that others have written on the driver and compares each result with conformance/clients/expect.txt.

run_clients.py [PROGRAM...] [-b BUILD] [-o OUT] [-l SECONDS]
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
import debian  # noqa: E402

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
        self.env["OCL_ICD_VENDORS"] = str(args.build.resolve() / "vendors")
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


# ---- programs of PyPI --------------------------------------------------------------------------------------------------------------

TESTERS = ["pytest==9.2.0", "mako==1.4.3", "numpy==2.4.6", "scipy==1.17.1", "platformdirs==4.3.8"]


def virtual_environment(run, requirements, name=None):
    folder = run.out / f"venv-{name or run.name}"
    if not (folder / "bin" / "pip").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "pip", "install", "-q", *requirements], check=True)
    return folder / "bin"


def sources(run, requirement, binaries):
    """Unpacks the source distribution, which holds the tests."""
    name, version = requirement.split("==")
    folder = run.out / f"{name}-{version}"
    if not folder.exists():
        subprocess.run([binaries / "pip", "download", "-q", "--no-binary", name, "--no-deps", "-d", run.out, requirement], check=True)
        subprocess.run(["tar", "-xzf", run.out / f"{name}-{version}.tar.gz", "-C", run.out], check=True)
    return folder


def run_pytest(run, binaries, folder, arguments):
    """The tests in the folder; a process that dies or hangs is followed by another one for the tests behind."""
    report = run.scratch / "report.txt"
    # NumPy's own AVX-512 functions are up to 2 ulp off, more than the tests allow the driver; those of libc are not.
    run.env.update(CLIENTS_REPORT=str(report), CLIENTS_LIMIT=str(run.limit), PYTHONPATH=str(HERE / "clients"), NPY_DISABLE_CPU_FEATURES="X86_V4")
    results, started = {}, -1
    while started < len(results):
        started = len(results)
        command = [binaries / "python", "-m", "pytest", "-p", "report", "-p", "no:cacheprovider", "-q", *arguments]
        _, output = run.command(f"pytest{started}", command, limit=2 * 3600, cwd=folder)
        last = "timeout" if "Timeout (" in output else "crash"
        for line in report.read_text().splitlines() if report.exists() else []:
            outcome, test = line.split("\t")
            results[test] = last if outcome == "start" and test not in results else outcome if outcome != "start" else results[test]
    # The names of tests hold the device's, which is none of their business.
    return {re.sub(r"<context factory for .*?>>-?|-?ocl,0,0", "", test).replace("[]", ""): outcome for test, outcome in results.items()}


def run_pytest_of_sources(run, requirements, arguments):
    """The tests of the first requirement, which are in its source distribution only."""
    binaries = virtual_environment(run, requirements + TESTERS)
    return run_pytest(run, binaries, sources(run, requirements[0], binaries) / "test", arguments)


def pyopencl(run):
    return run_pytest_of_sources(run, ["pyopencl==2026.1.4"], ["."])


def reikna(run):
    # This release of reikna needs a pyopencl in which Array.get still takes async_.
    return run_pytest_of_sources(run, ["reikna==0.9.0", "pyopencl==2024.3"], ["--api=ocl", "-m", "not perf", *REIKNA])


REIKNA = ["test_algorithms", "test_cbrng", "test_cluda", "test_core", "test_linalg", "test_transformations.py", "test_dht.py"]


# One set of releases that fit together. Their SYCL reaches the driver by Intel's OpenCL adapter and the loader that the packages bring along.
# These releases know NumPy up to 2.3.
SYCL = ["dpctl==0.21.1", "dpnp==0.19.1", "intel-sycl-rt==2025.3.3", "intel-cmplr-lib-ur==2025.3.3", "dpcpp-cpp-rt==2025.3.3", "cython==3.3.1",
        "pytest==9.2.0", "numpy==2.3.5", "scipy==1.17.1"]


def sycl(run, package, arguments):
    """The tests of a package that is written in SYCL, as it is installed."""
    binaries = virtual_environment(run, SYCL, "sycl")
    folder = next(binaries.parent.glob(f"lib/python3*/site-packages/{package}/tests"))
    run.env.update(ONEAPI_DEVICE_SELECTOR="opencl:cpu", OCL_ICD_FILENAMES=str(run.driver))
    return run_pytest(run, binaries, folder, arguments)


def dpctl(run):
    return sycl(run, "dpctl", ["."])


def dpnp(run):
    return sycl(run, "dpnp", ["."])


def dpctl_level_zero(run):
    """dpctl's tests by Intel's Level Zero adapter, on the stand-in driver: docs/xmx.md. The adapter wants a later loader than that of Debian 12, which
    hands out broken handles when it is initialised twice; that one comes with the C library that it was built for."""
    folder = debian.unpack(run.out / "debian-trixie", "trixie", ["libze1", "libc6", "libstdc++6", "libgcc-s1"]) / "usr/lib/x86_64-linux-gnu"
    binaries = virtual_environment(run, SYCL, "sycl")
    tests = next(binaries.parent.glob("lib/python3*/site-packages/dpctl/tests"))
    run.prefix = [folder / "ld-linux-x86-64.so.2", "--library-path", f"{folder}:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu"]
    run.env.update(ONEAPI_DEVICE_SELECTOR="level_zero:*", ZE_ENABLE_ALT_DRIVERS=str(run.driver.parent / "libze_tessera_standin.so"),
                   STANDIN_DEVICES="pvc", STANDIN_STRICT="drivers")
    return run_pytest(run, binaries, tests, DPCTL_LEVEL_ZERO)


# What concerns the runtime and its adapter, and some of the kernels.
DPCTL_LEVEL_ZERO = [f"test_{noun}.py" for noun in """raw_kernel_arg sycl_context sycl_device sycl_device_factory sycl_event sycl_kernel_submit
        sycl_platform sycl_program sycl_queue sycl_queue_manager sycl_queue_memcpy sycl_timer sycl_usm tensor_copy_utils tensor_sum usm_ndarray_ctor
        usm_ndarray_reductions work_group_memory""".split()]


# ---- programs of Debian ------------------------------------------------------------------------------------------------------------

# Hash mode -> what it is: 32- and 64-bit words, tables in memory, many rounds in kernels of their own.
HASHCAT = {0: "md5", 100: "sha1", 500: "md5crypt", 1000: "ntlm", 1400: "sha256", 1700: "sha512", 6100: "whirlpool", 11500: "crc32"}


def hashcat(run):
    """Cracks hashcat's own example of each mode, whose password is the only candidate, with its plain and its optimized kernels. Before that hashcat runs
    its self-test, which the log tells of."""
    results = {}
    for mode, name in HASHCAT.items():
        _, info = run.command(f"{name}-info", ["hashcat", "-m", str(mode), "--hash-info"])
        example = {key: value for key, value in re.findall(r"Example\.(Hash|Pass)\.*: (.*)", info)}
        if len(example) != 2:
            results[name] = "fail"
            continue
        for kind in ("pure", "optimized"):
            words = ["hashcat", "-m", str(mode), "-a", "3", "--force", "--potfile-disable", example["Hash"], example["Pass"]]
            outcome, output = run.command(f"{name}-{kind}", words + (["-O"] if kind == "optimized" else []))
            if outcome == "pass" and ("self-test failed" in output or not re.search(r"Status\.+: Cracked", output)):
                outcome = "fail"
            results[f"{name}-{kind}"] = outcome
    return results


def clblast(run):
    """One result for each routine and precision, such as xgemm:SGEMM. Where the CPU's BLAS has no error codes to compare with, CLBlast leaves a case out."""
    results = {}
    for program in sorted(pathlib.Path("/usr/bin").glob("clblast_test_x*")):
        test = program.name.removeprefix("clblast_test_")
        outcome, output = run.command(test, [program], limit=4 * run.limit)
        found = re.findall(r"Starting tests for the '(\w+)' routine.*?(\d+) test\(s\) passed.*?(\d+) test\(s\) failed", output, re.S)
        for routine, passed, failed in found:
            results[f"{test}:{routine}"] = "fail" if int(failed) else "pass" if int(passed) else "skip"
        if not found or outcome in ("crash", "timeout"):
            results[f"{test}:end"] = outcome
    return results


def clfft(run):
    """Transforms of several lengths, single and double, in and out of place; the client compares with the known result."""
    results = {}
    for length in ("-x 1024", "-x 8192", "-x 81 -y 25", "-x 64 -y 64 -z 8", "-x 49", "-x 121 -b 4"):
        for kind in ("", "--double", "-o", "--inv"):
            test = f"{length} {kind}".strip()
            outcome, output = run.command(test, ["clFFT-client", *test.split()])
            results[test.replace(" ", "")] = "fail" if outcome == "pass" and "*PASS*" not in output else outcome
    return results


def clpeak(run):
    """Each of its measurements ends and has figures; how large they are is not looked at."""
    results = {}
    for test in ("global-bandwidth", "compute-sp", "compute-dp", "compute-integer", "compute-intfast", "transfer-bandwidth", "kernel-latency"):
        outcome, output = run.command(test, ["clpeak", "--" + test])
        results[test] = "fail" if outcome == "pass" and (not re.search(r": [\d.]+", output) or "Error" in output) else outcome
    return results


def clinfo(run):
    """Every query is answered, or by an error that clinfo knows to be right."""
    outcome, output = run.command("queries", ["clinfo"])
    return {"queries": "fail" if outcome == "pass" and re.search(r"<\w+:\w*:?\w*:\d+:|error -?\d+", output) else outcome}


# Program -> its function and Debian's packages.
PROGRAMS = {
    "pyopencl": (pyopencl, ["python3-venv"]),
    "reikna": (reikna, ["python3-venv"]),
    "hashcat": (hashcat, ["hashcat", "hashcat-data"]),
    "clblast": (clblast, ["clblast-tests"]),
    "clfft": (clfft, ["clfft-client"]),
    "clpeak": (clpeak, ["clpeak"]),
    "clinfo": (clinfo, ["clinfo"]),
    "dpctl": (dpctl, ["python3-venv"]),
    "dpnp": (dpnp, ["python3-venv"]),
    "dpctl-level-zero": (dpctl_level_zero, ["python3-venv"]),
}
APART = ("dpctl", "dpnp", "dpctl-level-zero")  # only by name: ./dev sycl, ./dev xmx


# ---- what is expected --------------------------------------------------------------------------------------------------------------


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
