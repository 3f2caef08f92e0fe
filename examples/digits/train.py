#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the network of the digits example and writes weights.bin. Needs numpy; seeded, so that a run can be repeated.

usage: train.py digits.csv weights.bin

The network has layers 64 -> 128 -> 64 -> 10 with ReLU between. Samples whose number leaves 3 when divided by 4 are held out: they are
never trained on. Training runs in float first, then with weights and activations rounded to int8 as the kernels round them, so that the
network learns to live with it.

weights.bin, all little-endian:
    8 bytes   "TSRDIGIT"
    uint32    number of layers, L
    for each layer:
        uint32 inputs, uint32 outputs
        int32  multiplier: an int8 layer's sum, times this, shifted right by 24 with rounding, is its int8 output (0 in the last layer)
        int8   weights[inputs][outputs]                    for the int8 network
        int32  bias[outputs]                               added to its sums
        uint16 weights[inputs][outputs]                    bfloat16, for the bfloat16 network
        float  bias[outputs]
The int8 network takes pixels (0 to 16) as they are, the bfloat16 network pixels / 16.
"""
import struct
import sys

import numpy as np

LAYERS = [64, 128, 64, 10]
SHIFT = 24


def forward(weights, biases, x, quantise=None):
    """Activations of every layer, the input first. `quantise` rounds weights and activations on the way."""
    activations = [x]
    for i, (w, b) in enumerate(zip(weights, biases)):
        x = x @ (quantise.weight(i, w) if quantise else w) + b
        if i + 1 < len(weights):
            x = np.maximum(x, 0)
            if quantise:
                x = quantise.activation(i, x)
        activations.append(x)
    return activations


class Int8:
    """Symmetric int8: one scale for each layer's weights, and one for its output."""

    def __init__(self, weights, biases, x):
        self.scales_w = [np.abs(w).max() / 127 for w in weights]
        self.scales_x = [1 / 16] + [np.percentile(a, 99.9) / 127 for a in forward(weights, biases, x)[1:-1]]

    def weight(self, i, w):
        return np.clip(np.rint(w / self.scales_w[i]), -127, 127) * self.scales_w[i]

    def activation(self, i, x):
        s = self.scales_x[i + 1]
        return np.clip(np.rint(x / s), 0, 127) * s


def train(weights, biases, x, labels, epochs, rate, rng, quantise=None):
    """Adam on the cross-entropy. Rounding counts as the identity in the gradient. Pictures are moved by up to one pixel."""
    parameters = weights + biases
    mean = [np.zeros_like(p) for p in parameters]
    square = [np.zeros_like(p) for p in parameters]
    step, batch = 0, 64
    for epoch in range(epochs):
        order = rng.permutation(len(x))
        for start in range(0, len(x), batch):
            index = order[start:start + batch]
            picture = x[index].reshape(-1, 8, 8)
            dx, dy = rng.integers(-1, 2, 2) if rng.random() < 0.5 else (0, 0)
            moved = np.zeros_like(picture)
            moved[:, max(dy, 0):8 + min(dy, 0), max(dx, 0):8 + min(dx, 0)] = \
                picture[:, max(-dy, 0):8 + min(-dy, 0), max(-dx, 0):8 + min(-dx, 0)]
            activations = forward(weights, biases, moved.reshape(-1, 64), quantise)
            logits = activations[-1]
            p = np.exp(logits - logits.max(axis=1, keepdims=True))
            p /= p.sum(axis=1, keepdims=True)
            p[np.arange(len(index)), labels[index]] -= 1
            gradient = p / len(index)
            gw, gb = [None] * len(weights), [None] * len(biases)
            for i in reversed(range(len(weights))):
                gw[i] = activations[i].T @ gradient + 1e-4 * weights[i]
                gb[i] = gradient.sum(axis=0)
                if i:
                    w = quantise.weight(i, weights[i]) if quantise else weights[i]
                    gradient = (gradient @ w.T) * (activations[i] > 0)
            step += 1
            now = rate * (0.5 + 0.5 * np.cos(np.pi * epoch / epochs))
            for value, g, m, s in zip(parameters, gw + gb, mean, square):
                m += 0.1 * (g - m)
                s += 0.001 * (g * g - s)
                value -= now * (m / (1 - 0.9**step)) / (np.sqrt(s / (1 - 0.999**step)) + 1e-8)


def bfloat16(x):
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def main():
    data = np.loadtxt(sys.argv[1], delimiter=",")
    x, labels = data[:, :-1] / 16, data[:, -1].astype(int)
    held_out = np.arange(len(x)) % 4 == 3
    rng = np.random.default_rng(2026)
    weights = [rng.normal(0, np.sqrt(2 / a), (a, b)) for a, b in zip(LAYERS, LAYERS[1:])]
    biases = [np.zeros(b) for b in LAYERS[1:]]

    train(weights, biases, x[~held_out], labels[~held_out], 120, 2e-3, rng)
    quantise = Int8(weights, biases, x[~held_out])
    float_weights, float_biases = [w.copy() for w in weights], [b.copy() for b in biases]
    train(weights, biases, x[~held_out], labels[~held_out], 30, 2e-4, rng, quantise)

    with open(sys.argv[2], "wb") as file:
        file.write(b"TSRDIGIT" + struct.pack("<I", len(weights)))
        for i, (w, b) in enumerate(zip(weights, biases)):
            unit = quantise.scales_x[i] * quantise.scales_w[i]  # worth of one in the sum of the int8 layer
            multiplier = round(unit / quantise.scales_x[i + 1] * 2**SHIFT) if i + 1 < len(weights) else 0
            file.write(struct.pack("<IIi", w.shape[0], w.shape[1], multiplier))
            file.write(np.rint(quantise.weight(i, w) / quantise.scales_w[i]).astype("<i1").tobytes())
            file.write(np.rint(b / unit).astype("<i4").tobytes())
            file.write(bfloat16(float_weights[i]).astype("<u2").tobytes())
            file.write(float_biases[i].astype("<f4").tobytes())

    for name, networks, q in (("float", (float_weights, float_biases), None), ("int8", (weights, biases), quantise)):
        right = forward(*networks, x, q)[-1].argmax(axis=1) == labels
        print(f"{name}: {right[held_out].mean():.2%} of the held-out samples, {right.mean():.2%} of all")


if __name__ == "__main__":
    main()
