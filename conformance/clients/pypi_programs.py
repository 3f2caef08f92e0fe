# SPDX-License-Identifier: Apache-2.0
"""Programs of PyPI, for run_clients.py. Each is installed into a folder of its own, at one version."""
import pathlib
import re
import subprocess
import sys

import debian

HERE = pathlib.Path(__file__).resolve().parent

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
    run.env.update(CLIENTS_REPORT=str(report), CLIENTS_LIMIT=str(run.limit), PYTHONPATH=str(HERE), NPY_DISABLE_CPU_FEATURES="X86_V4")
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


def kernel_tuner(run):
    # Its options for pytest are those of a plugin that measures coverage.
    return run_pytest_of_sources(run, ["kernel_tuner==1.5.0", "pyopencl==2026.1.4"], ["-o", "addopts=", *KERNEL_TUNER])


KERNEL_TUNER = ["test_opencl_functions.py", "test_observers.py", "test_backend.py"]


def loopy_suite(run):
    # Later releases of islpy lack methods that this release of loopy calls.
    return run_pytest_of_sources(run, ["loopy==2025.2", "pyopencl==2026.1.4", "islpy==2025.2.5"], LOOPY)


LOOPY = ["test_linalg.py", "test_nbody.py", "test_scan.py", "test_callables.py"]


def pyfai(run):
    """Its tests of OpenCL, which are a part of the package; so the next ones."""
    binaries = virtual_environment(run, ["pyFAI==2026.9.0", *OF_SCIENCE])
    return run_pytest(run, binaries, run.scratch, ["--pyargs", "pyFAI.opencl"])


def pyrqa(run):
    """Recurrence plots and their quantification of time series, half a dozen variants of kernels each, against its own loops."""
    binaries = virtual_environment(run, ["pyrqa==8.1.0", *OF_SCIENCE])
    folder = next(binaries.parent.glob("lib/python3*/site-packages/pyrqa"))
    return run_pytest(run, binaries, folder, ["variants/rqa/radius/test.py", "-k", "FixedRadiusTimeSeries"])


def sasmodels(run):
    """Its models against the values that each states."""
    binaries = virtual_environment(run, ["sasmodels==1.1.0", *OF_SCIENCE])
    _, output = run.command("model_test", [binaries / "python", "-m", "sasmodels.model_test", "-v", "-e", "opencl", "all"], limit=8 * run.limit)
    found = re.findall(r"^test_(\w+)_opencl \(.*\n.*\.\.\. ?(ok$)?", output, re.M)
    return {model: "pass" if ok else "fail" for model, ok in found} or {"model_test": "fail"}


OF_SCIENCE = ["pyopencl==2026.1.4", *TESTERS]


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




def opencv(run):
    """Its functions on UMat against the same on arrays: opencv_calls.py. Without the variable OpenCV looks for a GPU and uses no OpenCL."""
    binaries = virtual_environment(run, ["opencv-python-headless==5.0.0.93", "numpy==2.4.6"])
    run.env.update(OPENCV_OPENCL_DEVICE=":CPU:", OPENCV_OPENCL_CACHE_ENABLE="false")
    return run_calls(run, [binaries / "python", HERE / "opencv_calls.py"])


def openvino(run):
    """Its operations by its plugin for GPUs against its plugin for CPUs: openvino_calls.py. The settings: docs/xmx.md, "OpenVINO"."""
    binaries = virtual_environment(run, ["openvino==2026.4.1", "numpy==2.4.6"])
    run.env.update(TESSERA_DEVICE_TYPE="gpu", TESSERA_PERSONA="tgl", TESSERA_VENDOR_ID="0x1022")
    results = {}
    for group in OPENVINO:
        results |= run_calls(run, [binaries / "python", HERE / "openvino_calls.py", f"{group}/*"], group)
    return results


OPENVINO = ["elementwise", "convolutions", "products", "reductions", "movements", "searches", "networks", "scenarios"]

# Packages that pypi_calls.py calls; they share an environment.
CALLED = {"entropy_gpu": "0.3.0", "gputools": "0.3.1", "halide": "21.0.0", "loopy": "2025.2", "openmm": "8.6.1", "pmcxcl": "0.7.5", "pyclesperanto": "0.25.1",
          "qcgpu": "0.1.1", "qmctoolscl": "1.2.4", "tinygrad": "0.14.0"}


def called(run):
    """Calls of the package against what is known of their results: pypi_calls.py."""
    packages = [f"{name}=={version}" for name, version in CALLED.items()]
    binaries = virtual_environment(run, [*packages, "pyopencl==2026.1.4", "numpy==2.4.6", "scipy==1.17.1"], "calls")
    run.env.update(DEV="CL", HL_OCL_DEVICE_TYPE="cpu")  # tinygrad's and Halide's device
    return run_calls(run, [binaries / "python", HERE / "pypi_calls.py", run.name])


def run_calls(run, words, log="calls"):
    """Runs a program that prints `start`, then `pass` or `fail`, with the name of each test. A start without an end: the program died or hung there."""
    outcome, output = run.command(log, words, limit=4 * run.limit)
    found = re.findall(r"^(start|pass|fail)\t(\S+)$", output, re.M)
    ended = "fail" if outcome == "pass" else outcome
    return {test: ended if last == "start" else last for last, test in found or [("start", log)]}
