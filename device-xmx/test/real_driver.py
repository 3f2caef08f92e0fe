#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""real_driver.py BUILD PACKAGES: builds and launches matrix kernels on Intel's own Level Zero driver, which in its capture mode needs no GPU: it
writes what the GPU would get into a file and runs nothing. Every call of OpenCL must succeed, the captured walkers must have the launches'
numbers of groups, and parts of the program's machine code must be in the captured memory. Results cannot be looked at.

PACKAGES as for real_compiler.py. Exit code 77: they cannot be had."""
import ctypes
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

from real_compiler import fetch

# GPU: the driver's names for it, and the sub-group size of its matrix functions.
GPUS = {"dg2": ("1x8x16", 8), "pvc": ("1x8x8", 16)}
LAUNCHES = [(3, 5, 7), (11, 2, 1), (1, 13, 1)]  # groups
WALKER, WALKER_GROUPS = 0x72080025, 7  # header of COMPUTE_WALKER, and the word where its numbers of groups begin
LEAST_PIECES = 4

SOURCE = """
__attribute__((intel_reqd_sub_group_size(SIZE))) kernel void mad(global A *a, global int8 *b, global float8 *c)
{ size_t i = get_global_id(0); c[i] = intel_sub_group_bf16_bf16_matrix_mad_k16(a[i], b[i], c[i]); }
"""


class OpenCL:
    """Calls functions of the loader; an error ends the program."""

    def __init__(self):
        self.library = ctypes.CDLL("libOpenCL.so.1")

    def make(self, name, *words):
        function, err = getattr(self.library, name), ctypes.c_int(0)
        function.restype = ctypes.c_void_p
        made = function(*words, ctypes.byref(err))
        if err.value:
            sys.exit(f"{name} answers {err.value}")
        return ctypes.c_void_p(made)

    def do(self, name, *words):
        err = getattr(self.library, name)(*words)
        if err:
            sys.exit(f"{name} answers {err}")


def memory_by_address(cl, platform, device, context, queue, kernel, size):
    """Allocations of each kind as arguments, a copy, a fill, a hint; the driver must take the pointers of all of them."""
    find = cl.library.clGetExtensionFunctionAddressForPlatform
    find.restype = ctypes.c_void_p

    def function(name, result):
        return ctypes.CFUNCTYPE(result)(find(platform, name.encode() + b"INTEL"))
    bytes_, none, err = ctypes.c_size_t(1 << 20), ctypes.c_void_p(), ctypes.c_int()
    tail = (none, bytes_, ctypes.c_uint(0), ctypes.byref(err))
    memory = [function("clHostMemAlloc", ctypes.c_void_p)(context, *tail), function("clDeviceMemAlloc", ctypes.c_void_p)(context, device, *tail),
              function("clSharedMemAlloc", ctypes.c_void_p)(context, device, *tail)]
    if not all(memory):
        sys.exit(f"allocations answer {memory}, {err.value}")
    memory = [ctypes.c_void_p(pointer) for pointer in memory]
    yes, no_events = ctypes.c_uint(1), (ctypes.c_uint(0), none, none)
    for flag in (0x4200, 0x4201, 0x4202):  # what the kernel reaches besides its arguments: host, device, shared
        cl.do("clSetKernelExecInfo", kernel, ctypes.c_uint(flag), ctypes.c_size_t(4), ctypes.byref(yes))
    results = [function("clEnqueueMemcpy", ctypes.c_int)(queue, ctypes.c_uint(1), memory[1], memory[0], bytes_, *no_events),
               function("clEnqueueMemFill", ctypes.c_int)(queue, memory[2], ctypes.byref(yes), ctypes.c_size_t(4), bytes_, *no_events),
               function("clEnqueueMigrateMem", ctypes.c_int)(queue, memory[2], bytes_, ctypes.c_ulong(0), *no_events)]
    results += [function("clSetKernelArgMemPointer", ctypes.c_int)(kernel, ctypes.c_uint(i), pointer) for i, pointer in enumerate(memory)]
    groups = (ctypes.c_size_t * 3)(size, 1, 1)
    cl.do("clEnqueueNDRangeKernel", queue, kernel, 3, None, groups, groups, 0, None, None)
    cl.do("clFinish", queue)
    results += [function("clMemFree", ctypes.c_int)(context, pointer) for pointer in memory]
    if any(results):
        sys.exit(f"commands over memory by address answer {results}")


def client(size):
    """In a process of its own: the launches. Prints where the program's binary is."""
    cl, platform, device = OpenCL(), ctypes.c_void_p(), ctypes.c_void_p()
    cl.do("clGetPlatformIDs", 1, ctypes.byref(platform), None)
    cl.do("clGetDeviceIDs", platform, ctypes.c_ulong(4), 1, ctypes.byref(device), None)
    context = cl.make("clCreateContext", None, 1, ctypes.byref(device), None, None)
    queue = cl.make("clCreateCommandQueueWithProperties", context, device, None)
    text = ctypes.c_char_p(SOURCE.replace("SIZE", str(size)).replace("A *a", ("int8" if size == 8 else "short8") + " *a").encode())
    program = cl.make("clCreateProgramWithSource", context, 1, ctypes.byref(text), None)
    cl.do("clBuildProgram", program, 1, ctypes.byref(device), None, None, None)
    kernel = cl.make("clCreateKernel", program, b"mad")
    for i in range(3):
        buffer = cl.make("clCreateBuffer", context, ctypes.c_ulong(1), ctypes.c_size_t(1 << 20), None)
        zero = ctypes.c_int(0)
        cl.do("clEnqueueFillBuffer", queue, buffer, ctypes.byref(zero), ctypes.c_size_t(4), ctypes.c_size_t(0), ctypes.c_size_t(1 << 20), 0, None, None)
        cl.do("clSetKernelArg", kernel, i, ctypes.c_size_t(8), ctypes.byref(buffer))
    for groups in LAUNCHES:
        local = (ctypes.c_size_t * 3)(size, 1, 1)
        whole = (ctypes.c_size_t * 3)(groups[0] * size, groups[1], groups[2])
        cl.do("clEnqueueNDRangeKernel", queue, kernel, 3, None, whole, local, 0, None, None)
    cl.do("clFinish", queue)
    memory_by_address(cl, platform, device, context, queue, kernel, size)
    length = ctypes.c_size_t()
    cl.do("clGetProgramInfo", program, 0x1165, ctypes.c_size_t(8), ctypes.byref(length), None)
    binary = (ctypes.c_char * length.value)()
    pointer = ctypes.c_void_p(ctypes.addressof(binary))
    cl.do("clGetProgramInfo", program, 0x1166, ctypes.c_size_t(8), ctypes.byref(pointer), None)
    pathlib.Path("program.bin").write_bytes(binary.raw)
    os._exit(0)  # the driver's destructors in capture mode are of no interest


def pieces_of(binary):
    """Pieces of 64 bytes that are no filling. The driver's form of machine code is its own affair; instructions have 16 bytes."""
    pieces = (binary[at:at + 64] for at in range(0, len(binary) - 63, 16))
    return {piece for piece in pieces if len(set(piece)) > 16}


def check(gpu, build, environment, folder):
    topology, size = GPUS[gpu]
    environment = dict(environment, NEOReadDebugKeys="1", SetCommandStreamReceiver="1", ProductFamilyOverride=gpu, HardwareInfoOverride=topology,
                       ZE_ENABLE_ALT_DRIVERS=environment["LD_LIBRARY_PATH"].split(":")[0] + "/libze_intel_gpu.so.1", TESSERA_DEVICES="gpu",
                       OCL_ICD_VENDORS=str(build / "vendors"), HOME=folder, TESSERA_CACHE_DIR=folder)
    done = subprocess.run([sys.executable, __file__, "client", str(size)], cwd=folder, env=environment, timeout=300, capture_output=True, text=True)
    if done.returncode:
        print(f"{gpu}: the client ends with {done.returncode}: {done.stdout}{done.stderr}"[:2000])
        return False
    capture = next(pathlib.Path(folder).glob(f"{gpu}*.aub")).read_bytes()
    walkers = [struct.unpack_from("<3I", capture, at.start() + 4 * WALKER_GROUPS) for at in re.finditer(re.escape(struct.pack("<I", WALKER)), capture)]
    missing = [groups for groups in LAUNCHES if groups not in walkers]
    pieces = pieces_of(pathlib.Path(folder, "program.bin").read_bytes())
    found = sum(piece in capture for piece in pieces)
    print(f"{gpu}: {len(capture) >> 20} MiB captured, {len(walkers)} walkers, {found} pieces of the program's machine code")
    if missing:
        print(f"{gpu}: no walker has the groups {missing}: {walkers}")
    return not missing and found >= LEAST_PIECES


def main():
    build, packages = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    try:
        environment, _ = fetch(packages)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"skipped: Intel's driver cannot be had: {error}")
        return 77
    good = True
    for gpu in GPUS:
        with tempfile.TemporaryDirectory() as folder:
            good = check(gpu, build, environment, folder) and good
    return 0 if good else 1


if __name__ == "__main__":
    if sys.argv[1] == "client":
        client(int(sys.argv[2]))
    sys.exit(main())
