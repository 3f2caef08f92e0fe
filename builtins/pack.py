#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the built-in library from linked LLVM text: pack.py LLVM_BIN IN.ll WORK_DIR BUILTINS.lib

Opening one module of fifteen thousand functions costs a hundred milliseconds, however lazily it is read, because each function gets an
object. So functions are grouped by what programs use together, each group is a module of its own, and an index says which module defines
a name. Every function is linkonce_odr: a program's own definition wins. Attributes that would bind a caller (target, stack protector,
frame pointer) and metadata that only costs reading time go; of it the weights of branches stay.

The file, little-endian: "TSRSHELF"; uint32 version 1, number of names, number of modules, zero; per module uint64 offset, uint64 size;
then sorted by hash, per name uint64 FNV-1a hash; then in the same order uint32 number of the module; then the modules, aligned to 16."""
import collections
import concurrent.futures
import os
import pathlib
import re
import struct
import subprocess
import sys

PLAIN_TYPES = {"Event": "ptr", "Image": "ptr addrspace(1)", "Sampler": "i32"}  # as clc/service/plain_types.c makes them of programs
NAME = re.compile(r'@("[^"]+"|[\w.$]+)')


def group_of(symbol):
    """The group that a function belongs to, from its mangled name."""
    m = re.match(r"_Z(\d+)", symbol)
    if not m:
        return symbol
    name = symbol[m.end():m.end() + int(m[1])]
    if m2 := re.match(r"convert_([a-z]+\d*?)(_sat)?(_rt.)?$", name):
        return "convert_" + m2[1]
    if m2 := re.match(r"(vstorea?_half\d*|intel_sub_group_block_(?:read|write))", name):
        return m2[1] + ("_image" if "image" in symbol[m.end() + int(m[1]):] else "")
    return name


def fnv(name):
    h = 0xcbf29ce484222325
    for byte in name.encode():
        h = (h ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return h


def clean(text):
    text = re.sub(r"^(attributes #\d+ = \{)(.*)\}$", lambda m: m[1] + " " + " ".join(re.sub(r'"[^"]*"(="[^"]*")?', "", m[2]).split()) + " }",
                  text, flags=re.M)
    text = re.sub(r", !(tbaa|range|fpmath|llvm\.loop|noundef|srcloc|noalias|alias\.scope) !\d+", "", text)
    text = re.sub(r"^.*@llvm\.experimental\.noalias\.scope\.decl.*\n", "", text, flags=re.M)  # of structs that were inlined
    for opaque, plain in PLAIN_TYPES.items():
        text = re.sub(r'target\("spirv\.' + opaque + r'"[^)]*\)', plain, text)
    text = re.sub(r"= (?:tail )?call [^@\n]*@_Z\d+__tsr_image_(?:descriptor|sampler)\w*\((ptr addrspace\(1\)|i32)(?: noundef)? (%[\w.]+)\).*",
                  r"= freeze \1 \2", text)
    text = re.sub(r"call .*@__tsr_is_constant\(i32 (?:noundef )?(%[\w.]+)\).*", r"call i1 @llvm.is.constant.i32(i32 \1)", text)
    text = re.sub(r"^declare .*@__tsr_is_constant.*", "declare i1 @llvm.is.constant.i32(i32)", text, flags=re.M)
    return re.sub(r"^(!(?!.*branch_weights).*|; .*|)\n", "", text, flags=re.M)


def split(text):
    """Heads that every module needs, attribute lines by number, and per symbol its definition, its declaration, whether it is public."""
    heads, attributes, bodies, declarations, public = [], {}, {}, {}, set()
    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith("define "):
            symbol = NAME.search(line)[1]
            head = re.sub(r"^define (?:dso_local |linkonce_odr |internal |private |hidden )*", "", line)
            local = bool(re.match(r"define (?:dso_local )?(internal|private) ", line))
            body = ["define " + ("internal " if local else "linkonce_odr ") + head]
            while body[-1] != "}":
                body.append(next(lines))
            bodies[symbol] = "\n".join(body)
            declarations[symbol] = "declare " + head[:-2]
            if not local:
                public.add(symbol)
        elif line.startswith("declare "):
            declarations[NAME.search(line)[1]] = line.replace("dso_local ", "")
        elif line.startswith("@"):
            symbol = NAME.match(line)[1]
            bodies[symbol] = re.sub(r"^(\S+ = )(?:dso_local |internal |private |hidden )*", r"\1internal ", line)
        elif m := re.match(r"attributes #(\d+)", line):
            attributes[m[1]] = line
        elif line:
            heads.append(line)
    return heads, attributes, bodies, declarations, public


def module_text(symbols, heads, attributes, bodies, declarations, public):
    """A module of the public functions `symbols`, with what is private to them and declarations of the rest."""
    inside, queue, outside = {}, collections.deque(sorted(symbols)), set()
    while queue:
        symbol = queue.popleft()
        if symbol in inside:
            continue
        inside[symbol] = bodies[symbol]
        for used in NAME.findall(bodies[symbol]):
            if used in public and used not in symbols or used not in bodies:
                outside.add(used)
            else:
                queue.append(used)
    parts = [*inside.values(), *(declarations[s] for s in sorted(outside - inside.keys()))]
    numbers = sorted(set(re.findall(r" #(\d+)", "\n".join(parts))), key=int)
    return "\n".join(heads + parts + [attributes[n] for n in numbers]) + "\n"


def main():
    llvm, source, work, out = sys.argv[1:]
    parts = split(clean(open(source).read()))
    groups = collections.defaultdict(set)
    for symbol in parts[4]:
        groups[group_of(symbol)].add(symbol)
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)

    def assemble(job):
        number, symbols = job
        file = work / f"{number}.bc"
        subprocess.run([f"{llvm}/llvm-as", "-o", file, "-"], input=module_text(symbols, *parts).encode(), check=True)
        return file.read_bytes()

    jobs = list(enumerate(groups[g] for g in sorted(groups)))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        modules = list(pool.map(assemble, jobs))
    index = sorted((fnv(symbol), number) for number, symbols in jobs for symbol in symbols)
    if len({h for h, _ in index}) != len(index):
        sys.exit("pack.py: two names have one hash")
    head = b"TSRSHELF" + struct.pack("<4I", 1, len(index), len(modules), 0)
    tail = b"".join(struct.pack("<Q", h) for h, _ in index) + b"".join(struct.pack("<I", n) for _, n in index)
    at = len(head) + 16 * len(modules) + len(tail)
    table, data = b"", b""
    for module in modules:
        data += b"\0" * (-(at + len(data)) % 16)
        table += struct.pack("<2Q", at + len(data), len(module))
        data += module
    with open(out, "wb") as f:
        f.write(head + table + tail + data)


main()
