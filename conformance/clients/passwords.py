# SPDX-License-Identifier: Apache-2.0
"""hashcat, for run_clients.py: each mode of it brings an example of a hash along and its password, which is found again. Before that hashcat runs the
mode's self-test, which the log tells of."""
import json
import re

# Hash mode -> what it is: 32- and 64-bit words, tables in memory, many rounds in kernels of their own.
FEW = {0: "md5", 100: "sha1", 500: "md5crypt", 1000: "ntlm", 1400: "sha256", 1700: "sha512", 6100: "whirlpool", 11500: "crc32"}


def examples(run):
    """Mode -> what hashcat says of it."""
    _, output = run.command("info", ["hashcat", "--hash-info", "--machine-readable"])
    return {int(mode): info for mode, info in json.loads(output[output.index("{"):]).items()}


def crack(run, test, mode, words):
    outcome, output = run.command(test, ["hashcat", "-m", str(mode), "--force", "--potfile-disable", *words])
    good = "self-test failed" not in output and re.search(r"Status\.+: Cracked", output)
    return "fail" if outcome == "pass" and not good else outcome


def hashcat(run):
    """Some modes, whose password is the only candidate of a mask, with their plain and their optimized kernels."""
    results, known = {}, examples(run)
    for mode, name in FEW.items():
        words = ["-a", "3", known[mode]["example_hash"], known[mode]["example_pass"]]
        results[f"{name}-pure"] = crack(run, f"{name}-pure", mode, words)
        results[f"{name}-optimized"] = crack(run, f"{name}-optimized", mode, [*words, "-O"])
    return results


def hashcat_modes(run):
    """Every mode, whose password is the only word of a list. A mode without an example is skipped."""
    results = {}
    for mode, info in sorted(examples(run).items()):
        test, form, text = str(mode), info["example_hash_format"], info["example_hash"]
        if form == "N/A":
            results[test] = "skip"
            continue
        hashes, candidates = run.scratch / f"{mode}.hash", run.scratch / f"{mode}.words"
        hashes.write_bytes(bytes.fromhex(text) if form.endswith("(binary file only)") else text.encode())
        candidates.write_text(info["example_pass"] + "\n")
        results[test] = crack(run, test, mode, ["-a", "0", "--deprecated-check-disable", str(hashes), str(candidates)])
    return results
