# SPDX-License-Identifier: Apache-2.0
"""OpenVINO's operations and small networks by its plugin for Intel's GPUs, which runs OpenCL kernels written for these, against the same by its plugin
for CPUs, which uses no OpenCL. run_clients.py runs this in a process to which the CPU device answers as a GPU: docs/xmx.md, "The CPU as that GPU". Prints
`start`, `pass` or `fail`, a tab and the test's name, for each test; then what differs.

openvino_calls.py [TEST...], where a test may have wildcards"""
import concurrent.futures
import fnmatch
import itertools
import sys
import tempfile

import numpy
import openvino
from openvino import opset1, opset15 as op

from calls import run_tests

F = numpy.float32
core = openvino.Core()
random = numpy.random.default_rng(1)


# ---- models ----


def numbers(*shape, scale=1.0):
    return (scale * random.standard_normal(shape)).astype(F)


def integers(low, high, shape, dtype=numpy.int32):
    return random.integers(low, high, shape).astype(dtype)


def order(*shape):
    """Numbers of which no two are the same, neither in half precision, for operations that sort."""
    count = int(numpy.prod(shape))
    return ((random.permutation(count).reshape(shape) - count // 2) / 8).astype(F)


def const(*values, dtype=None):
    """A constant: of one array as it is, of numbers as a vector of integers."""
    return op.constant(values[0] if isinstance(values[0], numpy.ndarray) else numpy.array(values, dtype or numpy.int64))


def scalar(value, dtype=F):
    return op.constant(numpy.array(value, dtype))


def weights(*shape):
    """A constant with which values keep about their size."""
    return op.constant(numbers(*shape, scale=1 / numpy.sqrt(numpy.prod(shape[1:]))))


def channels(x):
    return x.get_output_partial_shape(0)[1].get_length()


def spatial(x):
    return len(x.get_output_partial_shape(0)) - 2


def conv(x, out, size, stride=1, groups=1, dilation=1, bias=True, kernel=weights):
    n, pads = spatial(x), [dilation * (size // 2)] * spatial(x)
    more = [[stride] * n, pads, pads, [dilation] * n]
    if groups == 1:
        y = op.convolution(x, kernel(out, channels(x), *[size] * n), *more)
    else:
        y = op.group_convolution(x, kernel(groups, out // groups, channels(x) // groups, *[size] * n), *more)
    return op.add(y, op.constant(numbers(1, out, *[1] * n, scale=0.3))) if bias else y


def int8_conv(x, *more):
    groups = more[3] if len(more) > 3 else 1
    return conv(fixed(x), *more, kernel=bytes_) if groups == 1 else fixed(conv(fixed(x), *more))


def deconv(x, out, size, stride=2, pad=0):
    n = spatial(x)
    kernel = op.constant(numbers(channels(x), out, *[size] * n, scale=1 / numpy.sqrt(channels(x) * size)))
    return op.convolution_backprop_data(x, kernel, [stride] * n, pads_begin=[pad] * n, pads_end=[pad] * n)


def linear(x, out, kernel=weights, bias=True):
    width = list(x.get_output_partial_shape(0))[-1].get_length()
    y = op.matmul(x, kernel(out, width), False, True)
    return op.add(y, op.constant(numbers(out, scale=0.3))) if bias else y


def batch_norm(x):
    n = channels(x)
    gamma, beta, mean, variance = (op.constant(v) for v in (1 + numbers(n, scale=0.1), numbers(n, scale=0.1), numbers(n, scale=0.1),
                                                            1 + abs(numbers(n, scale=0.2))))
    return op.batch_norm_inference(x, gamma, beta, mean, variance, 1e-5)


def layer_norm(x):
    width = list(x.get_output_partial_shape(0))[-1].get_length()
    y = op.mvn(x, const(-1), True, 1e-5, "INSIDE_SQRT")
    return op.add(op.multiply(y, op.constant(1 + numbers(width, scale=0.1))), op.constant(numbers(width, scale=0.1)))


def rms_norm(x):
    width = list(x.get_output_partial_shape(0))[-1].get_length()
    mean = op.reduce_mean(op.power(x, scalar(2)), const(-1), True)
    return op.multiply(op.multiply(x, op.divide(scalar(1), op.sqrt(op.add(mean, scalar(1e-6))))), op.constant(1 + numbers(width, scale=0.1)))


def max_pool(x, size, stride, pad=0):
    n = spatial(x)
    return opset1.max_pool(x, [stride] * n, [pad] * n, [pad] * n, [size] * n)


def avg_pool(x, size, stride, pad=0, without_pads=True):
    n = spatial(x)
    return op.avg_pool(x, [stride] * n, [pad] * n, [pad] * n, [size] * n, without_pads)


def fixed(x, low=-2.0, high=2.0, levels=256):
    """Rounds to one of `levels` numbers."""
    bounds = scalar(low), scalar(low + (high - low) * (levels - 1) / levels)
    return op.fake_quantize(x, *bounds, *bounds, levels)


def bytes_(*shape):
    """Weights in bytes, with a scale for each output channel."""
    steps = numpy.clip(numpy.round(numbers(*shape, scale=40)), -127, 127).astype(numpy.int8)
    scale = abs(numbers(shape[0], *[1] * (len(shape) - 1), scale=0.2)) + 0.9
    return op.multiply(op.convert(op.constant(steps), F), op.constant((scale / (40 * numpy.sqrt(numpy.prod(shape[1:])))).astype(F)))


def packed(type_, group):
    """Returns a function for weights of 4 or 8 bits, with a scale and a zero point for each `group` of a row."""
    bits = 4 if "4" in type_ else 8
    low, high = (0, 2 ** bits) if type_[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1))

    def kernel(out, width):
        shape = (out, width // group, group)
        steps = integers(low, high, shape, numpy.uint8 if low == 0 else numpy.int8)
        y = op.convert(op.constant(steps, getattr(openvino.Type, type_)), numpy.float16)
        if low == 0:
            zeros = integers(high // 2 - 2, high // 2 + 2, (out, width // group, 1), numpy.uint8)
            y = op.subtract(y, op.convert(op.constant(zeros, getattr(openvino.Type, type_)), numpy.float16))
        scales = (abs(numbers(out, width // group, 1, scale=0.3)) + 0.7) / (high * numpy.sqrt(width))
        y = op.multiply(y, op.constant(scales.astype(numpy.float16)))
        return op.convert(op.reshape(y, const(out, width), False), F)
    return kernel


# ---- networks ----


def resnet_block(x, out, stride=1, quantised=False):
    """With `quantised` all that is multiplied is rounded to bytes."""
    low, kernel = (fixed, bytes_) if quantised else (lambda y: y, weights)
    normed = (lambda y: y) if quantised else batch_norm
    y = op.relu(normed(conv(low(x), out, 3, stride, kernel=kernel)))
    y = normed(conv(low(y), out, 3, kernel=kernel))
    short = x if stride == 1 and channels(x) == out else normed(conv(low(x), out, 1, stride, kernel=kernel))
    return op.relu(op.add(y, short))


def resnet(x, quantised=False):
    y = max_pool(op.relu(conv(fixed(x) if quantised else x, 16, 7, 2, kernel=bytes_ if quantised else weights)), 3, 2, 1)
    for out, stride in ((16, 1), (32, 2), (48, 2)):
        y = resnet_block(y, out, stride, quantised)
    return op.softmax(linear(op.reshape(op.reduce_mean(y, const(2, 3), True), const(0, -1), True), 10), 1)


def mobile_block(x, out, wide, stride=1, quantised=False):
    """A narrow convolution, one of each channel, a factor for each channel, and back."""
    low, kernel = (fixed, bytes_) if quantised else (lambda y: y, weights)
    y = op.hswish(conv(low(x), wide, 1, kernel=kernel))
    y = op.hswish(conv(y, wide, 5, stride, groups=wide))
    squeezed = op.reduce_mean(y, const(2, 3), True)
    y = op.multiply(y, op.hsigmoid(conv(op.relu(conv(squeezed, wide // 4, 1)), wide, 1)))
    y = conv(low(y), out, 1, kernel=kernel)
    return op.add(x, y) if stride == 1 and channels(x) == out else y


def mobilenet(x, quantised=False):
    y = op.hswish(conv(x, 16, 3, 2))
    for out, wide, stride in ((16, 32, 1), (24, 72, 2), (24, 88, 1)):
        y = mobile_block(y, out, wide, stride, quantised)
    return linear(op.reshape(avg_pool(op.hswish(conv(y, 64, 1)), 4, 1), const(0, -1), True), 11)


def unet(x, quantised=False):
    low, kernel = (fixed, bytes_) if quantised else (lambda y: y, weights)

    def twice(y, out):
        return op.relu(conv(low(op.relu(conv(low(y), out, 3, kernel=kernel))), out, 3, kernel=kernel))
    first = twice(x, 8)
    second = twice(max_pool(first, 2, 2), 16)
    y = twice(max_pool(second, 2, 2), 32)
    y = twice(op.concat([deconv(y, 16, 2), second], 1), 16)
    y = twice(op.concat([deconv(y, 8, 4, 2, 1), first], 1), 8)
    return op.sigmoid(conv(y, 2, 1))


def heads(x, count):
    width = list(x.get_output_partial_shape(0))[-1].get_length()
    return op.transpose(op.reshape(x, const(0, 0, count, width // count), True), const(0, 2, 1, 3))


def joined(x, width):
    return op.reshape(op.transpose(x, const(0, 2, 1, 3)), const(0, 0, width), True)


def attention(x, count, kernel=weights):
    """With the products of matrices spelled out."""
    width = list(x.get_output_partial_shape(0))[-1].get_length()
    q, k, v = (heads(linear(x, width, kernel), count) for _ in range(3))
    scores = op.softmax(op.multiply(op.matmul(q, k, False, True), scalar((width / count) ** -0.5)), -1)
    return linear(joined(op.matmul(scores, v, False, False), width), width, kernel)


def bert_layer(x, kernel=weights):
    width = list(x.get_output_partial_shape(0))[-1].get_length()
    x = layer_norm(op.add(x, attention(x, 4, kernel)))
    return layer_norm(op.add(x, linear(op.gelu(linear(x, 4 * width, kernel), "erf"), width, kernel)))


def turned(x, positions):
    """Rotary position embedding."""
    size = list(x.get_output_partial_shape(0))[-1].get_length()
    rates = op.constant((10000 ** (-numpy.arange(0, size, 2) / size)).astype(F).reshape(1, 1, -1))
    angles = op.multiply(op.unsqueeze(op.convert(positions, F), const(2)), rates)
    angles = op.unsqueeze(op.concat([angles, angles], -1), const(1))
    first, second = op.split(x, scalar(-1, numpy.int64), 2).outputs()
    return op.add(op.multiply(x, op.cos(angles)), op.multiply(op.concat([op.negative(second), first], -1), op.sin(angles)))


def decoder(kernel, width=64, count=4):
    """A layer of a language model, whose keys and values are states; of one sequence, any number of steps at once."""
    x, positions = op.parameter([1, -1, width], F), op.parameter([1, -1], numpy.int64)
    y = rms_norm(x)
    q, k, v = (heads(linear(y, width, kernel, bias=False), count) for _ in range(3))
    q, k = turned(q, positions), turned(k, positions)
    sinks, past = [], []
    for name, new in (("keys", k), ("values", v)):
        empty = op.broadcast(scalar(0), const(1, count, 0, width // count))
        info = openvino.op.util.VariableInfo()
        info.data_shape, info.data_type, info.variable_id = openvino.PartialShape([1, count, -1, width // count]), openvino.Type.f32, name
        variable = openvino.op.util.Variable(info)
        whole = op.concat([op.read_value(empty, variable), new], 2)
        sinks.append(op.assign(whole, variable))
        past.append(whole)
    y = op.add(x, linear(joined(op.scaled_dot_product_attention(q, *past, causal=False), width), width, kernel, bias=False))
    z = rms_norm(y)
    z = linear(op.multiply(op.swish(linear(z, 2 * width, kernel, bias=False)), linear(z, 2 * width, kernel, bias=False)), width, kernel, bias=False)
    return openvino.Model([op.result(op.add(y, z))], sinks, [x, positions], "decoder")


# ---- tests: name -> (function of parameters, that returns what a model gives; input...), an input being a shape or an array ----


def unary(name, **more):
    return lambda x: getattr(op, name)(x, **more)


def positive(*shape):
    return abs(numbers(*shape)) / 2 + 0.1


def boxes(count, size=1.0):
    ends = numpy.sort(random.random((1, count, 2, 2)), 2).astype(F) * F(size)
    return ends.reshape(1, count, 4)


def regions(count, size):
    return numpy.hstack([numpy.zeros((count, 1), F), boxes(count, size)[0]])


def each_type(call, types, *shapes):
    return {numpy.dtype(t).name: (call, *[integers(0, 2 if t == bool else 9, shape, t) for shape in shapes]) for t in types}


SMALL = (2, 17, 9, 5)
POSITIVE = ("log", "sqrt")
BELOW_1 = ("asin", "acos", "atanh")
UNARY = """abs asin asinh acos atan atanh ceiling cos cosh erf exp floor hsigmoid hswish log mish
        negative relu sigmoid sign sin sinh softplus softsign sqrt swish tan tanh"""


def elementwise():
    for name in UNARY.split():
        yield name, unary(name), positive(*SMALL) if name in POSITIVE else numpy.tanh(numbers(*SMALL)) * F(0.9) if name in BELOW_1 else SMALL
    yield "acosh", op.acosh, 1 + positive(*SMALL)
    for way in ("erf", "tanh"):
        yield f"gelu-{way}", unary("gelu", approximation_mode=way), SMALL
    for way in ("half_to_even", "half_away_from_zero"):
        yield f"round-{way}", unary("round", mode=way), numpy.round(4 * numbers(*SMALL)) / 2
    for name in "greater greater_equal less less_equal equal not_equal".split():
        yield name, lambda x, y, name=name: getattr(op, name)(x, y), numpy.round(numbers(2, 3, 8, 9)), numpy.round(numbers(1, 3, 1, 9))
    for name in "add subtract multiply divide maximum minimum squared_difference mod floor_mod".split():
        yield name, lambda x, y, name=name: getattr(op, name)(x, y), (2, 3, 8, 9), positive(1, 3, 1, 9) + F(0.4)
    yield "power", op.power, positive(2, 3, 8, 9), (1, 3, 1, 9)
    yield "add-ranks", op.add, (4, 1, 7), (5, 1)
    yield "multiply-channels", op.multiply, (1, 64, 28, 28), (1, 64, 1, 1)
    for t in (numpy.int32, numpy.int64, numpy.uint8, numpy.int8):
        for name in "add multiply maximum floor_mod divide".split():
            yield (f"{name}-{numpy.dtype(t).name}", lambda x, y, name=name: getattr(op, name)(x, y), integers(0, 11, (2, 3, 8, 9), t),
                   integers(1, 6, (1, 3, 1, 9), t))
    for name in "logical_and logical_or logical_xor".split():
        yield name, lambda x, y, name=name: getattr(op, name)(x, y), integers(0, 2, (3, 5, 7), bool), integers(0, 2, (5, 1), bool)
    for name in "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift".split():
        yield name, lambda x, y, name=name: getattr(op, name)(x, y), integers(0, 99, (3, 5, 7)), integers(0, 7, (5, 1))
    for a, b in itertools.permutations((numpy.float32, numpy.float16, numpy.int32, numpy.int64, numpy.uint8, numpy.int8), 2):
        yield f"convert-{numpy.dtype(a).name}-{numpy.dtype(b).name}", lambda x, b=b: op.convert(x, b), integers(0, 90, (3, 5, 33)).astype(a)
    yield "convert-bool", lambda x: op.convert(x, bool), integers(0, 2, (3, 5, 33)).astype(F)
    yield "clamp", lambda x: op.clamp(x, -0.5, 0.7), SMALL
    yield "elu", lambda x: op.elu(x, 0.7), SMALL
    yield "selu", lambda x: op.selu(x, scalar(1.67), scalar(1.05)), SMALL
    yield "prelu", lambda x: op.prelu(x, op.constant(numbers(17))), SMALL
    yield "hard_sigmoid", lambda x: op.hard_sigmoid(x, scalar(0.2), scalar(0.5)), SMALL
    yield "select", lambda x: op.select(op.greater(x, scalar(0)), x, op.constant(numbers(1, 7))), (5, 7)
    yield "is_finite", op.is_finite, numpy.array([1, numpy.inf, -numpy.inf, numpy.nan, 0], F)
    yield "is_nan", op.is_nan, numpy.array([1, numpy.inf, -numpy.inf, numpy.nan, 0], F)


CONVOLUTIONS = {  # shape, output channels, size, then as conv() has them
    "3-channels": ((1, 3, 32, 32), 16, 3), "7x7-stride-2": ((1, 3, 96, 96), 32, 7, 2), "1x1": ((1, 16, 28, 28), 32, 1),
    "stride-2": ((2, 32, 17, 19), 48, 3, 2),
    "dilated": ((1, 64, 14, 14), 64, 3, 1, 1, 2), "depthwise": ((1, 32, 20, 20), 32, 3, 1, 32), "depthwise-stride-2": ((1, 24, 21, 20), 24, 5, 2, 24),
    "groups": ((1, 32, 16, 16), 64, 5, 2, 4), "batch-3": ((3, 16, 12, 12), 24, 3), "batch-8": ((8, 16, 12, 12), 24, 3), "batch-16": ((16, 32, 9, 9), 32, 1),
    "batch-16-3x3": ((16, 32, 9, 9), 48, 3), "batch-32": ((32, 16, 7, 7), 32, 3), "batch-32-3-channels": ((32, 3, 18, 18), 16, 3),
    "odd": ((1, 17, 13, 11), 19, 3),
    "odd-1x1": ((2, 33, 5, 7), 65, 1), "odd-groups": ((1, 15, 9, 9), 21, 3, 1, 3), "wide-1x1": ((1, 128, 7, 7), 256, 1), "wide": ((1, 128, 7, 7), 64, 3),
    "1d": ((1, 4, 50), 8, 5),
    "1d-stride-2": ((3, 16, 41), 32, 3, 2), "1d-depthwise": ((1, 16, 41), 16, 3, 1, 16), "3d": ((1, 8, 6, 10, 10), 16, 3),
    "3d-16": ((1, 16, 6, 7, 9), 32, 3, 2), "3d-batch-16": ((16, 16, 3, 5, 6), 16, 3),
    "3d-groups": ((1, 16, 5, 6, 7), 16, 3, 1, 4), "3d-1x1": ((1, 32, 4, 6, 5), 16, 1), "one-channel": ((1, 1, 28, 28), 6, 5),
    "to-one-channel": ((1, 16, 13, 13), 1, 3),
}


def convolutions():
    for name, (shape, *more) in CONVOLUTIONS.items():
        yield f"conv-{name}", lambda x, more=more: op.relu(conv(x, *more)), shape
        if name != "3d-1x1":  # there OpenVINO's kernel writes behind its output: it counts blocks of depth with ALIGN, not CEIL_DIV
            yield f"int8-conv-{name}", lambda x, more=more: op.relu(int8_conv(x, *more)), shape
    for name, activation in {"sum": lambda y: op.add(y, y), "swish": op.swish, "clamp": lambda y: op.clamp(y, 0, 6),
                             "prelu": lambda y: op.prelu(y, op.constant(numbers(24)))}.items():
        yield f"conv-{name}", lambda x, activation=activation: activation(conv(x, 24, 3)), (1, 16, 13, 13)
    yield "conv-two-inputs", lambda x, w: op.convolution(x, w, [1, 1], [1, 1], [1, 1], [1, 1]), (1, 16, 12, 12), 0.1 * numbers(8, 16, 3, 3)
    yield "deconv", lambda x: deconv(x, 4, 4, 2, 1), (1, 8, 7, 7)
    yield "deconv-2x2", lambda x: deconv(x, 16, 2), (1, 32, 9, 9)
    yield "deconv-batch-16", lambda x: deconv(x, 16, 3, 2, 1), (16, 16, 5, 5)
    yield "deconv-1d", lambda x: deconv(x, 6, 3), (1, 8, 11)
    yield "deconv-3d", lambda x: deconv(x, 8, 2), (1, 16, 4, 5, 6)
    yield "deconv-groups", lambda x: op.group_convolution_backprop_data(x, op.constant(numbers(4, 4, 2, 3, 3, scale=0.2)), strides=[2, 2], pads_begin=[1, 1],
                                                                        pads_end=[1, 1],
                                                                         dilations=[1, 1]), (1, 16, 7, 7)
    yield ("deformable-conv", lambda x, o: op.deformable_convolution(x, o, op.constant(numbers(8, 16, 3, 3, scale=0.1)), [1, 1], [1, 1], [1, 1], [1, 1]),
           (1, 16, 9, 9), numbers(1, 18, 9, 9, scale=0.7))


PRODUCTS = {  # shapes, whether each is transposed
    "odd": ((33, 47), (47, 65)), "64": ((64, 64), (64, 64), True), "batch": ((4, 8, 33, 16), (4, 8, 16, 21)),
    "batch-transposed": ((5, 64, 32), (5, 48, 32), False, True),
    "one-batch": ((3, 17, 32), (1, 32, 24)), "vector": ((1, 128), (128, 77)), "both-transposed": ((3, 40, 24), (3, 31, 40), True, True),
    "128": ((128, 96), (96, 128)), "thin": ((257, 3), (3, 5)),
    "ranks": ((2, 3, 8, 16), (16, 24)), "six": ((2, 2, 1, 2, 9, 16), (2, 2, 1, 2, 16, 7)),
}


def products():
    for name, (a, b, *turns) in PRODUCTS.items():
        yield f"matmul-{name}", lambda x, y, turns=turns: op.matmul(x, y, *(turns + [False] * (2 - len(turns)))), a, 0.2 * numbers(*b)
    for rows, width, out in itertools.product((1, 2, 7, 64), (128, 512), (77, 256)):
        yield f"linear-{rows}x{width}x{out}", lambda x, out=out: linear(x, out), (rows, width)
    for rows, (width, out) in itertools.product((1, 2, 7, 64), ((128, 77), (256, 192))):
        yield f"int8-linear-{rows}x{width}x{out}", lambda x, out=out: linear(fixed(x), out, bytes_), (rows, width)
    for type_, group, rows in itertools.product(("u4", "i4", "u8", "i8"), (32, 64, 128), (1, 2, 7, 64)):
        yield f"packed-{type_}-{group}-{rows}", lambda x, k=packed(type_, group): linear(x, 192, k, bias=False), (rows, 256)
    for rows, width, out in ((1, 512, 512), (3, 1024, 256), (16, 512, 96), (1, 2048, 64), (130, 256, 128)):
        for type_ in ("u4", "i8"):
            yield f"packed-{type_}-{rows}x{width}x{out}", lambda x, out=out, k=packed(type_, 128): linear(x, out, k, bias=False), (1, rows, width)
    for type_ in ("u4", "i4", "u8", "i8"):
        yield f"packed-{type_}-rows", lambda x, k=packed(type_, 256): linear(x, 128, k), (4, 256)
    yield "packed-odd", lambda x: linear(x, 65, packed("u8", 48), bias=False), (5, 48 * 3)
    yield "einsum", lambda a, b: op.einsum([a, b], "bij,bjk->bik"), (2, 9, 16), (2, 16, 7)
    for name, (heads_, rows, keys, size, causal) in {"square": (4, 33, 33, 64, False), "causal": (4, 40, 40, 64, True), "one": (8, 1, 200, 128, False),
                                                     "long": (2, 65, 300, 32, False),
                                                     "odd": (3, 17, 19, 40, False)}.items():
        yield (f"attention-{name}", lambda q, k, v, causal=causal: op.scaled_dot_product_attention(q, k, v, causal=causal), (1, heads_, rows, size),
               (1, heads_, keys, size), (1, heads_, keys, size))
    yield "attention-masked", lambda q, k, v, m: op.scaled_dot_product_attention(q, k, v, m), (2, 4, 20, 64), (2, 4, 33, 64), (2, 4, 33, 64), (1, 1, 20, 33)


def reductions():
    shape = (2, 16, 9, 13)
    for name in "sum mean max min prod l1 l2".split():
        for axes, words in (((2, 3), "plane"), ((1,), "channel"), ((3,), "row"), ((0, 1, 2, 3), "all")):
            yield (f"reduce-{name}-{words}", lambda x, name=name, axes=axes: getattr(op, f"reduce_{name}")(x, const(*axes), len(axes) == 2),
                   0.1 * numbers(*shape) + F(1))
    for name in "and or".split():
        yield f"reduce-logical-{name}", lambda x, name=name: getattr(op, f"reduce_logical_{name}")(x, const(1), False), integers(0, 2, (3, 4, 5, 7), bool)
    yield "reduce-sum-int32", lambda x: op.reduce_sum(x, const(1, 2), False), integers(-9, 9, (3, 40, 5))
    yield "reduce-max-3d", lambda x: op.reduce_max(x, const(2, 3, 4), True), (2, 16, 3, 5, 6)
    for axis in (1, 2, 3):
        yield f"softmax-{axis}", lambda x, axis=axis: op.softmax(x, axis), (2, 16, 19, 33)
    yield "softmax-long", lambda x: op.softmax(x, 1), (4, 5000)
    yield "log_softmax", lambda x: op.log_softmax(x, 1), (4, 500)
    for name, axes, shape in (("plane", (2, 3), (2, 16, 9, 13)), ("all", (1, 2, 3), (2, 16, 9, 13)), ("row", (2,), (2, 33, 768)),
                              ("odd-row", (2,), (1, 5, 77)), ("3d", (2, 3, 4), (1, 16, 4, 5, 6))):
        yield f"mvn-{name}", lambda x, axes=axes: op.mvn(x, const(*axes), True, 1e-5, "INSIDE_SQRT"), shape
    yield "layer_norm", layer_norm, (2, 7, 200)
    yield "rms_norm", rms_norm, (2, 7, 512)
    yield "group_norm", lambda x: op.group_normalization(x, op.constant(numbers(16)), op.constant(numbers(16)), 4, 1e-5), (2, 16, 9, 9)
    yield "batch_norm", batch_norm, (2, 19, 9, 9)
    yield "lrn", lambda x: op.lrn(x, const(1), 1e-4, 0.75, 1.0, 5), (2, 16, 5, 5)
    yield "lrn-plane", lambda x: op.lrn(x, const(2, 3), 1e-4, 0.75, 1.0, 3), (2, 16, 8, 8)  # its kernel rounds the range up to 128 and writes all of it
    yield "normalize_l2", lambda x: op.normalize_l2(x, const(1), 1e-5, "add"), (2, 16, 5, 5)
    yield "cum_sum", lambda x: op.cum_sum(x, scalar(1, numpy.int64)), (3, 50, 4)
    yield "cum_sum-reverse", lambda x: op.cum_sum(x, scalar(2, numpy.int64), True, True), (3, 5, 44)
    for name, call in {"max": lambda x: max_pool(x, 3, 2, 1), "max-2x2": lambda x: max_pool(x, 2, 2), "avg": lambda x: avg_pool(x, 2, 2),
                       "avg-pads": lambda x: avg_pool(x, 3, 1, 1),
                       "avg-with-pads": lambda x: avg_pool(x, 3, 2, 1, False), "whole": lambda x: avg_pool(x, 16, 1)}.items():
        for shape in ((1, 16, 16, 16), (2, 7, 16, 16), (16, 32, 16, 16)):
            yield f"pool-{name}-{shape[0]}x{shape[1]}", call, shape
    yield "pool-3d", lambda x: max_pool(x, 2, 2), (2, 8, 6, 8, 8)
    yield "pool-indices", lambda x: list(op.max_pool(x, [2, 2], [1, 1], [0, 0], [0, 0], [2, 2]).outputs()), order(1, 4, 8, 8)
    yield "adaptive-avg", lambda x: op.adaptive_avg_pool(x, const(3, 4)), (2, 5, 10, 11)
    yield "adaptive-max", lambda x: op.adaptive_max_pool(x, const(3, 4), "i32").output(0), (2, 5, 10, 11)


def movements():
    for axes in ((0, 2, 3, 1), (3, 1, 0, 2), (0, 3, 1, 2), (1, 0, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2), (1, 0), (2, 0, 1), (0, 4, 1, 2, 3), (4, 3, 0, 2, 1),
                 (0, 5, 1, 3, 2, 4)):
        yield f"transpose-{''.join(map(str, axes))}", lambda x, axes=axes: op.transpose(x, const(*axes)), (2, 17, 9, 16, 3, 2)[:len(axes)]
    yield from ((f"transpose-{name}", *test) for name, test in each_type(lambda x: op.transpose(x, const(0, 2, 3, 1)),
                                                                         (numpy.int32, numpy.int64, numpy.uint8, numpy.float16), (2, 17, 9, 5)).items())
    yield "reshape", lambda x: op.relu(op.reshape(x, const(0, -1), True)), (2, 17, 9, 16)
    yield "squeeze", lambda x: op.unsqueeze(op.relu(op.squeeze(x, const(1))), const(0)), (3, 1, 4, 5)
    for axis in range(4):
        yield f"concat-{axis}", lambda x, y, axis=axis: op.concat([op.relu(x), y, x], axis), (2, 16, 8, 8), (2, 16, 8, 8)
    yield "concat-odd", lambda x, y: op.concat([op.relu(x), y], 1), (1, 16, 8, 8), (1, 19, 8, 8)
    yield "concat-convs", lambda x: op.relu(op.concat([conv(x, 16, 1), conv(x, 13, 3), max_pool(x, 3, 1, 1)], 1)), (1, 16, 8, 8)
    yield "split", lambda x: [op.relu(part) for part in op.split(x, scalar(1, numpy.int64), 3).outputs()], (1, 24, 8, 8)
    yield "variadic_split", lambda x: [op.relu(part) for part in op.variadic_split(x, scalar(1, numpy.int64), const(5, 16, 3)).outputs()], (1, 24, 8, 8)
    yield "slice", lambda x: op.slice(x, const(0, 1, 2, 1), const(2, 10, 8, 7), const(1, 2, 1, 3)), (2, 16, 9, 9)
    yield "slice-backwards", lambda x: op.slice(x, const(-1, 7), const(-10, 0), const(-2, -3), const(1, 2)), (2, 16, 9, 9)
    yield ("strided_slice", lambda x: op.strided_slice(x, const(0, 2, 0, 1), const(0, 14, 0, -1), const(1, 3, 1, 2), [1, 0, 1, 0], [1, 0, 1, 0]),
           (2, 16, 9, 9))
    yield ("strided_slice-axes", lambda x: op.strided_slice(x, const(0, 1, 3), const(0, 2, 8), const(1, 1, 2), [1, 0, 0], [1, 0, 0], [0, 0, 0], [0, 1, 0]),
           (2, 16, 9, 9))
    yield "crop", lambda x: op.relu(op.strided_slice(op.relu(x), const(0, 3, 2, 1), const(1, 13, 8, 8), const(1, 1, 1, 1), [0] * 4, [0] * 4)), (1, 16, 9, 9)
    for mode in ("constant", "edge", "reflect", "symmetric"):
        yield (f"pad-{mode}", lambda x, mode=mode: op.pad(x, const(0, 0, 1, 2), const(0, 0, 2, 1), mode, *([scalar(0.5)] if mode == "constant" else [])),
               (1, 3, 9, 9))
    yield "pad-negative", lambda x: op.pad(x, const(0, -1, 1, -2), const(0, 0, -2, 1), "constant"), (1, 3, 9, 9)
    yield "tile", lambda x: op.tile(x, const(2, 1, 3)), (3, 4, 5)
    yield "broadcast", lambda x: op.broadcast(x, const(2, 3, 4, 5)), (3, 1, 5)
    for axis, indices in ((0, (1, 0, 1)), (1, (3, 1, -1, 0)), (2, (6, 6, 2)), (-1, (0, 5))):
        yield f"gather-{axis}", lambda x, axis=axis, indices=indices: op.gather(x, const(*indices), scalar(axis, numpy.int64)), (2, 5, 7)
    yield "gather-scalar", lambda x: op.gather(x, scalar(2, numpy.int64), scalar(1, numpy.int64)), (2, 5, 7)
    yield "gather-batch", lambda x, i: op.gather(x, i, scalar(1, numpy.int64), 1), (3, 5, 7), integers(0, 5, (3, 4))
    yield "gather-int64", lambda x, i: op.gather(x, i, scalar(0, numpy.int64)), integers(-9, 9, (11, 3), numpy.int64), integers(0, 11, (3, 4), numpy.int64)
    yield "embedding", lambda i: op.gather(op.constant(numbers(50, 24)), i, scalar(0, numpy.int64)), integers(0, 50, (2, 9), numpy.int64)
    for type_ in ("u4", "u8", "i8"):
        yield f"embedding-{type_}", lambda i, k=packed(type_, 32): op.gather(k(50, 64), i, scalar(0, numpy.int64)), integers(0, 50, (2, 9), numpy.int64)
    yield "gather_nd", lambda x: op.gather_nd(x, const(numpy.array([[0, 1], [1, 2]]))), (2, 5, 7)
    yield "gather_nd-batch", lambda x, i: op.gather_nd(x, i, 1), (3, 5, 7), integers(0, 5, (3, 4, 1))
    for axis in range(3):
        yield f"gather_elements-{axis}", lambda x, i, axis=axis: op.gather_elements(x, i, axis), (5, 5, 5), integers(0, 5, (5, 5, 5))
    yield ("gather_tree", lambda s, p: op.gather_tree(s, p, op.constant(numpy.full(2, 6, F)), scalar(9)), integers(0, 9, (6, 2, 4)).astype(F),
           integers(0, 4, (6, 2, 4)).astype(F))
    for axis in range(3):
        yield (f"scatter_update-{axis}", lambda x, u, axis=axis: op.scatter_update(x, const(1, 3), u, scalar(axis, numpy.int64)), (5, 5, 5),
               tuple(2 if i == axis else 5 for i in range(3)))
    yield "scatter_nd_update", lambda x, u: op.scatter_nd_update(x, const(numpy.array([[1], [3]])), u), (5, 7), (2, 7)
    for way in ("sum", "sub", "prod", "min", "max"):
        yield f"scatter_nd_update-{way}", lambda x, u, way=way: op.scatter_nd_update(x, const(numpy.array([[1, 2], [3, 0], [4, 4]])), u, way), (5, 7), (3,)
    yield ("scatter_elements_update", lambda x, u: op.scatter_elements_update(x, const(numpy.array([[0, 1, 2], [3, 3, 1]])), u, scalar(0, numpy.int64)),
           (5, 7), numbers(2, 3))
    for way in ("sum", "prod", "min", "max", "mean"):
        yield (f"scatter_elements_update-{way}", lambda x, u, way=way: op.scatter_elements_update(x, const(numpy.array([[0, 1, 1], [3, 3, 1]])), u,
                                                                                                  scalar(1, numpy.int64), way, True), (5, 7), (2, 3))
    yield "slice_scatter", lambda x, u: op.slice_scatter(x, u, const(1), const(7), const(2), const(1)), (3, 9, 5), (3, 3, 5)
    for mode, shape in itertools.product(("nearest", "linear", "linear_onnx", "cubic"), ((18, 25), (5, 6))):
        yield (f"interpolate-{mode}-{shape[0]}", lambda x, m=mode, s=shape: op.interpolate(x, const(*s), m, "sizes", [0, 0], [0, 0], axes=const(2, 3)),
               (1, 4, 9, 10))
    for ways in ("align_corners", "asymmetric", "pytorch_half_pixel"):
        yield (f"interpolate-{ways}", lambda x, ways=ways: op.interpolate(x, const(2.0, 1.5, dtype=F), "linear_onnx", "scales", [0, 0], [0, 0], ways,
                                                                          axes=const(2, 3)), (1, 16, 9, 10))
    yield "grid_sample", lambda x, g: op.grid_sample(x, g, {}), (1, 3, 9, 8), numpy.tanh(numbers(1, 7, 6, 2))
    yield "depth_to_space", lambda x: op.depth_to_space(x, "blocks_first", 2), (2, 16, 5, 5)
    yield "space_to_depth", lambda x: op.space_to_depth(x, "depth_first", 2), (2, 4, 6, 6)
    yield "batch_to_space", lambda x: op.batch_to_space(x, const(1, 1, 2, 2), const(0, 0, 1, 0), const(0, 0, 0, 1)), (8, 5, 3, 4)
    yield "space_to_batch", lambda x: op.space_to_batch(x, const(1, 1, 2, 2), const(0, 0, 1, 0), const(0, 0, 0, 1)), (2, 5, 3, 3)
    yield "shuffle_channels", lambda x: op.shuffle_channels(x, 1, 4), (2, 16, 6, 6)
    yield "reverse_sequence", lambda x: op.reverse_sequence(x, const(3, 5), 0, 1), (2, 6, 4)
    yield "roll", lambda x: op.roll(x, const(2, -1), const(1, 2)), (2, 6, 4)
    yield "extract_image_patches", lambda x: op.extract_image_patches(x, [3, 3], [2, 2], [1, 1], "valid"), (1, 4, 9, 9)
    yield "col2im", lambda x: op.col2im(x, const(6, 6), const(2, 2), [2, 2]), (1, 12, 9)
    yield "one_hot", lambda x: op.one_hot(x, scalar(7, numpy.int64), scalar(1), scalar(0), -1), integers(0, 7, (3, 4))
    yield "eye", lambda x: op.add(x, op.eye(scalar(5, numpy.int32), scalar(7, numpy.int32), scalar(1, numpy.int32), "f32")), (5, 7)
    yield "dft", lambda x: op.dft(x, const(1, 2)), (2, 8, 10, 2)
    yield "idft", lambda x: op.idft(x, const(1)), (2, 9, 4, 2)
    yield "rdft", lambda x: op.rdft(x, const(2)), (2, 3, 20)
    yield "irdft", lambda x: op.irdft(x, const(2)), (2, 3, 11, 2)


def searches():
    for mode, axis, count in itertools.product(("max", "min"), (0, 1, 2), (1, 5)):
        yield (f"topk-{mode}-{axis}-{count}", lambda x, m=mode, a=axis, c=count: list(op.topk(x, scalar(c, numpy.int64), a, m, "value").outputs()),
               order(6, 7, 8))
    yield "topk-long", lambda x: list(op.topk(x, scalar(100, numpy.int64), 1, "max", "value").outputs()), order(2, 1500)
    yield "topk-sorted-by-index", lambda x: list(op.topk(x, scalar(20, numpy.int64), 1, "max", "index").outputs()), order(3, 300)
    yield "bucketize", lambda x: op.bucketize(x, const(numpy.linspace(-1, 1, 9).astype(F))), (4, 33)
    yield "search_sorted", lambda x: op.search_sorted(const(numpy.linspace(-1, 1, 9).astype(F)), x), (4, 33)
    yield ("nms", lambda b, s: op.non_max_suppression(b, s, scalar(5, numpy.int64), scalar(0.5), scalar(0.1)).output(0), boxes(20),
           order(1, 2, 20) / F(40) + F(0.5))
    yield ("matrix_nms", lambda b, s: list(op.matrix_nms(b, s, nms_top_k=9, keep_top_k=7, score_threshold=0.1).outputs()), boxes(20),
           order(1, 2, 20) / F(40) + F(0.5))
    yield ("multiclass_nms", lambda b, s: list(op.multiclass_nms(b, s, nms_top_k=9, keep_top_k=7, iou_threshold=0.5, score_threshold=0.1).outputs()),
           boxes(20), order(1, 2, 20) / F(40) + F(0.5))
    yield "roi_pooling", lambda x, r: op.roi_pooling(x, r, [3, 3], 1.0, "max"), (1, 4, 10, 10), numpy.array([[0, 0, 0, 5, 5], [0, 2, 2, 8, 8]], F)
    yield "psroi_pooling", lambda x, r: op.psroi_pooling(x, r, 2, 2, 1.0, 1, 1, "average"), (1, 8, 10, 10), regions(5, 9)
    for mode in ("avg", "max"):
        yield f"roi_align-{mode}", lambda x, r, mode=mode: op.roi_align(x, r, const(0, 0, 0, 0, 0), 3, 3, 2, 1.0, mode), (1, 4, 10, 10), boxes(5, 9)[0]
    yield "non_zero", lambda x: op.non_zero(x), integers(0, 2, (5, 7))
    # Not unique: its kernel clears as many counts as there are inputs, in an output that has one for each that differs.
    yield "region_yolo", lambda x: op.region_yolo(x, 4, 3, 2, True, [], 1, 3, [10.0, 14.0, 23.0, 27.0]), (1, 16, 5, 5)
    yield "reorg_yolo", lambda x: op.reorg_yolo(x, [2]), (1, 8, 6, 6)
    yield "detection_output", detections, numbers(1, 12 * 4, scale=0.2), numpy.abs(order(1, 12 * 3)) / F(20), priors(12)
    yield "ctc_greedy_decoder", lambda x, m: op.ctc_greedy_decoder(x, m, True), order(9, 2, 6), numpy.ones((9, 2), F)
    yield "embedding_bag", lambda i: op.embedding_bag_packed_sum(op.constant(numbers(9, 4)), i), integers(0, 9, (3, 5), numpy.int64)
    yield "embedding_segments", lambda x: op.embedding_segments_sum(x, const(0, 2, 3, 4), const(0, 0, 2, 2), scalar(3, numpy.int64)), (5, 6)
    yield "random_uniform", lambda x: op.add(x, op.random_uniform(const(4, 5), scalar(0), scalar(1), "f32", 3, 7)), (4, 5)


def priors(count):
    return numpy.stack([boxes(count).reshape(1, -1), numpy.full((1, count * 4), 0.1, F)], 1)


def detections(places, scores, priors_):
    attributes = {"background_label_id": 0, "top_k": 10, "keep_top_k": [6], "nms_threshold": 0.45, "confidence_threshold": 0.1, "share_location": True,
                  "normalized": True,
                  "code_type": "caffe.PriorBoxParameter.CENTER_SIZE", "variance_encoded_in_target": False}
    return op.detection_output(places, scores, priors_, attributes)


def gates(gate_count, width, size):
    shapes = ((gate_count * size, width), (gate_count * size, size), (gate_count * size,))
    return [op.constant(numbers(*shape, scale=0.2)) for shape in shapes]


def lstm_cells(x, h, c, steps=4, size=24):
    w, r, b = gates(4, 16, size)
    for step in range(steps):
        h, c = op.lstm_cell(op.gather(x, scalar(step, numpy.int64), scalar(1, numpy.int64)), h, c, w, r, b, size).outputs()
    return [h, c]


def gru_cells(x, h, steps=4, size=24):
    w, r, b = gates(3, 16, size)
    for step in range(steps):
        h = op.gru_cell(op.gather(x, scalar(step, numpy.int64), scalar(1, numpy.int64)), h, w, r, b, size)
    return h


def gru(x, h, direction="forward", steps=5, size=24):
    count = 2 if direction == "bidirectional" else 1
    w, r, b = (op.constant(numbers(count, *shape, scale=0.2)) for shape in ((3 * size, 16), (3 * size, size), (3 * size,)))
    return op.gru_sequence(x, h, const(steps, steps), w, r, b, size, direction).output(0)


def lstm(x, h, c, steps=5, size=24):
    w, r, b = (op.constant(numbers(1, *shape, scale=0.2)) for shape in ((4 * size, 16), (4 * size, size), (4 * size,)))
    return op.lstm_sequence(x, h, c, const(steps, steps), w, r, b, size, "forward").output(0)


def networks():
    yield "lstm", lstm, (2, 5, 16), (2, 1, 24), (2, 1, 24)
    yield "lstm-cells", lstm_cells, (2, 4, 16), (2, 24), (2, 24)
    yield "gru", gru, (2, 5, 16), (2, 1, 24)
    yield "gru-bidirectional", lambda x, h: gru(x, h, "bidirectional"), (2, 5, 16), (2, 2, 24)
    yield "gru-cells", gru_cells, (2, 4, 16), (2, 24)
    for batch in (1, 3, 16):
        yield f"resnet-{batch}", resnet, (batch, 3, 64, 64)
        yield f"mobilenet-{batch}", mobilenet, (batch, 3, 32, 32)
    yield "resnet-block", lambda x: resnet_block(x, 32), (1, 32, 14, 14)
    yield "resnet-block-odd", lambda x: resnet_block(x, 35, 2), (2, 19, 13, 11)
    yield "unet", unet, (1, 3, 32, 40)
    yield "bert", bert_layer, (2, 19, 64)
    yield "mlp", lambda x: linear(op.gelu(linear(x, 256), "tanh"), 64), (7, 64)
    yield "rope", lambda x, p: turned(x, p), (1, 4, 9, 32), numpy.arange(5, 14, dtype=numpy.int64).reshape(1, -1)
    yield "int8-resnet", lambda x: resnet(x, True), (1, 3, 64, 64)
    yield "int8-resnet-batch-16", lambda x: resnet(x, True), (16, 3, 32, 32)
    yield "int8-mobilenet", lambda x: mobilenet(x, True), (1, 3, 32, 32)
    yield "int8-unet", lambda x: unet(x, True), (1, 3, 32, 40)
    yield "int8-bert", lambda x: bert_layer(x, bytes_), (2, 19, 64)
    yield "packed-bert", lambda x: bert_layer(x, packed("u4", 32)), (2, 19, 64)
    yield ("picture-of-bytes", lambda x: op.relu(conv(op.divide(op.convert(op.transpose(x, const(0, 3, 1, 2)), F), scalar(255)), 16, 3, 2)),
           integers(0, 256, (1, 32, 32, 3), numpy.uint8))


# ---- tests of more than one inference: name -> function of a plugin, that returns arrays ----


class Plugin:
    def __init__(self, device, precision):
        self.device, self.precision = device, precision

    def compile(self, results, parameters, *more):
        return self.compile_model(openvino.Model(results if isinstance(results, list) else [results], parameters, "model"), *more)

    def compile_model(self, model, more=()):
        # By default the plugins round what is multiplied with packed weights to bytes, where that is faster.
        return core.compile_model(model, self.device, {"INFERENCE_PRECISION_HINT": self.precision, "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0, **dict(more)})


def results_of(compiled, inputs):
    return [numpy.array(value) for value in compiled(inputs).values()]


def dynamic(call, *parameters_and_shapes):
    """One compiled model, several shapes."""
    def scenario(plugin):
        *types, shapes = parameters_and_shapes
        parameters = [op.parameter(shape, F) for shape in types]
        compiled = plugin.compile(call(*parameters), parameters)
        return [value for inputs in shapes for value in results_of(compiled, [numbers(*shape) for shape in inputs])]
    return scenario


def steps(kernel):
    """A decoder with states: several tokens at once, then one by one; anew after a reset."""
    def scenario(plugin):
        request, values, begin = plugin.compile_model(decoder(kernel)).create_infer_request(), [], 0
        for count in (5, 1, 1, 3, 1, None, 2, 1):
            if count is None:
                request.reset_state()
                begin = 0
                continue
            places = numpy.arange(begin, begin + count, dtype=numpy.int64).reshape(1, -1)
            values.append(numpy.array(request.infer([numbers(1, count, 64), places])[0]))
            begin += count
        return values
    return scenario


def small_net(plugin, *more):
    x = op.parameter([1, 8, 12, 12], F)
    y = op.relu(conv(op.relu(conv(x, 16, 3)), 8, 1))
    x.output(0).set_names({"x"})
    y.output(0).set_names({"y"})
    return plugin.compile(y, [x], *more)


def many_requests(plugin):
    compiled = small_net(plugin, {"PERFORMANCE_HINT": "THROUGHPUT"})
    queue, values = openvino.AsyncInferQueue(compiled, 4), {}
    queue.set_callback(lambda request, place: values.update({place: numpy.array(request.get_output_tensor().data)}))
    for place in range(24):
        queue.start_async([numbers(1, 8, 12, 12)], place)
    queue.wait_all()
    return [values[place] for place in range(24)]


def many_threads(plugin):
    compiled, inputs = small_net(plugin), [numbers(1, 8, 12, 12) for _ in range(16)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda value: numpy.array(compiled.create_infer_request().infer([value])[0]), inputs))


def many_compilers(plugin):
    """Models that are compiled at once."""
    def made(seed):
        x, kernel = op.parameter([1, 8, 9 + seed, 9], F), numpy.random.default_rng(seed).standard_normal((16, 8, 3, 3)).astype(F) / 9
        return plugin.compile(op.convolution(x, op.constant(kernel), [1, 1], [1, 1], [1, 1], [1, 1]), [x])
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return [results_of(compiled, [numbers(1, 8, 9 + seed, 9)])[0] for seed, compiled in enumerate(pool.map(made, range(6)))]


def cached(plugin):
    """From the model's binaries, the second time."""
    state = random.bit_generator.state
    with tempfile.TemporaryDirectory() as folder:
        values = []
        for _ in range(2):
            random.bit_generator.state = state
            values += results_of(small_net(plugin, {"CACHE_DIR": folder}), [numbers(1, 8, 12, 12)])
    return values


def imported(plugin):
    blob = small_net(plugin).export_model()
    return results_of(core.import_model(blob, plugin.device, {"INFERENCE_PRECISION_HINT": plugin.precision}), [numbers(1, 8, 12, 12)])


def host_memory(plugin):
    """Inputs and outputs in memory that the plugin allocates for both sides."""
    compiled, value = small_net(plugin), numbers(1, 8, 12, 12)
    if plugin.device == "CPU":
        return results_of(compiled, [value])
    context, request = core.get_default_context(plugin.device), compiled.create_infer_request()
    source, target = (context.create_host_tensor(openvino.Type.f32, openvino.Shape([1, 8, 12, 12])) for _ in range(2))
    source.data[:] = value
    request.set_tensor("x", source)
    request.set_tensor("y", target)
    request.infer()
    return [numpy.array(target.data)]


def loop(plugin):
    """A body that is repeated."""
    x = op.parameter([1, 6, 16], F)
    step, state = op.parameter([1, 1, 16], F), op.parameter([1, 1, 16], F)
    out = op.tanh(op.add(linear(step, 16), linear(state, 16)))
    body = openvino.Model([out], [step, state], "body")
    iterator = op.tensor_iterator()
    iterator.set_body(body)
    iterator.set_sliced_input(step, x.output(0), 0, 1, 1, -1, 1)
    iterator.set_merged_input(state, op.constant(numpy.zeros((1, 1, 16), F)).output(0), out.output(0))
    return results_of(plugin.compile([iterator.get_iter_value(out.output(0), -1), iterator.get_concatenated_slices(out.output(0), 0, 1, 1, -1, 1)], [x]),
                      [numbers(1, 6, 16)])


SCENARIOS = {
    "dynamic-softmax": dynamic(lambda x: op.softmax(op.matmul(x, op.constant(numbers(32, 48, scale=0.2)), False, False), -1), [-1, -1, 32],
                               [[(3, 11, 32)], [(1, 1, 32)], [(2, 40, 32)], [(3, 11, 32)]]),
    "dynamic-conv": dynamic(lambda x: op.relu(conv(op.relu(conv(x, 16, 3)), 24, 3, 2)), [-1, 3, -1, -1],
                            [[(1, 3, 17, 20)], [(2, 3, 32, 32)], [(1, 3, 9, 8)], [(16, 3, 9, 8)]]),
    "dynamic-resnet": dynamic(lambda x: resnet_block(x, 24, 2), [-1, 16, -1, -1], [[(1, 16, 14, 14)], [(3, 16, 9, 7)], [(16, 16, 8, 8)]]),
    "dynamic-matmul": dynamic(lambda x, y: op.matmul(x, y, False, True), [-1, -1, 24], [-1, -1, 24],
                              [[(2, 5, 24), (2, 9, 24)], [(1, 33, 24), (1, 64, 24)], [(4, 1, 24), (4, 7, 24)]]),
    "dynamic-bert": dynamic(bert_layer, [-1, -1, 64], [[(1, 9, 64)], [(2, 33, 64)], [(1, 1, 64)]]),
    "dynamic-packed": dynamic(lambda x: linear(x, 128, packed("u4", 64)), [-1, -1, 256],
                              [[(1, 1, 256)], [(1, 7, 256)], [(1, 70, 256)], [(1, 2, 256)], [(2, 16, 256)]]),
    "dynamic-int8": dynamic(lambda x: linear(fixed(x), 128, bytes_), [-1, 256], [[(1, 256)], [(7, 256)], [(70, 256)]]),
    "dynamic-reductions": dynamic(lambda x: op.concat([op.reduce_mean(x, const(2), True), op.reduce_max(x, const(2), True),
                                                       op.slice(x, const(-2), const(1000), const(1), const(2))], 2),
                                  [-1, 4, -1], [[(2, 4, 9)], [(1, 4, 100)], [(5, 4, 3)]]),
    "decoder": steps(weights),
    "decoder-packed-u4": steps(packed("u4", 32)),
    "decoder-packed-i8": steps(packed("i8", 64)),
    "many-requests": many_requests,
    "many-threads": many_threads,
    "many-compilers": many_compilers,
    "cached": cached,
    "imported": imported,
    "host-memory": host_memory,
    "loop": loop,
}


def once(call, inputs):
    def scenario(plugin):
        values = [numbers(*value) if isinstance(value, tuple) else value for value in inputs]
        parameters = [op.parameter(list(value.shape), value.dtype.type) for value in values]
        return results_of(plugin.compile(call(*parameters), parameters), values)
    return scenario


def scenarios():
    for group in (elementwise, convolutions, products, reductions, movements, searches, networks):
        for name, call, *inputs in group():
            yield f"{group.__name__}/{name}", once(call, inputs)
    for name, scenario in SCENARIOS.items():
        yield f"scenarios/{name}", scenario


# ---- comparison ----


def difference(mine, other, allowed):
    """None: the same; else words about it. `allowed` is a part of the largest number."""
    if mine.shape != other.shape or mine.dtype != other.dtype:
        return f"{mine.dtype}{mine.shape}, not {other.dtype}{other.shape}"
    mine, other = mine.astype(numpy.float64), other.astype(numpy.float64)
    if not numpy.array_equal(numpy.isfinite(mine), numpy.isfinite(other)):
        return "other numbers are not finite"
    finite = numpy.isfinite(other)
    if not finite.any():
        return None
    off, largest = numpy.abs(mine[finite] - other[finite]), numpy.abs(other[finite]).max()
    return f"{off.max():.3g} off of {largest:.3g}" if off.max() > allowed * max(largest, 1e-9) else None


def allowed(name, precision):
    """Rounded to bytes, one number in between may become its neighbour."""
    return (2e-4 if precision == "f32" else 2e-2) + (0.05 if "int8" in name else 0)


def run(scenario, plugin):
    """With numbers of its own, so that both plugins get the same, whichever tests ran before."""
    global random
    before, random = random, numpy.random.default_rng(2)
    try:
        return scenario(plugin)
    finally:
        random = before


def compare(scenario, precision, other, most):
    differs = [difference(a, b, most) for a, b in zip(run(scenario, Plugin("GPU", precision)), other, strict=True)]
    return next(filter(None, differs), None)


def tests(wanted):
    yield "device", lambda: None if "GPU" in core.available_devices else "there is none"
    for name, scenario in scenarios():
        names = [(f"{name}-{precision}", precision) for precision in ("f32", "f16")]
        names = [pair for pair in names if any(fnmatch.fnmatchcase(pair[0], pattern) for pattern in wanted)]
        other = run(scenario, Plugin("CPU", "f32")) if names else None
        for test, precision in names:
            yield test, lambda: compare(scenario, precision, other, allowed(name, precision))


def main():
    run_tests(tests(sys.argv[1:] or ["*"]))


if __name__ == "__main__":
    main()
