# SPDX-License-Identifier: Apache-2.0
"""Programs that work on pictures, for run_clients.py: what ffmpeg, GEGL and darktable make with OpenCL against what they make without."""
import math
import pathlib
import re

SIZE = (301, 199)


def write_picture(path):
    """Waves, ramps and a pattern that repeats nowhere, in 8 bits; a width and height that no power of two divides."""
    width, height = SIZE
    pixels = bytearray()
    for y in range(height):
        for x in range(width):
            grain = (x * x + 3 * y * x + 7 * y) % 97
            pixels += bytes((int(127 + 100 * math.sin(x / 17) + grain / 4), y * 255 // height, (x * 5 ^ y * 3) & 255))
    path.write_bytes(b"P6\n%d %d\n255\n" % SIZE + pixels)
    return path


def samples(path):
    """The samples of a binary PPM, as fractions of the largest."""
    kind, width, height, most, data = re.match(rb"(P6)\s+(?:#.*\n)?(\d+)\s+(\d+)\s+(\d+)\s(.*)", path.read_bytes(), re.S).groups()
    size = 2 if int(most) > 255 else 1
    values = [int.from_bytes(data[i:i + size], "big") / int(most) for i in range(0, len(data), size)]
    assert kind and len(values) == 3 * int(width) * int(height)
    return values


def compare(outcome, path, reference):
    """pass: no sample is further off than one of 255."""
    if outcome != "pass" or not path.exists() or not reference.exists():
        return "fail" if outcome == "pass" else outcome
    mine, other = samples(path), samples(reference)
    same = len(mine) == len(other) and max(abs(a - b) for a, b in zip(mine, other)) <= 1.01 / 255
    return "pass" if same else "fail"


# ---- GEGL ----

# Operations that have OpenCL kernels, or whose inputs are converted by kernels.
GEGL = """
    absolute
    add value=0.2
    alien-map
    bilateral-filter
    box-blur radius=5
    brightness-contrast contrast=1.4 brightness=0.1
    c2g
    color-exchange
    color-temperature intended-temperature=4500
    color-to-alpha
    color-warp
    contrast-curve
    convolution-matrix
    difference-of-gaussians
    divide value=0.7
    edge
    edge-laplace
    edge-sobel
    emboss
    exposure exposure=0.7
    gamma value=1.7
    gaussian-blur std-dev-x=4 std-dev-y=3
    high-pass
    hue-chroma hue=40
    invert-gamma
    invert-linear
    levels in-low=0.1 in-high=0.8
    median-blur
    mono-mixer
    motion-blur-circular
    motion-blur-linear length=12 angle=30
    multiply value=0.6
    noise-cie-lch
    noise-hsv
    noise-hurl
    noise-pick
    noise-reduction
    noise-rgb
    noise-spread
    oilify
    opacity value=0.5
    pixelize
    posterize
    red-eye-removal
    reflect
    rgb-clip
    rotate degrees=20
    saturation scale=1.6
    scale-ratio x=0.6 y=1.7
    sepia
    shadows-highlights shadows=40
    snn-mean
    softglow
    stretch-contrast
    stretch-contrast-hsv
    subtract value=0.1
    texturize-canvas
    threshold
    unsharp-mask
    value-invert
    vignette
    waves
    whirl-pinch
"""


def gegl(run):
    picture = write_picture(run.scratch / "in.ppm")
    results = {}
    for line in GEGL.split("\n"):
        if not line.strip():
            continue
        name, *properties = line.split()
        made = {kind: run.scratch / f"{name}-{kind}.ppm" for kind in ("no", "cpu")}
        for kind, path in made.items():
            run.env["GEGL_USE_OPENCL"] = kind
            outcome, _ = run.command(f"{name}-{kind}", ["gegl", picture, "-o", path, "--", f"gegl:{name}", *properties])
        results[name] = compare(outcome, made["cpu"], made["no"])
    return results


# ---- ffmpeg ----

# Name -> filter in OpenCL, filter of the CPU, format of the pixels, least ratio of signal and difference in dB. The two filters of a row differ in rounding, and
# some at the edges of the picture.
FFMPEG = {
    "avgblur": ("avgblur_opencl=2", "avgblur=2", "yuv420p", 40),
    "boxblur": ("boxblur_opencl=2:1", "boxblur=2:1", "yuv420p", 45),
    "unsharp": ("unsharp_opencl=5:5:1", "unsharp=5:5:1", "yuv420p", 40),
    "convolution": ("convolution_opencl=0 -1 0 -1 5 -1 0 -1 0", "convolution=0 -1 0 -1 5 -1 0 -1 0", "gray", 99),
    "sobel": ("sobel_opencl", "sobel", "gray", 55),
    "prewitt": ("prewitt_opencl", "prewitt", "gray", 55),
    "roberts": ("roberts_opencl", "roberts", "gray", 55),
    "dilation": ("dilation_opencl", "dilation", "yuv420p", 99),
    "erosion": ("erosion_opencl", "erosion", "yuv420p", 99),
    "nlmeans": ("nlmeans_opencl=3", "nlmeans=3", "yuv420p", 30),
    "transpose": ("transpose_opencl=1", "transpose=1", "yuv420p", 99),
    "pad": ("pad_opencl=iw+20:ih+20:10:10", "pad=iw+20:ih+20:10:10", "yuv444p", 99),
    "colorkey": ("colorkey_opencl=red:0.3,format=rgb24", "colorkey=red:0.3,format=rgb24", "rgba", 99),
    "program": ("program_opencl=PROGRAM:turned", "hflip,vflip", "gray", 99),
}
# Filters whose results have no filter of the CPU to compare with: they end.
FFMPEG_ENDS = {"deshake": "deshake_opencl", "tonemap": "tonemap_opencl=format=nv12:desat=0"}
FFMPEG_TWO = {"overlay": ("overlay_opencl=20:30", "overlay=20:30", 40)}

TURNED = """const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void turned(write_only image2d_t to, uint frame, read_only image2d_t from)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(to);
    if (at.x < size.x && at.y < size.y)
        write_imagef(to, at, read_imagef(from, nearest, size - 1 - at));
}
"""


def ffmpeg(run):
    program = run.scratch / "turned.cl"
    program.write_text(TURNED)

    def graph(name, words, text, least):
        outcome, output = run.command(name, ["ffmpeg", "-hide_banner", "-nostdin", *words, "-init_hw_device", "opencl=ocl:0.0", "-filter_hw_device", "ocl",
                                             "-filter_complex", text, "-f", "null", "-"])
        ratio = re.search(r"PSNR .*average:(inf|[\d.]+)", output)
        good = least is None or ratio and float(ratio[1]) >= least
        return "fail" if outcome == "pass" and not good else outcome

    def source(size):
        return ["-f", "lavfi", "-i", f"testsrc2=size={size}:rate=5:duration=1"]

    results = {}
    for name, (mine, other, pixels, least) in FFMPEG.items():
        mine = mine.replace("PROGRAM", str(program))
        tail = "" if "," in mine else f",format={pixels}"
        up, _, after = mine.partition(",")
        text = (f"[0]format={pixels},split[a][b];[a]hwupload,{up},hwdownload,format={pixels}{',' + after if after else ''}[x];"
                f"[b]{other}{tail}[y];[x][y]psnr")
        results[name] = graph(name, source("321x201"), text, least)
    for name, (mine, other, least) in FFMPEG_TWO.items():
        text = ("[0]format=yuv420p,split[a][b];[1]format=yuv420p,negate,split[c][d];[a]hwupload[e];[c]hwupload[f];"
                f"[e][f]{mine},hwdownload,format=yuv420p[x];[b][d]{other}[y];[x][y]psnr")
        results[name] = graph(name, source("320x200") + source("320x200" if name == "xfade" else "64x48"), text, least)
    for name, mine in FFMPEG_ENDS.items():
        form = "p010le,setparams=color_trc=smpte2084:color_primaries=bt2020:colorspace=bt2020nc" if name == "tonemap" else "yuv420p"
        results[name] = graph(name, source("320x200"), f"[0]format={form},hwupload,{mine},hwdownload,format={'nv12' if name == 'tonemap' else form}", None)
    return results


# ---- darktable ----


def darktable(run):
    """All its programs build, and a picture is the same with its kernels and without. It leaves CPU devices out when it sees them first, so its
    settings are changed once it has written them."""
    picture = write_picture(run.scratch / "in.ppm")
    settings, cache = run.scratch / "settings", run.scratch / "dt-cache"

    def export(test, name, more, opencl):
        words = ["darktable-cli", picture, run.scratch / name, *more, "--core", "--configdir", settings, "--cachedir", cache, "--library", ":memory:"]
        return run.command(test, words + (["-d", "opencl"] if opencl else ["--disable-opencl"]), limit=6 * run.limit)

    export("first", "first.ppm", [], True)
    rc = settings / "darktablerc"
    if not rc.exists():
        return {"settings": "fail"}
    # The eighth number: whether the device is left out.
    text, changed = re.subn(r"(?m)^(cldevice_v\d_\w+=(?:\S+ ){7})1 ", r"\g<1>0 ", rc.read_text())
    rc.write_text(text)
    results = {"settings": "pass" if changed else "fail"}
    for test, more in {"plain": [], "scaled": ["--width", "150"], "enlarged": ["--width", "700", "--upscale", "true"]}.items():
        outcome, output = export(test, f"{test}-cl.ppm", more, True)
        export(f"{test}-without", f"{test}.ppm", more, False)
        results[test] = compare(outcome, run.scratch / f"{test}-cl.ppm", run.scratch / f"{test}.ppm")
        if outcome == "pass" and "opencl enabled flag is ON" not in output:
            results[test] = "fail"
    # It builds all programs when it starts, and keeps the binaries of those that were built.
    built = {path.name.removesuffix(".bin") for path in cache.glob("cached_kernels_*/*.bin")}
    for name in re.findall(r"(?m)^(\w+\.cl)\s", pathlib.Path("/usr/share/darktable/kernels/programs.conf").read_text()):
        results[name] = "pass" if name in built else "fail"
    return results
