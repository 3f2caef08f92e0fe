# SPDX-License-Identifier: Apache-2.0
"""Programs of Debian that compute and measure, for run_clients.py."""
import ast
import gzip
import pathlib
import re
import xml.etree.ElementTree


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


def hcxkeys(run):
    """Keys of a wireless network (4,096 rounds of SHA-1), by OpenCL and by the program of the package that does without."""
    words, results = run.scratch / "words", {}
    words.write_text("".join(f"{13 ** power % 10 ** 21:08d}\n" for power in range(8, 508)))
    for name in ("net", "a name of thirty-two characters."):
        made = [run.scratch / f"{program}.keys" for program in ("wlangenpmkocl", "wlangenpmk")]
        outcomes = [run.command(f"{name} {file.stem}", [file.stem, "-e", name, "-i", words, "-A", file])[0] for file in made]
        equal = outcomes == ["pass", "pass"] and made[0].read_bytes() == made[1].read_bytes() != b""
        results[f"keys-{len(name)}"] = "pass" if equal else outcomes[0] if outcomes[0] != "pass" else "fail"
        for file in made:
            file.unlink(missing_ok=True)
    return results


def piglit(run):
    """Its tests of OpenCL, by the list that `piglit run cl` uses, each program in a process of its own. The one of interoperation needs a display."""
    folder, results = pathlib.Path("/usr/lib/x86_64-linux-gnu/piglit"), {}
    for entry in xml.etree.ElementTree.parse(gzip.open(folder / "tests/cl.xml.gz")).iter("Test"):
        test = entry.get("name")
        if test.startswith("interop@"):
            continue
        options = {option.get("name"): ast.literal_eval(option.get("value")) for option in entry}
        program, *words = options.get("command") or ["cl-program-tester", folder / options["filename"]]
        outcome, output = run.command(test, [folder / "bin" / program, *words], cwd=folder)
        said = re.findall(r'^PIGLIT: {"result": "(\w+)"', output, re.M)
        results[test.replace(" ", "-")] = outcome if outcome in ("crash", "timeout") else said[-1] if said else "fail"
    return results
