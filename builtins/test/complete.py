#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is every built-in function there under the name that user code calls? complete.py LLVM_BIN_DIR BUILTINS.ll HEADER WORK_DIR

Each prototype of clang's opencl-c.h (but those of features that the device does not offer) becomes a function which calls it. That is
compiled as a program of the user is, with clang's own table of built-ins and tessera-opencl.h, and each symbol left undefined must be one
that the library defines; and the library itself may leave nothing undefined but the engine's primitives. So a wrong overload, address
space, width or mangling shows as an error here."""
import pathlib
import re
import subprocess
import sys

# Functions of optional features that the library does not offer: images of many samples, pipes, device-side enqueue, clocks, vendors' media
# functions.
ABSENT = re.compile(r"num_samples|pipe|_avc_|_ime_|^amd_|^arm_dot|^clock_|enqueue_|ndrange|reserve_id|user_event|valid_event|event_profiling"
                    r"|retain_event|release_event|default_queue|^printf$")
FLAGS = ["-target", "spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-O0", "-w", "-DTESSERA_DECLARE_GROUPS"]


def prototypes(clang):
    text = subprocess.run([clang, *FLAGS, "-cl-no-stdinc", "-E", "-P", "-include", "opencl-c-base.h", "-include", "opencl-c.h", "/dev/null"],
                          check=True, capture_output=True, text=True).stdout
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    kept, at = [], 0
    while (start := text.find("__attribute__", at)) >= 0:  # with balanced parentheses
        kept.append(text[at:start])
        at, depth = text.index("(", start), 0
        while True:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
            if depth == 0:
                break
    text = "".join(kept) + text[at:]
    for statement in text.split(";"):
        m = re.fullmatch(r"\s*([\w\s*]+?)\s*\b(\w+)\s*\(([^()]*)\)\s*", statement)
        if m and "typedef" not in m[1]:
            yield m[1].strip(), m[2], [] if m[3].strip() in ("", "void") else [a.strip() for a in m[3].split(",")]


def parameter(text):
    """The type of a parameter, without its name."""
    words = re.findall(r"\w+|\*", text)
    known = {"const", "volatile", "global", "local", "constant", "private", "__global", "__local", "__constant", "__private", "__generic",
             "unsigned", "restrict", "read_only", "write_only", "read_write", "__read_only", "__write_only", "__read_write"}
    types = [w for w in words if w not in known and w != "*"]
    if len(types) > 1 or (len(types) == 1 and "unsigned" in words):
        del words[len(words) - 1 - words[::-1].index(types[-1])]
    return " ".join(words)


def main():
    llvm, library, header, work = (pathlib.Path(a) for a in sys.argv[1:5])
    clang = str(llvm / "clang")
    seen, calls = set(), []
    for result, name, arguments in prototypes(clang):
        if ABSENT.search(name) or any(re.search("pipe|msaa", a) for a in arguments):
            continue
        # 16 longs are in clang's header, not in the extension; nor are blocks written to images that a kernel reads.
        if name.endswith("_ul16") or name.startswith("intel_sub_group_block_write") and any("read_only" in a for a in arguments):
            continue
        # Levels of mipmaps of images that a kernel reads and writes: not in clang's table.
        if any("read_write" in a for a in arguments) and (any("sampler" in a for a in arguments) or len(arguments) == 4):
            continue
        arguments = [parameter(a) for a in arguments]
        key = (name, *arguments)
        if key in seen:
            continue
        seen.add(key)
        number = len(calls)
        head = ", ".join(f"{t} a{i}" for i, t in enumerate(arguments))
        call = f"{name}({', '.join(f'a{i}' for i in range(len(arguments)))})"
        calls.append(f"{result} t{number}({head}) {{ {'' if result == 'void' else 'return '}{call}; }}\n")
    work.mkdir(parents=True, exist_ok=True)
    source, bitcode = work / "complete.cl", work / "complete.bc"
    source.write_text("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + "".join(calls))
    subprocess.run([clang, *FLAGS, "-include", str(header), "-ferror-limit=0", "-emit-llvm", "-c", str(source), "-o", str(bitcode)], check=True)

    def names(file, *options):
        out = subprocess.run([str(llvm / "llvm-nm"), "-j", *options, str(file)], check=True, capture_output=True, text=True).stdout
        return set(out.split())

    wanted = {n for n in names(bitcode, "--undefined-only") if not n.startswith("llvm.")}
    whole = work / "builtins.bc"
    subprocess.run([str(llvm / "llvm-as"), str(library), "-o", str(whole)], check=True)
    missing = sorted(wanted - names(whole, "--defined-only"))
    missing += sorted(n for n in names(whole, "--undefined-only") if not n.startswith("llvm.") and "__tsr_" not in n)
    print(f"{len(calls)} prototypes, {len(wanted)} symbols, {len(missing)} missing")
    if missing:
        print("\n".join(missing))
        sys.exit(1)
    if len(wanted) < 10000:
        sys.exit("suspiciously few symbols: the prototypes were not read")


if __name__ == "__main__":
    main()
