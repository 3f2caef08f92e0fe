#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the double functions of math.def out of a libclc bitcode library and retargets them to spir64: clc.py LLVM_BIN LIBRARY math.def OUT.ll"""
import re
import subprocess
import sys

LAYOUT = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"


def symbols(table):
    for kind, name, pointee in re.findall(r"^((?:CLC|RAW)\w+)\((\w+)(?:, (\w+))?\)", table, re.M):
        p = {"": "", "T": "Pd", "int": "Pi"}[pointee]
        tail = {"1": "d", "2": "dd", "_INT": "di", "_POINTER1": "d" + p, "_POINTER2": "dd" + p}[kind[3:]]
        taken = name if kind.startswith("CLC") else "__tsr_clc_" + name
        yield f"_Z{len(name)}{name}{tail}", f"_Z{len(taken)}{taken}{tail}"


def main():
    llvm, library, table, out = sys.argv[1:]
    names = dict(symbols(open(table).read()))  # of libclc, and ours
    wanted = list(names)
    extracted = subprocess.run([f"{llvm}/llvm-extract", "--recursive", "--rglob=.*", *(f"--func={s}" for s in wanted), library, "-o", "-"],
                               check=True, capture_output=True).stdout
    text = subprocess.run([f"{llvm}/llvm-dis", "-", "-o", "-"], input=extracted, check=True, capture_output=True).stdout.decode()
    missing = [s for s in wanted if not re.search(rf"^define.*@{s}\(", text, re.M)]
    if missing:
        sys.exit(f"clc.py: {library} lacks {' '.join(missing)}")
    text = re.sub(r'^target datalayout.*$', f'target datalayout = "{LAYOUT}"', text, flags=re.M)
    text = re.sub(r'^target triple.*$', 'target triple = "spir64-unknown-unknown"', text, flags=re.M)
    text = text.replace("addrspace(4)", "addrspace(2)")  # constant memory has number 4 there, 2 here
    # Helpers that are not static there become so, and what users call gets the calling convention of user code.
    public = set(wanted)

    text = re.sub(r"^define (?:dso_local |hidden |linkonce_odr |internal |private )*((?:\w+cc )?)([^@\n]*)@([\w.$]+)\(",
                  lambda m: f"define {'spir_func ' if m[3] in public else 'internal ' + m[1]}{m[2]}@{m[3]}(", text, flags=re.M)
    text = re.sub(r"\bcall ([^@\n]*)@([\w.$]+)\(", lambda m: f"call {'spir_func ' if m[2] in public else ''}{m[1]}@{m[2]}(", text)
    text = re.sub(r"^(attributes #\d+ = \{).*\}$",
                  lambda m: m[1] + " " + " ".join(w for w in re.sub(r'"[^"]*"(="[^"]*")?', "", m[0][len(m[1]):-1]).split()
                                                  if w not in ("convergent", "noinline", "optnone")) + " }", text, flags=re.M)
    text = re.sub(r"^!(llvm\.ident|llvm\.module\.flags|nvvm\S*|opencl\S*) = .*$", "", text, flags=re.M)
    text = re.sub(r"^@([\w.]+) = (?:dso_local |hidden |internal |private |local_unnamed_addr |unnamed_addr )*", r"@\1 = internal unnamed_addr ", text,
                  flags=re.M)
    text = re.sub(r"@(_Z\w+)", lambda m: "@" + names.get(m[1], m[1]), text)
    with open(out, "w") as f:
        f.write(text)


main()
