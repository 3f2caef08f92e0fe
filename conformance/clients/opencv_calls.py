# SPDX-License-Identifier: Apache-2.0
"""OpenCV's functions on UMat, which run OpenCL kernels, against the same on arrays, which run its C++. run_clients.py runs this in a process whose
OPENCV_OPENCL_DEVICE names the CPU device. Prints `start`, `pass` or `fail`, a tab and the test's name, for each test; then what differs.

opencv_calls.py [TEST...]"""
import itertools
import sys

import cv2
import numpy

from calls import run_tests

WIDTH, HEIGHT = 253, 187


def image(depth, channels, seed=1):
    """Waves with noise, so that neighbours differ and filters have edges to find."""
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH]
    planes = [120 + 80 * numpy.sin(x / (7 + c) + seed) * numpy.cos(y / (11 - c)) + random.integers(0, 40, (HEIGHT, WIDTH)) for c in range(channels)]
    data = numpy.clip(numpy.dstack(planes) if channels > 1 else planes[0], 0, 255)
    return data.astype(numpy.uint8) if depth == "8u" else (data / 255).astype(numpy.float32)


KERNEL = numpy.array([[0, -1, 0.5], [-1, 4, -1], [0, -1, -0.5]], numpy.float32)
CROSS = cv2.getStructuringElement(cv2.MORPH_CROSS, (5, 3))
TURN = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), 25, 0.9)
VIEW = numpy.array([[1, 0.1, 3], [0.02, 0.9, 5], [1e-4, 2e-4, 1]], numpy.float64)
Y, X = numpy.mgrid[0:HEIGHT, 0:WIDTH].astype(numpy.float32)
MAP_X, MAP_Y = X + 5 * numpy.sin(Y / 20), Y + 4 * numpy.cos(X / 15)

# Name -> function of an image of any depth and number of channels.
FILTERS = {
    "blur": lambda m: cv2.blur(m, (5, 3)),
    "boxFilter": lambda m: cv2.boxFilter(m, -1, (7, 7), normalize=True),
    "GaussianBlur": lambda m: cv2.GaussianBlur(m, (7, 7), 1.5),
    "filter2D": lambda m: cv2.filter2D(m, -1, KERNEL),
    "sepFilter2D": lambda m: cv2.sepFilter2D(m, cv2.CV_32F, KERNEL[1], KERNEL[0] + 1),
    "erode": lambda m: cv2.erode(m, CROSS),
    "dilate": lambda m: cv2.dilate(m, CROSS, iterations=2),
    "open": lambda m: cv2.morphologyEx(m, cv2.MORPH_OPEN, CROSS),
    "gradient": lambda m: cv2.morphologyEx(m, cv2.MORPH_GRADIENT, CROSS),
    "Sobel": lambda m: cv2.Sobel(m, cv2.CV_32F, 1, 0, ksize=3),
    "Scharr": lambda m: cv2.Scharr(m, cv2.CV_32F, 0, 1),
    "Laplacian": lambda m: cv2.Laplacian(m, cv2.CV_32F, ksize=3),
    "pyrDown": cv2.pyrDown,
    "pyrUp": cv2.pyrUp,
    "resize-linear": lambda m: cv2.resize(m, (391, 120), interpolation=cv2.INTER_LINEAR),
    "resize-area": lambda m: cv2.resize(m, (100, 77), interpolation=cv2.INTER_AREA),
    "resize-nearest": lambda m: cv2.resize(m, (300, 300), interpolation=cv2.INTER_NEAREST),
    "warpAffine": lambda m: cv2.warpAffine(m, TURN, (WIDTH, HEIGHT)),
    "warpPerspective": lambda m: cv2.warpPerspective(m, VIEW, (WIDTH, HEIGHT)),
    "remap": lambda m: cv2.remap(m, MAP_X, MAP_Y, cv2.INTER_LINEAR),
    "copyMakeBorder": lambda m: cv2.copyMakeBorder(m, 3, 5, 7, 9, cv2.BORDER_REFLECT_101),
    "flip": lambda m: cv2.flip(m, -1),
    "transpose": cv2.transpose,
    "rotate": lambda m: cv2.rotate(m, cv2.ROTATE_90_CLOCKWISE),
    "normalize": lambda m: cv2.normalize(m, None, 0, 1, cv2.NORM_MINMAX, cv2.CV_32F),
    "meanStdDev": lambda m: numpy.hstack([as_array(part) for part in cv2.meanStdDev(m)]),
    "sum": lambda m: numpy.array(cv2.mean(m)),
    "reduce": lambda m: cv2.reduce(m, 0, cv2.REDUCE_AVG, dtype=cv2.CV_32F),
}

# Functions of two images of the same form.
PAIRS = {
    "add": cv2.add,
    "subtract": cv2.subtract,
    "multiply": lambda a, b: cv2.multiply(a, b, scale=0.01),
    "divide": lambda a, b: cv2.divide(a, b, scale=10),
    "absdiff": cv2.absdiff,
    "addWeighted": lambda a, b: cv2.addWeighted(a, 0.7, b, 0.4, 0.1),
    "max": cv2.max,
    "compare": lambda a, b: cv2.compare(a, b, cv2.CMP_GT),
    "norm": lambda a, b: numpy.array([cv2.norm(a, b, cv2.NORM_L2), cv2.norm(a, b, cv2.NORM_INF)]),
}

COLOURS = ("BGR2GRAY", "BGR2RGB", "BGR2HSV", "BGR2HLS", "BGR2Lab", "BGR2Luv", "BGR2YUV", "BGR2YCrCb", "BGR2XYZ", "BGR2BGRA", "BGR2RGBA")
COLOURS_OF_BYTES = ("BGR2YUV_I420", "BGR2YUV_YV12")


def matrix(rows, columns, seed):
    return numpy.random.default_rng(seed).standard_normal((rows, columns)).astype(numpy.float32)


def moved(m):
    return cv2.warpAffine(m, numpy.float32([[1, 0, 2.5], [0, 1, -1.5]]), (WIDTH, HEIGHT))


def points(m):
    return numpy.array([k.pt for k in cv2.FastFeatureDetector_create(20).detect(m)])


# Name -> function, its arguments.
OTHERS = {
    "Canny": (lambda m: cv2.Canny(m, 60, 140), image("8u", 1)),
    "threshold-8u": (lambda m: cv2.threshold(m, 120, 255, cv2.THRESH_BINARY)[1], image("8u", 1)),
    "threshold-32f": (lambda m: cv2.threshold(m, 0.5, 1, cv2.THRESH_TRUNC)[1], image("32f", 3)),
    "medianBlur-3": (lambda m: cv2.medianBlur(m, 3), image("8u", 1)),
    "medianBlur-5": (lambda m: cv2.medianBlur(m, 5), image("8u", 4)),
    "bilateralFilter-1": (lambda m: cv2.bilateralFilter(m, 7, 30, 5), image("8u", 1)),
    "bilateralFilter-3": (lambda m: cv2.bilateralFilter(m, 5, 40, 4), image("8u", 3)),
    "equalizeHist": (cv2.equalizeHist, image("8u", 1)),
    "calcHist": (lambda m: cv2.calcHist([m], [0], None, [256], [0, 256]), image("8u", 1)),
    "calcBackProject": (lambda m: cv2.calcBackProject([m], [0], numpy.arange(64, dtype=numpy.float32).reshape(-1, 1), [0, 256], 1), image("8u", 1)),
    "CLAHE": (lambda m: cv2.createCLAHE(3, (8, 8)).apply(m), image("8u", 1)),
    "LUT": (lambda m: cv2.LUT(m, numpy.arange(255, -1, -1, dtype=numpy.uint8)), image("8u", 3)),
    "inRange": (lambda m: cv2.inRange(m, (60, 80, 50), (180, 200, 220)), image("8u", 3)),
    "integral": (lambda m: cv2.integral(m, sdepth=cv2.CV_32S), image("8u", 1)),
    "matchTemplate-ccorr": (lambda m: cv2.matchTemplate(m, image("8u", 1)[40:71, 50:93], cv2.TM_CCORR_NORMED), image("8u", 1)),
    "matchTemplate-sqdiff": (lambda m: cv2.matchTemplate(m, image("32f", 1)[40:57, 50:63], cv2.TM_SQDIFF), image("32f", 1)),
    "moments": (lambda m: numpy.array([cv2.moments(m)[k] for k in ("m00", "m10", "m01")]), image("8u", 1)),
    "cornerHarris": (lambda m: 1e3 * cv2.UMat.get(r) if isinstance(r := cv2.cornerHarris(m, 3, 3, 0.04), cv2.UMat) else 1e3 * r, image("32f", 1)),
    "cornerMinEigenVal": (lambda m: cv2.cornerMinEigenVal(m, 5), image("8u", 1)),
    "goodFeaturesToTrack": (lambda m: cv2.goodFeaturesToTrack(m, 40, 0.05, 8), image("8u", 1)),
    "HoughLines": (lambda m: numpy.array([len(lines) if (lines := cv2.UMat.get(r) if isinstance(r, cv2.UMat) else r) is not None else 0])
                   if (r := cv2.HoughLines(m, 1, numpy.pi / 90, 60)) is not None else numpy.zeros(1), cv2.Canny(image("8u", 1), 60, 140)),
    "FAST": (points, image("8u", 1)),
    "countNonZero": (lambda m: numpy.array([cv2.countNonZero(m)]), image("8u", 1) // 128),
    "minMaxLoc": (lambda m: numpy.hstack(cv2.minMaxLoc(m)), image("32f", 1)),
    "exp": (cv2.exp, image("32f", 3)),
    "log": (cv2.log, image("32f", 3) + 0.5),
    "pow": (lambda m: cv2.pow(m, 1.7), image("32f", 1)),
    "sqrt": (cv2.sqrt, image("32f", 4)),
    "magnitude": (cv2.magnitude, matrix(61, 47, 3), matrix(61, 47, 4)),
    "phase": (cv2.phase, matrix(61, 47, 3), matrix(61, 47, 4)),
    "polarToCart": (lambda a, b: cv2.polarToCart(a, b)[0], abs(matrix(61, 47, 3)), matrix(61, 47, 4)),
    "cartToPolar": (lambda a, b: cv2.cartToPolar(a, b)[0], matrix(61, 47, 3), matrix(61, 47, 4)),
    "gemm": (lambda a, b: cv2.gemm(a, b, 0.5, None, 0), matrix(67, 91, 5), matrix(91, 53, 6)),
    "gemm-transposed": (lambda a, b: cv2.gemm(a, b, 0.5, None, 0, flags=cv2.GEMM_1_T), matrix(91, 67, 5), matrix(91, 53, 6)),
    "dft": (lambda m: cv2.dft(m, flags=cv2.DFT_COMPLEX_OUTPUT), matrix(64, 80, 7)),
    "dft-rows": (lambda m: cv2.dft(m, flags=cv2.DFT_ROWS | cv2.DFT_COMPLEX_OUTPUT), matrix(30, 75, 8)),
    "idft": (lambda m: cv2.idft(cv2.dft(m, flags=cv2.DFT_COMPLEX_OUTPUT), flags=cv2.DFT_SCALE | cv2.DFT_REAL_OUTPUT), matrix(60, 45, 9)),
    "mulSpectrums": (lambda a, b: cv2.mulSpectrums(cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), cv2.dft(b, flags=cv2.DFT_COMPLEX_OUTPUT), 0), matrix(32, 48, 1),
                     matrix(32, 48, 2)),
    "calcOpticalFlowFarneback": (lambda a: cv2.calcOpticalFlowFarneback(a, moved(a), None, 0.5, 2, 13, 5, 5, 1.1, 0), image("8u", 1)),
    "fastNlMeansDenoising": (lambda m: cv2.fastNlMeansDenoising(m, None, 8, 5, 11), image("8u", 1)),
    "fastNlMeansDenoisingColored": (lambda m: cv2.fastNlMeansDenoisingColored(m, None, 6, 6, 5, 11), image("8u", 3)),
    "accumulateWeighted": (lambda m: cv2.accumulateWeighted(m, cv2.UMat(image("32f", 1, 2)) if isinstance(m, cv2.UMat) else image("32f", 1, 2), 0.3),
                           image("32f", 1)),
    "MOG2": (lambda m: cv2.createBackgroundSubtractorMOG2(detectShadows=False).apply(m), image("8u", 3)),
    "ORB": (lambda m: numpy.array([len(cv2.ORB_create(100).detect(m, None))]), image("8u", 1)),
}


def cases():
    for depth, channels in itertools.product(("8u", "32f"), (1, 3, 4)):
        for name, call in FILTERS.items():
            yield f"{name}-{depth}-{channels}", call, [image(depth, channels)]
        for name, call in PAIRS.items():
            yield f"{name}-{depth}-{channels}", call, [image(depth, channels), image(depth, channels, 2)]
    for depth in ("8u", "32f"):
        for name in COLOURS + (COLOURS_OF_BYTES if depth == "8u" else ()):
            yield f"{name}-{depth}", lambda m, code=getattr(cv2, f"COLOR_{name}"): cv2.cvtColor(m, code), [image(depth, 3)[:186, :252].copy()]
    for name, (call, *arguments) in OTHERS.items():
        yield name, call, arguments


def as_array(result):
    return numpy.asarray(result.get() if isinstance(result, cv2.UMat) else result)


def difference(mine, other):
    """None: the same; else words about it. Of bytes 1 may differ, of others one part of 10,000."""
    if mine.shape != other.shape or mine.dtype != other.dtype:
        return f"{mine.dtype}{mine.shape}, not {other.dtype}{other.shape}"
    if not mine.size:
        return None
    off = numpy.abs(mine.astype(numpy.float64) - other.astype(numpy.float64))
    allowed = 1 if mine.dtype == numpy.uint8 else 1e-4 * max(1.0, numpy.abs(other).max())
    return None if off.max() <= allowed else f"{off.max()} off, {100 * (off > allowed).mean():.3f} % of them too far"


def compare(call, arguments):
    cv2.ocl.setUseOpenCL(False)
    other = as_array(call(*arguments))
    cv2.ocl.setUseOpenCL(True)
    return difference(as_array(call(*map(cv2.UMat, arguments))), other)


def tests():
    yield "device", lambda: None if cv2.ocl.haveOpenCL() and cv2.ocl.Device.getDefault().vendorName() else "there is none"
    for name, call, arguments in cases():
        if not sys.argv[1:] or name in sys.argv[1:]:
            yield name, lambda: compare(call, arguments)


def main():
    device = cv2.ocl.Device.getDefault()
    run_tests(tests(), [f"{device.name()} of {device.vendorName()}"])


if __name__ == "__main__":
    main()
