#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""real_compiler.py BUILD PACKAGES: gives kernels with every matrix function of tessera/matrix.def, as SPIR-V that tessera-cc makes, to Intel's
offline compiler, and reads in the disassembly that each became the instruction of its shape and types.

PACKAGES is a folder with Debian 12's packages of the compiler, unpacked below root/; they are downloaded into it if they are not there, and
never installed. Exit code 77: they cannot be had."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEBS = "intel-opencl-icd libigc1 libigc-tools libigdfcl1 libigdgmm12 libopencl-clang14 libllvmspirvlib14 libclang-cpp14".split()
# GPU: name for the compiler, name for the disassembler, forms of tessera/matrix.def whose instruction it has.
GPUS = {"DG2": ("acm-g10", "xehpg", ("N8", "SPLIT")), "Ponte Vecchio": ("pvc", "xehpc", ("N16",))}
# What this compiler does not know: it is of 2022, and the functions are of 2023.
UNKNOWN = ("TF32",)
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


def fetch(folder):
    if not (folder / "root/usr/bin/ocloc").exists():
        folder.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(["apt-get", "download", *DEBS], cwd=folder, check=True, capture_output=True, timeout=300)
            for deb in sorted(folder.glob("*.deb")):
                subprocess.run(["dpkg-deb", "-x", deb, folder / "root"], check=True)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"skipped: Intel's offline compiler cannot be had: {error}")
            sys.exit(77)
    libraries = [folder / "root/usr/lib/x86_64-linux-gnu", folder / "root/usr/lib/llvm-14/lib"]
    return dict(os.environ, LD_LIBRARY_PATH=":".join(map(str, libraries)), PATH=f"{folder / 'root/usr/bin'}:{os.environ['PATH']}")


def compile_for(build, folder, environment, device, platform, rows):
    """Number of row -> instructions of its kernel."""
    source, module, out = folder / "kernels.cl", folder / "kernels.spv", folder / "out"
    source.write_text("".join(kernel(i, row) for i, row in rows))
    subprocess.run([build / "lib/tessera/tessera-cc", "-c", source, "--spirv", "--code", "-cl-std=CL3.0", "-o", module], check=True)
    for path in sorted(out.glob("**/*")):
        if path.is_file():
            path.unlink()
    run = lambda *words: subprocess.run(words, env=environment, check=True, capture_output=True, timeout=300)
    run("ocloc", "compile", "-spirv_input", "-file", module, "-device", device, "-output", "k", "-out_dir", out)
    run("ocloc", "disasm", "-file", next(out.glob("k_*.bin")), "-dump", out / "dump", "-device", device)
    found = {}
    for i, _ in rows:
        text = run("iga64", "-d", f"-p={platform}", out / f"dump/k{i:03}_KernelHeap.dat").stdout.decode()
        found[i] = INSTRUCTION.findall(text)
    return found


def wanted(row):
    _, form, n, m, *_, ea, eb, ec = row
    result = TYPES[ec]
    return ("dpasw" if form == "SPLIT" else "dpas", m, n, result, result, TYPES[eb], TYPES[ea])


def main():
    build, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    environment = fetch(folder)
    all_rows = list(enumerate(prototypes()))
    good, bad = 0, []
    for gpu, (device, platform, forms) in GPUS.items():
        rows = [(i, row) for i, row in all_rows if row[1] in forms]
        found = compile_for(build, folder, environment, device, platform, rows)
        for i, row in rows:
            if found[i] == [wanted(row)]:
                good += 1
            else:
                bad.append(f"{gpu}: {row[0]} with {row[5]}: {found[i]}, not {wanted(row)}")
    for line in bad:
        print(line)
    unknown = sum(row[1] in UNKNOWN for _, row in all_rows)
    print(f"{good} of {len(all_rows)} matrix functions became their instruction; {unknown} this compiler does not know")
    return 0 if good + unknown == len(all_rows) and not bad else 1


if __name__ == "__main__":
    sys.exit(main())
