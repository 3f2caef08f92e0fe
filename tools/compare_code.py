#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the machine code that the compilers of two builds make of this tree's kernels: the proof of a change that is to change no code.

    tools/compare_code.py OLD_BUILD NEW_BUILD [--only TEXT] [--options TEXT] [--level NAME] [--every N] …

Each kernel is compiled with the build options that it names, for each instruction set, with tiles in plain C, and by the reference engine.
Code and constants are compared byte by byte; names of symbols may differ. Kernels of this tree are used for both builds.

A build compared with itself shows whether the compiler makes the same code each time: its processes have their memory at different
addresses. `--times N` compiles N times with the new build. `--tries N` is for an old build whose code depends on addresses: a program
counts as the same if both builds make the same code in one of N tries."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["conformance/kernels", "conformance/traps", "conformance/matrix", "bench/suite/kernels", "bench/gemm", "examples"]
OPTIONS = re.compile(r"^\s*//\s*options:\s*(.*)$", re.M)
# Options of the kernels that do not name their own: the path, and what its program builds it with.
BENCH_GEMM = "-cl-std=CL3.0 -DAHEAD=1 -DSG=%d -DROWS=%d -DCOLUMNS=%d%s"
BUILT_WITH = {
    "bench/gemm/kernels.cl": [BENCH_GEMM % (sg, rows, columns, more) for sg, rows, columns in ((16, 4, 2), (8, 4, 4), (16, 2, 4))
                              for more in ("", " -DBF16", " -DTILED", " -DBATCH=64 -DSTEP=64")],
    "examples/gemm/gemm.cl": ["-cl-std=CL3.0", "-cl-std=CL3.0 -DBF16"],
    "examples/cooperative/cooperative.cl": ["-cl-std=CL3.0", "-cl-std=CL3.0 -DBF16"],
}
# Name, and the environment that the compiler gets.
LEVELS = {
    "sse2": {"TESSERA_CPU": "sse2"},
    "avx2": {"TESSERA_CPU": "avx2"},
    "avx512": {"TESSERA_CPU": "avx512"},
    "model": {"TESSERA_CPU": "avx512", "TESSERA_TILES": "model"},
    "vectors": {"TESSERA_CPU": "avx512", "TESSERA_TILES": "vectors"},
    "reference": {"TESSERA_ENGINE": "reference"},
}
COMPARED = (".text", ".rodata", ".data", ".bss")


def sections(image):
    """Bytes of the sections of an ELF file that hold code and constants, by name."""
    found = {}
    if image[:4] != b"\x7fELF":
        return {"": image}
    table, = struct.unpack_from("<Q", image, 40)
    entry, count, names = struct.unpack_from("<HHH", image, 58)
    headers = [struct.unpack_from("<IIQQQQ", image, table + i * entry) for i in range(count)]
    text = headers[names][4]
    for name, kind, _, _, offset, size in headers:
        label = image[text + name:image.index(b"\0", text + name)].decode()
        if label.startswith(COMPARED):
            found[label] = image[offset:offset + size] if kind != 8 else size
    return found


def compile_kernel(build, path, options, level, folder):
    """The sections, or None: the compiler refuses."""
    out = pathlib.Path(tempfile.mkstemp(dir=folder)[1])
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TESSERA_")}
    environment |= LEVELS[level] | {"TESSERA_CACHE": "0", "HOME": folder}
    command = [build / "lib/tessera/tessera-cc", "--code", "-c", path, "-o", out, *options.split()]
    done = subprocess.run(command, env=environment, capture_output=True)
    if done.returncode < 0:
        raise SystemExit(f"{path} {options} {level}: {command[0]} ended with signal {-done.returncode}")
    return sections(out.read_bytes()) if done.returncode == 0 else None


def jobs(only, wanted, levels):
    """Paths, options and levels; of files whose path has the text `only`, and options that have the text `wanted`."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.cl")):
            name = str(path.relative_to(ROOT))
            if only not in name:
                continue
            options = OPTIONS.findall(path.read_text()) or BUILT_WITH.get(name, ["-cl-std=CL3.0"])
            for option in dict.fromkeys(options):
                for level in levels if wanted in option else ():
                    yield path, option, level


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--only", default="", help="kernels with this text in their path")
    parser.add_argument("--options", default="", help="build options that contain this text")
    parser.add_argument("--level", choices=LEVELS, help="one of these only")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth program only")
    parser.add_argument("--times", type=int, default=1, metavar="N", help="the new build compiles N times, and makes the same each time")
    parser.add_argument("--tries", type=int, default=1, metavar="N", help="compile what differs again, up to N times")
    parser.add_argument("--keep", type=pathlib.Path, help="an existing folder for code that differs")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    compared, refused, unsteady, differ = 0, 0, 0, []

    def compare(job):
        """Two codes, which differ if any two do, and how often each build made code."""
        made = [], []
        for attempt in range(1, arguments.tries + 1):
            for codes, build in zip(made, (arguments.old, arguments.new)):
                codes.append(compile_kernel(build.resolve(), *job, folder))
            if any(code in made[1] for code in made[0]):
                break
        old = made[1][-1] if made[1][-1] in made[0] else made[0][-1]
        again = [compile_kernel(arguments.new.resolve(), *job, folder) for _ in range(arguments.times - 1)]
        return old, next((code for code in again if code != old), made[1][-1]), attempt

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        levels = [arguments.level] if arguments.level else LEVELS
        work = list(jobs(arguments.only, arguments.options, levels))[::arguments.every]
        for (path, option, level), (old, new, attempts) in zip(work, pool.map(compare, work)):
            if old is None and new is None:
                refused += 1
                continue
            compared += 1
            unsteady += attempts > 1 and old == new
            if old != new:
                differ.append(f"{path.relative_to(ROOT)} [{option}] at {level}" + (": only one compiles" if None in (old, new) else ""))
                for side, code in (("old", old), ("new", new)):
                    if arguments.keep and code:
                        (arguments.keep / f"{path.stem}-{level}-{len(differ)}.{side}").write_bytes(code.get(".text", b""))
    for line in differ:
        print("differs:", line)
    print(f"{compared} programs compared, {len(differ)} differ, {unsteady} agree at a later try, {refused} compile with neither")
    return 1 if differ or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
