#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs suites of the Khronos OpenCL conformance tests and compares each result with conformance/expect/<name>.json.

run_cts.py CTS_BUILD [SUITE[:TEST]...] [-d BUILD] [-e NAME] [-i N] [-j N] [-l SECONDS] [-o OUT] [-s FORM] [-u]

With -s, tests are skipped that need a compiler in the driver, and conformance/expect/cts_spirv.txt lists those that end otherwise.

Every test runs in a process of its own, so that a crash or a hang costs that test alone. Results are pass, fail, skip, crash, timeout;
OUT gets results/<suite>.json and logs/<suite>/<test>.log, and with -s modules/<form>/<suite>/<test>. Exit status: 0 as expected, 1 differences, 2 wrong use."""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import spirv_corpus

HERE = pathlib.Path(__file__).resolve().parent
# Suite -> program below test_conformance/, and the words before the test's name. non_uniform_work_group drops its first word.
SUITES = {
    "computeinfo": ("computeinfo/test_computeinfo", []),
    "api": ("api/test_api", []),
    "compiler": ("compiler/test_compiler", []),
    "basic": ("basic/test_basic", []),
    "events": ("events/test_events", []),
    "buffers": ("buffers/test_buffers", []),
    "mem_host_flags": ("mem_host_flags/test_mem_host_flags", []),
    "multiples": ("multiple_device_context/test_multiples", []),
    "device_partition": ("device_partition/test_device_partition", []),
    "profiling": ("profiling/test_profiling", []),
    "device_timer": ("device_timer/test_device_timer", []),
    "device_execution": ("device_execution/test_device_execution", []),
    "subgroups": ("subgroups/test_subgroups", []),
    "workgroups": ("workgroups/test_workgroups", []),
    "non_uniform_work_group": ("non_uniform_work_group/test_non_uniform_work_group", ["first"]),
    "generic_address_space": ("generic_address_space/test_generic_address_space", []),
    "atomics": ("atomics/test_atomics", []),
    "c11_atomics": ("c11_atomics/test_c11_atomics", []),
    "vectors": ("vectors/test_vectors", []),
    "printf": ("printf/test_printf", []),
    "select": ("select/test_select", []),
    "contractions": ("contractions/test_contractions", []),
    "geometrics": ("geometrics/test_geometrics", []),
    "commonfns": ("commonfns/test_commonfns", []),
    "relationals": ("relationals/test_relationals", []),
    "half": ("half/test_half", []),
    "integer_ops": ("integer_ops/test_integer_ops", []),
    "svm": ("SVM/test_svm", []),
    "thread_dimensions": ("thread_dimensions/test_thread_dimensions", []),
    "conversions": ("conversions/test_conversions", []),
    "math": ("math_brute_force/test_bruteforce", []),
    "spirv": ("spirv_new/test_spirv_new", []),
    "images_info": ("images/clGetInfo/test_cl_get_info", ["small_images"]),
    "images_copy": ("images/clCopyImage/test_cl_copy_images", ["small_images"]),
    "images_copy_pitches": ("images/clCopyImage/test_cl_copy_images", ["small_images", "use_pitches"]),
    "images_copy_mipmaps": ("images/clCopyImage/test_cl_copy_images", ["small_images", "test_mipmaps"]),
    "images_fill": ("images/clFillImage/test_cl_fill_images", ["small_images"]),
    "images_fill_pitches": ("images/clFillImage/test_cl_fill_images", ["small_images", "use_pitches"]),
    "images_transfer": ("images/clReadWriteImage/test_cl_read_write_images", ["small_images"]),
    "images_transfer_pitches": ("images/clReadWriteImage/test_cl_read_write_images", ["small_images", "use_pitches"]),
    "images_transfer_mipmaps": ("images/clReadWriteImage/test_cl_read_write_images", ["small_images", "test_mipmaps"]),
    "images_samplerless": ("images/samplerlessReads/test_samplerless_reads", ["small_images"]),
    "images_methods": ("images/kernel_image_methods/test_kernel_image_methods", ["small_images"]),
    "pipes": ("pipes/test_pipes", []),
    "cxx_for_opencl": ("extensions/cl_ext_cxx_for_opencl/test_cl_ext_cxx_for_opencl", []),
    "command_buffer": ("extensions/cl_khr_command_buffer/test_cl_khr_command_buffer", []),
    "kernel_clock": ("extensions/cl_khr_kernel_clock/test_cl_khr_kernel_clock", []),
    "buffer_device_address": ("extensions/cl_ext_buffer_device_address/test_cl_ext_buffer_device_address", []),
    "external_memory": ("extensions/cl_khr_external_memory_dma_buf/test_cl_khr_external_memory_dma_buf", []),
    "semaphore": ("extensions/cl_khr_semaphore/test_cl_khr_semaphore", []),
    "mutable_dispatch": (
        "extensions/cl_khr_command_buffer/cl_khr_command_buffer_mutable_dispatch/test_cl_khr_mutable_dispatch",
        [],
    ),
}


# The suite conversions has one test, which runs the conversions that it is given. Here it is one for each type that they lead to.
INTEGERS, FLOATS = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"], ["half", "float", "double"]


def conversions(to):
    for sat in ("", "_sat") if to in INTEGERS else ("",):
        for rounding in ("", "_rte", "_rtp", "_rtn", "_rtz"):
            yield from (f"{to}{sat}{rounding}_{source}" for source in INTEGERS + FLOATS)


def list_tests(suite, program, env):
    if suite == "conversions":
        return ["to_" + to for to in INTEGERS + FLOATS]
    out = subprocess.run([program, "--list"], cwd=program.parent, env=env, capture_output=True, text=True, timeout=60).stdout
    return [line.strip() for line in out.splitlines() if re.fullmatch(r"\s+\w+", line)]


def offline_words(args, suite, test):
    """Options that make the harness compile kernels to SPIR-V, unless it has done so in a run before."""
    if not args.spirv:
        return []
    modules = args.out / "modules" / args.spirv / suite / test
    modules.mkdir(parents=True, exist_ok=True)
    compiler = shlex.join([sys.executable, str(HERE / "offline_compiler.py"), args.spirv, str(args.driver.resolve())])
    return ["--compilation-mode", "spir-v", "--compilation-cache-path", str(modules), "--disable-spirv-validation", "--compilation-program", compiler]


def run_test(suite, test, args, env):
    """Runs one test; returns (suite, test, result, seconds)."""
    path, words = SUITES[suite]
    program = args.cts / "test_conformance" / path
    log = args.out / "logs" / suite / f"{test}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch, open(log, "wb") as output:
        verdict = pathlib.Path(scratch) / "verdict.json"
        wanted = dict(env, CL_CONFORMANCE_RESULTS_FILENAME=str(verdict))
        names, registered = ([*conversions(test.removeprefix("to_"))], "conversions") if suite == "conversions" else ([test], test)
        last = ["-internalIterations", str(args.iterations)] if args.iterations and suite == "c11_atomics" else []
        command = [program, *words, *offline_words(args, suite, test), "-w", *names, *last]
        process = subprocess.Popen(command, cwd=program.parent, env=wanted, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   start_new_session=True)
        try:
            process.wait(args.limit)
            result = "crash"
            if verdict.exists():
                result = json.loads(verdict.read_text())["results"].get(registered, "crash")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with the compilers that it has started
            process.wait()
            result = "timeout"
    return suite, test, result, time.monotonic() - start


def counts(results):
    kinds = [list(results.values()).count(kind) for kind in ("pass", "fail", "crash", "timeout", "skip")]
    return "%d pass, %d fail, %d crash, %d timeout, %d skip" % tuple(kinds)


def known_of_modules(path, form):
    """(suite, test) -> result, of what ends otherwise in SPIR-V."""
    lines = [line.split(maxsplit=3) for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {tuple(test.split(":")): result for forms, test, result, _ in lines if form in forms.split(",")}


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cts", type=pathlib.Path, help="build folder of the conformance tests")
    parser.add_argument("suites", nargs="*", help="suites, or SUITE:TEST with wildcards; default: all that are built")
    parser.add_argument("-d", "--driver", type=pathlib.Path, help="build folder of Tessera; default: the loader's own choice")
    engine = os.environ.get("TESSERA_ENGINE", "lanes")
    parser.add_argument("-e", "--expect", default=engine, help="name of the expectation (default: the engine's name)")
    parser.add_argument("-i", "--iterations", type=int, help="of each kernel of c11_atomics; default: the 10,000 of the tests")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("-l", "--limit", type=float, default=300, help="seconds for one test")
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("cts-results"))
    parser.add_argument("-s", "--spirv", choices=spirv_corpus.FORMS, help="with kernels in SPIR-V that the harness makes of them; needs -d")
    parser.add_argument("-u", "--update", action="store_true", help="make the results the expectation")
    args = parser.parse_args()
    if args.spirv and (args.update or not args.driver):
        parser.error("--spirv needs --driver, and the expectation is that of sources")
    args.cts, args.out = args.cts.resolve(), args.out.resolve()

    env = dict(os.environ)
    if args.driver:
        env["OCL_ICD_VENDORS"] = str(args.driver.resolve() / "vendors")
    wanted = {}
    for word in args.suites or SUITES:
        suite, _, pattern = word.partition(":")
        if suite not in SUITES:
            parser.error(f"no suite '{suite}'; known: {' '.join(SUITES)}")
        program = args.cts / "test_conformance" / SUITES[suite][0]
        if program.exists():
            wanted.setdefault(suite, []).extend(fnmatch.filter(list_tests(suite, program, env), pattern or "*"))
        elif args.suites:
            parser.error(f"{program} is not built")

    results = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = [pool.submit(run_test, suite, test, args, env) for suite, tests in wanted.items() for test in tests]
        for job in concurrent.futures.as_completed(jobs):
            suite, test, result, seconds = job.result()
            results.setdefault(suite, {})[test] = result
            if result not in ("pass", "skip"):
                print(f"{suite}:{test} {result} ({seconds:.1f} s)", flush=True)
            if len(results[suite]) == len(wanted[suite]):
                write(args.out / "results" / f"{suite}.json", results[suite])
                print(f"{suite}: {counts(results[suite])}", flush=True)

    path = HERE / "expect" / f"{args.expect}.json"
    expected = json.loads(path.read_text()) if path.exists() else {}
    if args.update:
        for suite, tests in results.items():
            expected.setdefault(suite, {}).update({test: result for test, result in tests.items() if result != "timeout"})
        write(path, expected)
        return 0
    modules = known_of_modules(HERE / "expect/cts_spirv.txt", args.spirv) if args.spirv else {}
    different = 0
    for suite, tests in results.items():
        if suite not in expected:
            print(f"{suite}: nothing is known of it in {path.name}")
            different += 1
            continue
        for test, result in sorted(tests.items()):
            before = modules.get((suite, test), expected[suite].get(test, "unknown"))
            skipped = args.spirv and result == "skip"  # the harness leaves out what it cannot do without a compiler of the driver
            if before != result and not skipped:
                print(f"different: {suite}:{test}: {result}, expected {before}")
                different += 1
    print(f"{different} differences from {path.name}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
