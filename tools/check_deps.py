#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that folders include only what stands below them, and that files keep to the rules that a machine can check."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Folder -> folders whose own headers it may include. include/ and base/ are open to all. See docs/design.md.
MAY_USE = {
    "base": [],
    "scheduler": [],
    "lanes": [],
    "builtins": [],
    "clc/common": [],
    "clc/client": ["clc/common"],
    "clc/service": ["clc/common", "lanes"],
    "device-amx": ["scheduler"],
    "icd": ["clc/common", "clc/client", "scheduler", "device-amx"],
    "examples": [],
    "bench": ["scheduler"],
    "conformance": [],
    "fuzz": ["clc/common", "clc/client", "device-amx", "icd"],
}
# Header pattern -> the only folders that may include it.
ONLY_IN = [
    (r"CL/cl_icd\.h", ["icd"]),
    (r"CL/", ["icd", "examples", "bench", "conformance", "include", "clc/client/test", "fuzz"]),
    (r"llvm-c/", ["lanes", "clc/service", "conformance/host/host_llvm.c"]),
    (r"(llvm|clang|lld)/", ["clc/service", "lanes"]),
    (r"hwloc\.h", ["scheduler"]),
    (r"xxhash\.h", ["base"]),
    (r"level_zero/|ze_api\.h", ["device-xmx"]),
]
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)
MAX_LINES = 900


def folder_of(path):
    parts = path.parts
    return "/".join(parts[:2]) if parts[0] == "clc" and len(parts) > 2 else parts[0]


def tracked():
    out = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [pathlib.Path(p) for p in out.decode().split("\0") if p and (ROOT / p).is_file()]


def check(path, text, problems):
    folder = folder_of(path)
    for quote, header in INCLUDE.findall(text):
        for pattern, allowed in ONLY_IN:
            if re.match(pattern, header):
                if not any(str(path) == a or str(path).startswith(a + "/") for a in allowed):
                    problems.append(f"{path}: includes {header}, which only {', '.join(allowed)} may")
                break
        if quote == '"':
            for other in MAY_USE:
                if header.startswith(other + "/") and other not in (folder, *MAY_USE.get(folder, [])):
                    problems.append(f"{path}: {folder} may not use {other} ({header})")
    if path.suffix == ".cpp" and not path.name.endswith("_shim.cpp"):
        problems.append(f"{path}: C++ stands only in *_shim.cpp")
    if "SPDX-License-Identifier: Apache-2.0" not in text[:300]:
        problems.append(f"{path}: no SPDX line")
    lines = text.count("\n")
    if lines > MAX_LINES:
        problems.append(f"{path}: {lines} lines; split files above {MAX_LINES}")


def main():
    problems = []
    for path in tracked():
        if path.suffix in (".c", ".h", ".cpp", ".cl", ".def", ".S", ".inc"):
            check(path, (ROOT / path).read_text(), problems)
    for problem in problems:
        print(problem, file=sys.stderr)
    print("check_deps:", "ok" if not problems else f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
