# SPDX-License-Identifier: Apache-2.0
"""Calls of one Python package that uses OpenCL, against NumPy, SciPy or the package's own way without OpenCL. run_clients.py runs this in a process.

pypi_calls.py PACKAGE: prints `start`, `pass` or `fail`, a tab and the test's name, for each test."""
import importlib.metadata
import sys

import numpy

from calls import run_tests


def random(*shape, seed=1):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(numpy.float32)


def near(mine, other, allowed=1e-5):
    """The largest difference, as a part of the largest value, is not above what is allowed."""
    mine, other = numpy.asarray(mine, numpy.complex128), numpy.asarray(other, numpy.complex128)
    return mine.shape == other.shape and bool(numpy.abs(mine - other).max() <= allowed * numpy.abs(other).max())


# ---- learning ----


def tinygrad():
    from tinygrad import Tensor  # DEV=CL
    a, b, picture, weights = random(65, 37), random(37, 81, seed=2), random(2, 3, 17, 19, seed=3), random(4, 3, 3, 3, seed=4)

    def convolution():
        windows = numpy.lib.stride_tricks.sliding_window_view(picture, (3, 3), (2, 3))
        return numpy.einsum("ncyxij,ocij->noyx", windows.astype(float), weights)

    yield "matmul", lambda: near((Tensor(a) @ Tensor(b)).numpy(), a.astype(float) @ b)
    yield "softmax", lambda: near(Tensor(a).softmax().numpy(), numpy.exp(a) / numpy.exp(a).sum(1, keepdims=True))
    yield "conv2d", lambda: near(Tensor(picture).conv2d(Tensor(weights)).numpy(), convolution())
    yield "cumsum", lambda: near(Tensor(a).cumsum(1).numpy(), a.astype(float).cumsum(1))
    yield "sort", lambda: near(Tensor(a).sort(1)[0].numpy(), numpy.sort(a, 1), 0)
    yield "argmax", lambda: near(Tensor(a).argmax(1).numpy(), a.argmax(1), 0)
    yield "half", lambda: near((Tensor(a).half() @ Tensor(b).half()).float().numpy(), a.astype(float) @ b, 1e-2)


# ---- kernels that are generated ----


def loopy():
    import loopy as lp
    import pyopencl as cl
    import pyopencl.array
    queue = cl.CommandQueue(cl.create_some_context(interactive=False))

    def run(kernel, **arguments):
        return kernel(queue, **arguments)[1][0].get()

    a, b = random(128, 96), random(96, 64, seed=2)
    product = lp.make_kernel("{[i,j,k]: 0<=i<128 and 0<=j<64 and 0<=k<96}", "c[i,j] = sum(k, a[i,k]*b[k,j])", lang_version=(2018, 2))
    product = lp.add_and_infer_dtypes(product, {"a": numpy.float32, "b": numpy.float32})
    tiled = lp.split_iname(lp.split_iname(product, "i", 16, outer_tag="g.0", inner_tag="l.1"), "j", 16, outer_tag="g.1", inner_tag="l.0")
    tiled = lp.split_iname(tiled, "k", 16)
    outer = frozenset({"i_outer", "j_outer", "k_outer"})
    tiled = lp.add_prefetch(tiled, "a", ["k_inner", "i_inner"], default_tag="l.auto", fetch_outer_inames=outer)
    tiled = lp.add_prefetch(tiled, "b", ["j_inner", "k_inner"], default_tag="l.auto", fetch_outer_inames=outer)
    yield "product", lambda: near(run(product, a=cl.array.to_device(queue, a), b=cl.array.to_device(queue, b)), a.astype(float) @ b)
    yield "product-tiled", lambda: near(run(tiled, a=cl.array.to_device(queue, a), b=cl.array.to_device(queue, b)), a.astype(float) @ b)
    scan = lp.make_kernel("{[i,j]: 0<=i<100 and 0<=j<=i}", "out[i] = sum(j, a[j])", lang_version=(2018, 2))
    yield "prefix-sum", lambda: near(run(scan, a=cl.array.to_device(queue, a.ravel()[:100].copy())), a.ravel()[:100].astype(float).cumsum())


def halide():
    """Pipelines that Halide compiles to OpenCL C: tiles in local memory, vectors, atomics, several steps."""
    import halide as hl
    target = hl.get_host_target()
    for feature in ("OpenCL", "CLHalf", "CLDoubles"):
        target = target.with_feature(getattr(hl.TargetFeature, feature))
    x, y, xi, yi = (hl.Var(name) for name in ("x", "y", "xi", "yi"))
    picture, bytes_ = numpy.abs(random(128, 96)), (numpy.abs(random(128, 96, seed=2)) * 60).astype(numpy.uint8)
    source, counted = hl.Buffer(picture), hl.Buffer(bytes_)

    def got(pipeline, size):
        result = pipeline.realize(size, target)
        result.copy_to_host()
        return numpy.array(result)

    def blur():
        clamped, rows, both = hl.BoundaryConditions.repeat_edge(source), hl.Func("rows"), hl.Func("both")
        rows[x, y] = (clamped[x - 1, y] + clamped[x, y] + clamped[x + 1, y]) / 3
        both[x, y] = (rows[x, y - 1] + rows[x, y] + rows[x, y + 1]) / 3
        both.gpu_tile(x, y, xi, yi, 16, 16)
        rows.compute_at(both, x).gpu_threads(x, y)
        padded = numpy.pad(picture.astype(float), 1, mode="edge")
        windows = numpy.lib.stride_tricks.sliding_window_view(padded, (3, 3))
        return near(got(both, picture.shape[::-1]), windows.mean((2, 3)))

    def each(expression, vectors):
        pipeline = hl.Func("each")
        pipeline[x, y] = expression(source[x, y])
        pipeline.gpu_tile(x, y, xi, yi, 32, 4)
        if vectors > 1:
            pipeline.vectorize(xi, vectors)
        return got(pipeline, picture.shape[::-1])

    def histogram():
        pipeline, over = hl.Func("histogram"), hl.RDom([hl.Range(0, 96), hl.Range(0, 128)])
        pipeline[x] = hl.cast(hl.UInt(32), 0)
        pipeline[hl.cast(hl.Int(32), counted[over.x, over.y])] += hl.cast(hl.UInt(32), 1)
        pipeline.gpu_tile(x, xi, 64)
        pipeline.update().atomic().gpu_blocks(over.y).gpu_threads(over.x)
        return near(got(pipeline, [256]), numpy.bincount(bytes_.ravel(), minlength=256), 0)

    def prefix_sum():
        pipeline, over = hl.Func("prefix_sum"), hl.RDom([hl.Range(1, 95)])
        pipeline[x, y] = source[x, y]
        pipeline[over, y] = pipeline[over - 1, y] + pipeline[over, y]
        pipeline.compute_root().gpu_tile(x, y, xi, yi, 16, 8)
        pipeline.update().gpu_tile(y, yi, 16)
        return near(got(pipeline, picture.shape[::-1]), picture.astype(float).cumsum(1))

    yield "blur", blur
    yield "sin", lambda: near(each(lambda v: hl.sin(v * 7), 1), numpy.sin(picture.astype(float) * 7))
    yield "pow-float4", lambda: near(each(lambda v: hl.pow(v, 2.5), 4), picture.astype(float) ** 2.5)
    yield "short4", lambda: near(each(lambda v: hl.cast(hl.Int(16), v * 5000 - 9000), 4),
                                 (picture * numpy.float32(5000) - numpy.float32(9000)).astype(numpy.int16), 0)
    yield "half4", lambda: near(each(lambda v: hl.cast(hl.Float(16), v), 4), picture.astype(numpy.float16), 0)
    yield "sqrt-double4", lambda: near(each(lambda v: hl.sqrt(hl.cast(hl.Float(64), v)), 4), numpy.sqrt(picture.astype(float)), 1e-15)
    yield "histogram", histogram
    yield "prefix-sum", prefix_sum


# ---- pictures and physics ----


def pyclesperanto():
    import pyclesperanto as cle
    from scipy import ndimage
    cle.select_device("", "cpu")
    volume = random(13, 31, 29)
    spots = (ndimage.gaussian_filter(volume, 1.5) > 0.1).astype(numpy.float32)

    def get(result):
        return numpy.asarray(cle.pull(result))

    yield "gaussian_blur", lambda: near(get(cle.gaussian_blur(volume, sigma_x=2, sigma_y=2, sigma_z=2)), ndimage.gaussian_filter(volume, 2, mode="nearest"), 1e-2)
    yield "mean_box", lambda: near(get(cle.mean_box(volume, radius_x=1, radius_y=1, radius_z=1)), ndimage.uniform_filter(volume, 3, mode="nearest"))
    yield "median_box", lambda: near(get(cle.median_box(volume, radius_x=1, radius_y=1, radius_z=1))[1:-1, 1:-1, 1:-1],
                                     ndimage.median_filter(volume, 3)[1:-1, 1:-1, 1:-1], 0)
    yield "maximum_box", lambda: near(get(cle.maximum_box(volume, radius_x=1, radius_y=2, radius_z=1)),
                                      ndimage.maximum_filter(volume, (3, 5, 3), mode="nearest"), 0)
    yield "labels", lambda: int(get(cle.connected_component_labeling(spots, connectivity="box")).max()) == ndimage.label(spots, numpy.ones((3, 3, 3)))[1]
    yield "sum_z_projection", lambda: near(get(cle.sum_z_projection(volume)), volume.astype(float).sum(0))
    yield "sum_of_all_pixels", lambda: near(cle.sum_of_all_pixels(volume), volume.astype(float).sum(), 1e-3)
    yield "transpose_xz", lambda: near(get(cle.transpose_xz(volume)), volume.transpose(2, 1, 0), 0)
    yield "power", lambda: near(get(cle.power(numpy.abs(volume), scalar=1.7)), numpy.abs(volume) ** 1.7)


def gputools():
    """Its convolutions and transforms read images with samplers."""
    import gputools as gt
    from scipy import ndimage
    volume, flat = random(22, 33, 44), random(101, 77)
    gt.init_device(use_gpu=False)
    kernel = random(5, 3, seed=2)
    yield "convolve", lambda: near(gt.convolve(flat, kernel), ndimage.convolve(flat, kernel, mode="constant"))
    yield "convolve_sep2", lambda: near(gt.convolve_sep2(flat, numpy.ones(3, numpy.float32), numpy.ones(5, numpy.float32)),
                                        ndimage.convolve(flat, numpy.ones((5, 3)), mode="constant"), 1e-4)
    yield "min_filter", lambda: near(gt.min_filter(flat, 3)[1:-1, 1:-1], ndimage.minimum_filter(flat, 3)[1:-1, 1:-1], 0)
    yield "max_filter", lambda: near(gt.max_filter(volume, 3)[1:-1, 1:-1, 1:-1], ndimage.maximum_filter(volume, 3)[1:-1, 1:-1, 1:-1], 0)
    yield "scale", lambda: gt.scale(volume, (1.5, 2, 0.5)).shape == (33, 66, 22)
    yield "shift", lambda: near(gt.shift(volume, (2, -3, 4), interpolation="nearest")[4:18, 4:28, 6:40], ndimage.shift(volume, (2, -3, 4), order=0)[4:18, 4:28, 6:40])


def openmm():
    """512 atoms of argon: the energy and the forces of the reference platform."""
    import openmm as mm
    system, force = mm.System(), mm.NonbondedForce()
    force.setNonbondedMethod(mm.NonbondedForce.CutoffPeriodic)
    force.setCutoffDistance(1.0)
    system.setDefaultPeriodicBoxVectors((3.2, 0, 0), (0, 3.2, 0), (0, 0, 3.2))
    for _ in range(512):
        system.addParticle(39.9)
        force.addParticle(0, 0.34, 1)
    system.addForce(force)
    grid = numpy.stack(numpy.meshgrid(*[numpy.arange(8) * 0.4] * 3), -1).reshape(-1, 3) + 0.02 * random(512, 3)

    def state(platform, steps):
        simulated = mm.Context(system, mm.VerletIntegrator(0.001), mm.Platform.getPlatformByName(platform))
        simulated.setPositions(grid)
        simulated.getIntegrator().step(steps)
        got = simulated.getState(getEnergy=True, getForces=True)
        return got.getPotentialEnergy()._value, got.getForces(asNumpy=True)._value

    mm.Platform.loadPluginsFromDirectory(mm.Platform.getDefaultPluginsDirectory())
    yield "energy", lambda: near(state("OpenCL", 0)[0], state("Reference", 0)[0])
    yield "forces", lambda: near(state("OpenCL", 0)[1], state("Reference", 0)[1], 1e-4)
    yield "energy-20-steps", lambda: near(state("OpenCL", 20)[0], state("Reference", 20)[0])


def pmcxcl():
    """Photons in a cube: what is absorbed and what leaves is all that was sent, and as much as the theory says."""
    import pmcxcl as mc
    cube = {"nphoton": 20000, "vol": numpy.ones((40, 40, 40), numpy.uint8), "tstart": 0, "tend": 5e-9, "tstep": 5e-9, "srcpos": [20, 20, 0],
            "srcdir": [0, 0, 1], "prop": [[0, 0, 1, 1], [0.05, 1, 0, 1]], "seed": 7, "gpuid": 1, "autopilot": 1, "isreflect": 0, "compileropt": "-cl-std=CL3.0"}

    def simulate():
        stat = mc.run(cube)["stat"]
        return stat["nphoton"] == 20000 and 0.3 < stat["energyabs"] / stat["energytot"] < 0.7

    yield "cube", simulate


# ---- mathematics ----


def entropy_gpu():
    """Programs that Futhark has made: sums in several kernels, single and double."""
    import importlib
    futhark = importlib.import_module("entropy-gpu.information").information()
    for bits, allowed in ((32, 1e-6), (64, 1e-14)):
        for count in (7, 1000, 65537, 1000000):
            p, q = (random(count, seed=seed).astype(f"f{bits // 8}") ** 2 + numpy.float32(0.01) for seed in (1, 2))
            p, q = p / p.sum(), q / q.sum()
            exact, other = p.astype(float), q.astype(float)
            yield f"entropy-{bits}-{count}", lambda p=p, exact=exact, of=getattr(futhark, f"entropy_f{bits}"), allowed=allowed: near(
                of(p), -(exact * numpy.log(exact)).sum(), allowed)
            yield (f"divergence-{bits}-{count}",
                   lambda p=p, q=q, exact=exact, other=other, of=getattr(futhark, f"kullback_liebler_f{bits}"), allowed=allowed: near(
                       of(p, q), (exact * numpy.log(exact / other)).sum(), allowed))


def qcgpu():
    """A register of qubits: sixty random gates, each against the same on arrays."""
    import qcgpu as qc
    gates = {"h": numpy.array([[1, 1], [1, -1]]) / 2 ** 0.5, "x": numpy.array([[0, 1], [1, 0]]), "y": numpy.array([[0, -1j], [1j, 0]]),
             "z": numpy.diag([1, -1]), "s": numpy.diag([1, 1j]), "t": numpy.diag([1, numpy.exp(0.25j * numpy.pi)])}

    def circuit(qubits):
        chosen, index = numpy.random.default_rng(qubits), numpy.arange(1 << qubits)
        state, known = qc.State(qubits), (index == 0).astype(complex)
        for _ in range(60):
            target, control = chosen.integers(qubits), chosen.integers(qubits)
            name = chosen.choice(list(gates))
            if control != target:
                state.cx(int(control), int(target))
                known = known[numpy.where(index >> control & 1, index ^ (1 << target), index)]
            getattr(state, name)(int(target))
            row = gates[name][index >> target & 1]
            known = row[:, 0] * known[index & ~(1 << target)] + row[:, 1] * known[index | (1 << target)]
        return near(state.amplitudes(), known, 2e-6) and near(state.probabilities(), numpy.abs(known) ** 2, 4e-6)

    for qubits in (1, 2, 5, 9, 14):
        yield f"gates-{qubits}", lambda qubits=qubits: circuit(qubits)


def qmctoolscl():
    """Points of lattices and digital nets, 64-bit integers and doubles: each function of the package, whose C the package has as well."""
    import re

    import qmctoolscl as qmc
    numbers = {"r": 3, "n": 64, "d": 4, "r_x": 1, "r_b": 1, "r_C": 1, "mmax": 7, "tmax": 9, "tmax_new": 12, "tmax_alpha": 18, "alpha": 2, "d_alpha": 2,
               "n_start": 64, "b": 3, "bmax": 7, "apply_shift": 1, "d1": 3, "d2": 4, "n_half": 16}
    context = opencl_context()

    def arguments(name, text):
        """What the function's text names: numbers, and arrays with their sizes."""
        made, chosen = [], numpy.random.default_rng(3)
        for noun, kind, about in re.findall(r"^\s+(\w+) \((.*?)\): (.*?)\"*$", text.split("Args:")[1], re.M):
            if "ndarray" not in kind:
                made.append(numpy.uint8(numbers[noun]) if "uint8" in kind else numpy.uint64(numbers[noun]))
                continue
            stated = re.search(r"size ([\w*]+)", about)
            factors = stated.group(1).replace("2n_half", "n_half*2").split("*") if stated else ["r"] if "length r" in about or noun == "lshifts" else ["n_half", "2"]
            if "radix2" in name:
                factors = [word for factor in factors for word in (("n_half", "2") if factor == "n" else (factor,))]
            size = numpy.prod([int(factor) if factor.isdigit() else numbers[factor] for factor in factors])
            if "double" in kind:
                array = chosen.random(size)
            elif noun in ("tmaxes", "lshifts"):
                array = numpy.full(size, numbers["tmax"] if noun == "tmaxes" else 3)
            elif noun == "bases":
                array = chosen.choice([2, 3, 5, 7], size)
            else:
                array = chosen.integers(0, 2 if name.startswith("gdn") else 1 << numbers["tmax"], size)
            made.append(array if "double" in kind else array.astype(numpy.uint64))
        return made

    def same(name, range_):
        function, given = getattr(qmc, name), arguments(name, getattr(qmc, name).__doc__)
        mine, other = ([argument.copy() if isinstance(argument, numpy.ndarray) else argument for argument in given] for _ in range(2))
        function(*mine, backend="cl", context=context, global_size=range_, local_size=(1, 1, 16) if "radix2" in name else None)
        function(*other, backend="c")
        return near(mine[-1], other[-1], 1e-14 if mine[-1].dtype == float else 0)

    for name in sorted(vars(qmc)):
        if re.match(r"(lat|dnb2|gdn)_(?!get|nested)|i?fft_|fwht_", name) and callable(getattr(qmc, name)) and not name.endswith("_c"):
            for range_ in ((3, 4, 4), (64, 64, 64)):
                last = 16 if "radix2" in name else range_[2]
                yield f"{name}-{range_[0]}", lambda name=name, range_=range_, last=last: same(name, (range_[0], range_[1], last))


def opencl_context():
    import pyopencl as cl
    return cl.create_some_context(interactive=False)


def main():
    package = sys.argv[1]
    print(f"{package} {importlib.metadata.version(package)}", flush=True)
    run_tests((name, lambda: None if test() else "not what it should be") for name, test in globals()[package]())


if __name__ == "__main__":
    main()
