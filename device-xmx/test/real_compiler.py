#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""real_compiler.py BUILD PACKAGES: gives kernels with every matrix function of tessera/matrix.def, as SPIR-V that tessera-cc makes, to Intel's
offline compilers, and reads in the disassembly that each became the instruction of its shape and types; and kernels with every function on images,
which must leave no name to be found by somebody else.

PACKAGES is a folder with packages of Debian, one folder for each release, unpacked below root/; they are downloaded into it if they are not there,
and never installed. Exit code 77: none can be had."""
import os
import pathlib
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import debian  # noqa: E402

# Release of Debian: packages, and for each GPU the name for the compiler, that for the disassembler, and the forms of tessera/matrix.def whose
# instruction it has. The compiler of Debian 12 is of 2022 and does not know tf32; that of unstable brings its own C library along.
COMPILERS = {
    "bookworm": ("intel-opencl-icd libigc1 libigc-tools libigdfcl1 libigdgmm12 libopencl-clang14 libllvmspirvlib14 libclang-cpp14".split(),
                 {"DG2": ("acm-g10", "xehpg", ("N8", "SPLIT")), "Ponte Vecchio": ("pvc", "xehpc", ("N16",))}),
    "sid": ("intel-ocloc libigc2 libigdfcl2 libigc-tools libc6 libstdc++6 libgcc-s1 zlib1g libzstd1".split(),
            {"DG2": ("acm-g10", "xehpg", ("N8", "SPLIT")), "Ponte Vecchio": ("pvc", "xehpc", ("N16", "TF32")),
             "Battlemage": ("bmg", "xe2", ("N16", "TF32")), "Lunar Lake": ("lnl-m", "xe2", ("N16", "TF32"))}),
}
WITHOUT_IMAGES = ("Ponte Vecchio",)
TYPES = {"S8": "b", "U8": "ub", "S4": "s4", "U4": "u4", "BF16": "bf", "F16": "hf", "TF32": "tf32", "S32": "d", "F32": "f"}
ROW = re.compile(r"^@ (.*)$", re.M)
INSTRUCTION = re.compile(r"(dpasw?)\.8x(\d) \((\d+)\|M0\)\s+\S+:(\w+)\s+\S+:(\w+)\s+\S+:(\w+)\s+\S+:(\w+)")


def prototypes():
    """Rows of the table: name, form, n, m, k, types of a, b and c, elements of A, B and C."""
    table = "#define TSR_MATRIX(name, form, n, m, k, a, b, c, ea, eb, ec) \\\n@ name|form|n|m|k|a|b|c|ea|eb|ec\n#include \"tessera/matrix.def\"\n"
    text = subprocess.run(["clang-22", "-E", "-P", "-I", ROOT / "include", "-x", "c", "-"], input=table, capture_output=True, text=True, check=True)
    return [[word.strip() for word in row.split("|")] for row in re.findall(r"@ ?([^@]+)", text.stdout)]


def kernel(number, row):
    name, _, n, _, _, a, b, c, *_ = row
    return (f"__attribute__((intel_reqd_sub_group_size({n}))) kernel void k{number:03}(global {a} *a, global {b} *b, global {c} *c)\n"
            f"{{ size_t i = get_local_id(0); c[i] = {name}(a[i], b[i], c[i]); }}\n")


def fetch(folder, suite="bookworm"):
    """The environment, and a function that makes a command line for a program of the packages."""
    root = debian.unpack(folder / suite, suite, COMPILERS[suite][0])
    libraries = root / "usr/lib/x86_64-linux-gnu"
    environment = dict(os.environ)
    loader = libraries / "ld-linux-x86-64.so.2"
    if loader.exists():
        prefix = [loader, "--library-path", libraries]
    else:
        prefix = []
        environment["LD_LIBRARY_PATH"] = f"{libraries}:{root / 'usr/lib/llvm-14/lib'}"

    def command(name, *words):
        return [*prefix, min((root / "usr/bin").glob(f"{name}*")), *words]
    return environment, command


def code_of_kernels(path):
    """Name of a kernel -> machine code, of the compiler's file."""
    data = path.read_bytes()
    if data[:4] != b"\x7fELF":
        return {}
    at, = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3c)
    rows = [struct.unpack_from("<IIQQQQ", data, at + 64 * i) for i in range(count)]
    text = lambda offset: data[offset:data.index(0, offset)].decode()
    sections = {text(rows[names][4] + row[0]): data[row[4]:row[4] + row[5]] for row in rows}
    return {name.removeprefix(".text."): code for name, code in sections.items() if name.startswith(".text.")}


def compile_for(build, folder, tools, device, platform, rows):
    """Number of row -> instructions of its kernel."""
    environment, command = tools
    source, module, out = folder / "kernels.cl", folder / "kernels.spv", folder / "out"
    source.write_text("".join(kernel(i, row) for i, row in rows))
    subprocess.run([build / "lib/tessera/tessera-cc", "-c", source, "--spirv", "--code", "-cl-std=CL3.0", "-o", module], check=True)
    for path in sorted(out.glob("**/*")):
        if path.is_file():
            path.unlink()

    def run(*words):
        return subprocess.run(command(*words), env=environment, check=True, capture_output=True, timeout=300).stdout.decode()
    run("ocloc", "compile", "-spirv_input", "-file", module, "-device", device, "-output", "k", "-out_dir", out)
    binary = next(out.glob("k_*.bin"))
    code = code_of_kernels(binary)
    if not code:  # an older form, which only the compiler takes apart
        run("ocloc", "disasm", "-file", binary, "-dump", out / "dump", "-device", device)
        code = {path.name.removesuffix("_KernelHeap.dat"): path.read_bytes() for path in (out / "dump").glob("*_KernelHeap.dat")}
    found = {}
    for i, _ in rows:
        path = out / "kernel.dat"
        path.write_bytes(code[f"k{i:03}"])
        found[i] = INSTRUCTION.findall(run("iga64", "-d", f"-p={platform}", path))
    return found


def images_of(build, folder, tools, device):
    """Names of functions that the compiler did not know in images.cl."""
    environment, command = tools
    source, module, out = pathlib.Path(__file__).with_name("images.cl"), folder / "images.spv", folder / "images"
    subprocess.run([build / "lib/tessera/tessera-cc", "-c", source, "--spirv", "--code", "-cl-std=CL3.0", "-o", module], check=True)
    for path in sorted(out.glob("*")):
        path.unlink()
    subprocess.run(command("ocloc", "compile", "-spirv_input", "-file", module, "-device", device, "-output", "images", "-out_dir", out),
                   env=environment, check=True, capture_output=True, timeout=300)
    return sorted(set(re.findall(rb"_Z\d+\w+", next(out.glob("images_*.bin")).read_bytes())))


def wanted(row):
    _, form, n, m, *_, ea, eb, ec = row
    result = TYPES[ec]
    return ("dpasw" if form == "SPLIT" else "dpas", m, n, result, result, TYPES[eb], TYPES[ea])


def judge(build, folder, suite, all_rows):
    """Whether every function that a GPU of the compiler has became its instruction; prints what did not."""
    tools, became, good = fetch(folder, suite), set(), True
    for gpu, (device, platform, forms) in COMPILERS[suite][1].items():
        rows = [(i, row) for i, row in all_rows if row[1] in forms]
        found = compile_for(build, folder / suite, tools, device, platform, rows)
        for i, row in rows:
            if found[i] == [wanted(row)]:
                became.add(i)
            else:
                good = False
                print(f"{suite}, {gpu}: {row[0]} with {row[5]}: {found[i]}, not {wanted(row)}")
        print(f"{suite}, {gpu}: {sum(found[i] == [wanted(row)] for i, row in rows)} of {len(rows)}")
        if gpu not in WITHOUT_IMAGES:
            unknown = images_of(build, folder / suite, tools, device)
            good &= not unknown
            print(f"{suite}, {gpu}: images:", " ".join(name.decode() for name in unknown) or "every function is known")
    print(f"{suite}: {len(became)} of {len(all_rows)} matrix functions became their instruction")
    return good


def main():
    build, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    all_rows = list(enumerate(prototypes()))
    results = []
    for suite in COMPILERS:
        try:
            results.append(judge(build, folder, suite, all_rows))
        except OSError as error:
            print(f"skipped: {suite}: {error}")
        except subprocess.SubprocessError as error:
            if (folder / suite / "root").exists():
                raise
            print(f"skipped: the compiler of {suite} cannot be had: {error}")
    return 77 if not results else 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
