#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The digits example from Python: the same kernels and weights through pyopencl.

usage: digits.py layers.cl weights.bin digits.csv
"""
import struct
import sys
import time

import numpy as np
import pyopencl as cl

NEEDED = ["cl_intel_subgroup_split_matrix_multiply_accumulate", "cl_intel_subgroup_matrix_multiply_accumulate",
          "cl_intel_required_subgroup_size"]
RUNS = 20


def find_device():
    for platform in cl.get_platforms():
        for device in platform.get_devices():
            if set(NEEDED) <= set(device.extensions.split()):
                return device
    sys.exit("no OpenCL device with the matrix functions was found; does the loader see tessera.icd?")


def bfloat16(x):
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bfloat16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def load_network(path):
    """Layers as (multiplier, int8 weights, int32 bias, bfloat16 weights, float bias), outputs padded to a multiple of 16."""
    data = open(path, "rb").read()
    if data[:8] != b"TSRDIGIT":
        sys.exit(f"{path} is not a file of weights")
    at, layers = 12, []

    def array(kind, shape, pad):
        nonlocal at
        a = np.frombuffer(data, kind, int(np.prod(shape)), at).reshape(shape)
        at += a.nbytes
        return np.ascontiguousarray(np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, pad)]))

    for _ in range(struct.unpack_from("<I", data, 8)[0]):
        inputs, outputs, multiplier = struct.unpack_from("<IIi", data, at)
        at += 12
        pad = -outputs % 16
        layers.append((multiplier, array("<i1", (inputs, outputs), pad), array("<i4", (outputs,), pad),
                       array("<u2", (inputs, outputs), pad), array("<f4", (outputs,), pad)))
    return layers


def pack(weights):
    """B as the matrix functions want it: a word holds the weights of 4 (int8) or 2 (bfloat16) inputs for one output."""
    per_word = 4 // weights.itemsize
    return np.ascontiguousarray(weights.reshape(-1, per_word, weights.shape[1]).transpose(0, 2, 1))


def run(context, queue, program, layers, pixels, int8):
    """Sums of the last layer for every sample, and the median time of all layers in milliseconds."""
    flags = cl.mem_flags
    count = len(pixels)
    padded = np.zeros((-(-count // 8) * 8, 64), np.float32)
    padded[:count] = pixels
    x = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=padded.astype(np.int8) if int8 else bfloat16(padded / 16))
    kernels, kept = [], []  # a kernel does not keep its arguments alive
    for i, (multiplier, w8, b8, w16, b16) in enumerate(layers):
        last = i + 1 == len(layers)
        inputs, outputs = w8.shape
        w = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=pack(w8 if int8 else w16))
        b = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=b8 if int8 else b16)
        y = cl.Buffer(context, flags.READ_WRITE, len(padded) * outputs * (4 if last else 1 if int8 else 2))
        kernel = cl.Kernel(program, ("last_" if last else "layer_") + ("int8" if int8 else "bf16"))
        kernel.set_args(x, w, b, np.int32(inputs), *([np.int32(multiplier)] if int8 and not last else []), y)
        kept += [x, w, b, y]
        kernels.append((kernel, (outputs, len(padded) // 8), (outputs, 1)))
        x = y
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        for kernel, size, local in kernels:
            cl.enqueue_nd_range_kernel(queue, kernel, size, local)
        queue.finish()
        times.append((time.perf_counter() - start) * 1e3)
    sums = np.empty((len(padded), outputs), np.int32 if int8 else np.float32)
    cl.enqueue_copy(queue, sums, x)
    return sums[:count, :10], float(np.median(times))


def plain_int8(layers, pixels):
    x = pixels.astype(np.int64)
    for i, (multiplier, w, b, _, _) in enumerate(layers):
        x = x @ w.astype(np.int64) + b
        if i + 1 < len(layers):
            x = np.clip((x * multiplier + (1 << 23)) >> 24, 0, 127)
    return x[:, :10]


def plain_bf16(layers, pixels):
    x = pixels / 16
    for i, (_, _, _, w, b) in enumerate(layers):
        x = x.astype(np.float64) @ from_bfloat16(w).astype(np.float64) + b
        if i + 1 < len(layers):
            x = from_bfloat16(bfloat16(np.maximum(x, 0)))
    return x[:, :10]


def main():
    source, weights, csv = sys.argv[1:4]
    data = np.loadtxt(csv, delimiter=",")
    pixels, labels = data[:, :-1], data[:, -1].astype(int)
    held_out = np.arange(len(labels)) % 4 == 3  # train.py never saw these
    layers = load_network(weights)
    device = find_device()
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    start = time.perf_counter()
    program = cl.Program(context, open(source).read()).build("-cl-std=CL3.0")
    print(f"device: {device.name} (pyopencl {cl.VERSION_TEXT})\nbuild: {(time.perf_counter() - start) * 1e3:.1f} ms")
    good = True
    for name, int8, plain in (("int8", True, plain_int8), ("bfloat16", False, plain_bf16)):
        sums, took = run(context, queue, program, layers, pixels, int8)
        want = plain(layers, pixels)
        right = sums.argmax(axis=1) == labels
        difference = float(np.abs(sums - want).max() / np.abs(want).max())
        print(f"{name}: {right[held_out].mean():.2%} right of {held_out.sum()} held-out digits, {right.mean():.2%} of all {len(labels)};"
              f" {took:.2f} ms a run; differs from numpy by at most {difference:.2g} of the largest sum")
        good &= right[held_out].mean() >= 0.95 and difference <= (0 if int8 else 0.01)
    sys.exit(0 if good else "a network is not as accurate, or not as equal to numpy, as it must be")


if __name__ == "__main__":
    main()
