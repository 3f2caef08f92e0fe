#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""on_device.py BUILD: what to run first on a machine with a GPU. Says which GPUs there are and what is known of their matrix units, then runs the
tests that any GPU passes on the first of them, simple ones first, each with a time limit, and one line for each. A test that fails leaves its
output in BUILD/on_device. Exit code 1: there is no GPU, or a test has failed.

With ZE_ENABLE_ALT_DRIVERS=BUILD/lib/libze_tessera_standin.so it does the same on the stand-in driver."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

NOUNS = "queue buffer rect map event kernel ndrange program binary il svm usm address command_buffer image image_kernel image_transfer".split()
MATRICES = "api block2d cooperative gemm".split()
SECONDS = 600
SKIPPED = 77


def programs(build):
    """What runs, in order: a name and a command."""
    for noun in NOUNS:
        yield f"icd_{noun}", [build / "icd" / "test" / f"icd_{noun}"]
    yield "images", [build / "conformance" / "conformance_images"]
    for noun in MATRICES:
        yield f"matrix_{noun}", [build / "conformance" / "matrix" / f"matrix_{noun}"]
    kernels = pathlib.Path(__file__).resolve().parents[2] / "conformance" / "kernels"
    for kernel in sorted(kernels.glob("*.cl")):
        yield f"kernel {kernel.stem}", [build / "conformance" / "conformance_run_kernels", kernel]


def outcome_of(result):
    """The word for it, and whether it is a failure."""
    if result.returncode is None:
        return f"no end in {SECONDS} s", True
    if result.returncode == SKIPPED:
        return "skipped: the GPU lacks what it needs", False
    if result.returncode < 0:
        return f"signal {-result.returncode}", True
    passed = re.search(rb"\[  PASSED  \] (\d+) test", result.stdout)
    return (f"{passed.group(1).decode()} passed" if passed else "passed") if result.returncode == 0 else "FAILED", result.returncode != 0


def run(command, environment):
    try:
        return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, None, late.stdout or b"")


def list_gpus(build, environment, folder):
    """Prints what the driver says of GPUs; whether there is one."""
    log = folder / "log"
    run([build / "icd" / "test" / "icd_platform"], {**environment, "TESSERA_DEBUG": "device,err,warn", "TESSERA_LOG_FILE": str(log)})
    lines = [line[line.index("xmx:") :] for line in log.read_text().splitlines() if "xmx:" in line] if log.exists() else []
    print("\n".join(dict.fromkeys(lines)) or "no Level Zero loader was opened: is there a graphics device (/dev/dri), and libze1?", flush=True)
    return any(" GPUs in " in line and " 0 GPUs in " not in line for line in lines)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    outputs = build / "on_device"
    outputs.mkdir(exist_ok=True)
    failed = count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = {**os.environ, "OCL_ICD_VENDORS": str(build / "vendors"), "TESSERA_DEVICES": "gpu", "TESSERA_CACHE_DIR": str(folder / "cache")}
        if not list_gpus(build, environment, folder):
            print("no GPU was found")
            return 1
        for title, command in programs(build):
            begin = time.monotonic()
            result = run(command, environment)
            word, bad = outcome_of(result)
            print(f"{title:32} {word:40} {time.monotonic() - begin:6.1f} s", flush=True)
            count += 1
            failed += bad
            if bad:
                (outputs / f"{title.replace(' ', '_')}.txt").write_bytes(result.stdout)
    print(f"{count} programs, {failed} failed" + (f"; their output is in {outputs}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
