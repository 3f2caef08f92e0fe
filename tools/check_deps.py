#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that folders include only what stands below them, that files do not call each other in circles, that functions in headers have callers
in other files, that driver and compiler read the environment variables that tessera/env.def gives them, and that files keep to the rules that
a machine can check. --self-test: checks the checks."""
import collections
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
    "clc/spirv": ["clc/common"],
    "tensor": [],
    "clc/service": ["clc/common", "clc/spirv", "lanes", "tensor"],
    "device-amx": ["scheduler"],
    "device-xmx": ["scheduler"],
    "device-xmx/standin": ["clc/common", "clc/client", "scheduler", "device-amx", "device-xmx", "conformance"],
    "icd": ["clc/common", "clc/client", "scheduler", "device-amx", "device-xmx"],
    "examples": [],
    "bench": ["scheduler"],
    "conformance": [],
    "fuzz": ["clc/common", "clc/client", "clc/spirv", "device-amx", "icd", "tensor"],
}
# Header pattern -> the only folders that may include it.
ONLY_IN = [
    (r"CL/cl_icd\.h", ["icd"]),
    (r"CL/", ["icd", "examples", "bench", "conformance", "include", "clc/client/test", "fuzz", "tensor/api"]),
    (r"llvm-c/", ["lanes", "clc/service", "clc/spirv", "tensor/llvm", "conformance/host/host_llvm.c", "fuzz/spirv.c"]),
    (r"(llvm|clang|lld)/", ["clc/service", "lanes"]),
    (r"hwloc\.h", ["scheduler"]),
    (r"xxhash\.h", ["base"]),
    (r"level_zero/|ze_api\.h", ["device-xmx"]),
]
# lanes/ has layers: a file calls files of its own layer and of those above it in this list. Folders in one line are one layer; the files
# of lanes/ itself, the pipeline, may call all.
LANES_LAYERS = [
    ["ir"],
    ["analysis"],
    ["lower"],
    ["prepare"],
    ["after"],
    ["widen", "widen/memory"],
    ["groups"],
    ["matrix"],
    ["matrix/tiles"],
    [""],
]
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)
MAX_LINES = 900
# Lines of a function's body; tests are lists of cases.
MAX_FUNCTION, MAX_TEST_FUNCTION = 80, 100
# The name of a section of a file: one line, which clang-format leaves as it is.
BANNER = re.compile(r"^[ \t]*/\*[ \t]*-{3}.*", re.M)
BANNER_FORM = re.compile(r"/\* ---- [^-\n](.{0,100}[^-\n])? ---- \*/")
FUNCTION = re.compile(r"^(?!#)[A-Za-z_][^\n]*?(\w+)\((?:[^(){};]|\([^()]*\))*\)\n\{\n(.*?)^\}", re.M | re.S)


def folder_of(path):
    parts = path.parts
    return "/".join(parts[:2]) if parts[0] == "clc" and len(parts) > 2 or parts[:2] == ("device-xmx", "standin") else parts[0]


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
    for banner in BANNER.findall(text):
        if not BANNER_FORM.fullmatch(banner.strip()):
            problems.append(f"{path}: a section begins with one line, /* ---- its name ---- */: {banner.strip()}")
    if path.suffix in (".c", ".cpp", ".h"):
        most = MAX_TEST_FUNCTION if "test" in path.parts else MAX_FUNCTION
        for name, body in FUNCTION.findall(text):
            if body.count("\n") > most:
                problems.append(f"{path}: {name} has {body.count(chr(10))} lines; cut functions above {most} into steps")


# ---- which file calls which: from the text, so that it can be told before anything is built ----

NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
# A definition begins a line; what is static is no other file's business.
DEFINITION = re.compile(r"^(?!static\b|extern\b|typedef\b|return\b|#)[A-Za-z_][^;{}()=]*?\b(tsr_\w+)\s*(?:\([^;{}]*\)\s*\{|(?:\[[^;{}]*\])?\s*(?:=|;))",
                        re.M)
# Names that a macro makes of a list: tsr__pass_##name stands for all that begin so.
PASTED = re.compile(r"\b(tsr_\w+)##")
USE = re.compile(r"(?<!struct )(?<!enum )(?<!union )\b(tsr_\w+)\b")


def is_called_file(path):
    return path.suffix in (".c", ".cpp") and path.parts[0] not in ("conformance", "examples", "bench", "fuzz") and not {
        "test", "tool"
    } & set(path.parts)


def call_graph(sources):
    """sources: path -> text. Path -> path -> names that it uses of it. Names that several files define (one is linked) count for none."""
    defined, code = collections.defaultdict(set), {}
    for path, text in sources.items():
        code[path] = NOT_CODE.sub(lambda m: '""' if m.group()[0] == '"' else " ", text)
        for name in DEFINITION.findall(code[path]):
            defined[name].add(path)
    owner = {name: next(iter(paths)) for name, paths in defined.items() if len(paths) == 1}
    graph = {path: collections.defaultdict(set) for path in sources}
    for path, text in code.items():
        names = set(USE.findall(text)) & owner.keys()
        for prefix in PASTED.findall(text):
            names |= {name for name in owner if name.startswith(prefix)}
        for name in names:
            if owner[name] != path:
                graph[path][owner[name]].add(name)
    return graph


def cycles(graph):
    """Sets of files of which each calls all others, directly or not: Tarjan's strongly connected components."""
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in graph[v]:
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            members = set()
            while not members or w != v:
                w = stack.pop()
                members.add(w)
            if len(members) > 1:
                found.append(members)

    for v in graph:
        if v not in index:
            visit(v)
    return found


def layer_of(path):
    """Number of the layer of a file of lanes/; -1: a folder that is in none."""
    folder = "/".join(path.parts[1:-1])
    return next((i for i, names in enumerate(LANES_LAYERS) if folder in names), -1)


def check_layer(path, text, problems):
    if path.parts[0] != "lanes" or {"test", "tool"} & set(path.parts):
        return
    if layer_of(path) < 0:
        problems.append(f"{path}: its folder is in no layer of lanes/: see LANES_LAYERS")
    for _, header in INCLUDE.findall(text):
        if header.startswith("lanes/") and header.endswith(".h") and layer_of(pathlib.Path(header)) > layer_of(path):
            problems.append(f"{path}: includes {header} of a higher layer")


def check_calls(sources, problems):
    graph = call_graph(sources)
    for members in cycles(graph):
        problems.append("files call each other in a circle: " + ", ".join(sorted(map(str, members))))
        for user in sorted(members):
            for used in sorted(members & graph[user].keys()):
                problems.append(f"    {user} -> {used}: {', '.join(sorted(graph[user][used]))}")
    for user, uses in graph.items():
        if user.parts[0] != "lanes":
            continue
        for used, names in uses.items():
            if used.parts[0] == "lanes" and layer_of(used) > layer_of(user):
                problems.append(f"{user} calls a higher layer: {used}: {', '.join(sorted(names))}")


# ---- who reads an environment variable, and who should by the column `side` of tessera/env.def ----

ENV_LINE = re.compile(r"^TSR_ENV\((\w+), \w+, (\w+),", re.M)
ENV_USE = re.compile(r"\bTSR_ENV_(\w+)\b")
# Where code is that the driver, the compiler or both are made of. Others (tests, tools) may read what they like.
READS_AS = {"icd": "HOST", "scheduler": "HOST", "device-amx": "HOST", "device-xmx": "HOST", "clc/client": "HOST", "lanes": "COMPILER", "clc/service": "COMPILER", "clc/spirv": "COMPILER",
            "base": "BOTH", "clc/common": "BOTH"}
# Read by both, but kept from the compiler: memory that ends in the driver does not end there at the same count.
KEPT_FROM_COMPILER = ["FAIL_ALLOC"]


def check_sides(table, sources, problems):
    """table: text of env.def."""
    sides = dict(ENV_LINE.findall(table))
    used = set()
    for path, text in sources.items():
        reader = READS_AS.get(folder_of(path))
        for name in set(ENV_USE.findall(NOT_CODE.sub(" ", text))) & sides.keys() if reader else ():
            used.add(name)
            if sides[name] not in (reader, "BOTH") and name not in KEPT_FROM_COMPILER:
                problems.append(f"{path}: reads TESSERA_{name} on the side {reader}; tessera/env.def says {sides[name]}")
    problems.extend(f"tessera/env.def: nobody reads TESSERA_{name}" for name in sides.keys() - used)


# ---- functions that a header offers and nobody takes ----

DECLARATION = re.compile(r"^(?!static\b)[A-Za-z_][\w *]*?\b(tsr_\w+)\([^{};]*\)[^{};()]*(?:\([^{};]*\)+)?;", re.M)


def check_offers(sources, problems):
    """sources: path -> text, of headers too. A function that a header declares is called by a file other than its own, or in a header."""
    code = {path: NOT_CODE.sub(" ", text) for path, text in sources.items()}
    users = collections.defaultdict(collections.Counter)
    for path, text in code.items():
        for name in USE.findall(text):
            users[name][path] += 1
    for path, text in code.items():
        for name in DECLARATION.findall(text) if path.suffix == ".h" else ():
            in_headers = sum(count for user, count in users[name].items() if user.suffix == ".h")
            if in_headers < 2 and sum(user.suffix != ".h" for user in users[name]) < 2:
                problems.append(f"{path}: only the file of {name} calls it: make it static, or take it away")


def self_test():
    """Made-up sources with a circle by way of a call, a variable and a pasted name; and sources with none."""
    def problems_of(**texts):
        problems = []
        check_calls({pathlib.Path("lanes", name.replace("_in_", "/") + ".c"): text for name, text in texts.items()}, problems)
        return problems

    one = "struct x;\nvoid tsr__one(struct x *x)\n{\n    %s\n}\n"
    two = "const int tsr__two = 2;\n%s\n"
    assert problems_of(ir_in_a=one % "use(tsr__two);", ir_in_b=two % "void tsr__use(void)\n{\n    tsr__one(0);\n}")[1:] == [
        "    lanes/ir/a.c -> lanes/ir/b.c: tsr__two", "    lanes/ir/b.c -> lanes/ir/a.c: tsr__one"]
    assert problems_of(ir_in_a=one % "use(tsr__two);", ir_in_b=two % "const void *const all[] = {\n#define X(n) tsr__##n,\n};")
    assert not problems_of(ir_in_a=one % "use(tsr__two);", ir_in_b=two % "/* tsr__one() is not called */ struct tsr__one;")
    assert problems_of(ir_in_a=one % "use(tsr__two);", lower_in_b=two % "") == [
        "lanes/ir/a.c calls a higher layer: lanes/lower/b.c: tsr__two"]
    assert not problems_of(lower_in_a=one % "use(tsr__two);", ir_in_b=two % "")
    problems = []
    for lines in (MAX_FUNCTION, MAX_FUNCTION + 1):
        check(pathlib.Path("icd/a.c"), "/* SPDX-License-Identifier: Apache-2.0 */\nstatic int f(int (*g)(void),\n      int x)\n{\n" + "    g();\n" * lines + "}\n", problems)
    assert problems == [f"icd/a.c: f has {MAX_FUNCTION + 1} lines; cut functions above {MAX_FUNCTION} into steps"]
    problems = []
    check(pathlib.Path("icd/a.c"), "/* SPDX-License-Identifier: Apache-2.0 */\n/* ---- life ---- */\n/* ---- order -------\n */\n", problems)
    assert problems == ["icd/a.c: a section begins with one line, /* ---- its name ---- */: /* ---- order -------"]
    problems = []
    check_sides('TSR_ENV(A, ANYBODY, HOST, "n", "", "")\nTSR_ENV(B, ANYBODY, BOTH, "n", "", "")\nTSR_ENV(C, ANYBODY, HOST, "n", "", "")\n',
                {pathlib.Path("lanes/a.c"): "TSR_ENV_A, TSR_ENV_B", pathlib.Path("icd/b.c"): "TSR_ENV_A, TSR_ENV_B /* TSR_ENV_C */"}, problems)
    sides = problems
    problems = []
    check_offers({pathlib.Path(name): text for name, text in (
        ("a.h", "int tsr__one(int x); /* tsr__two() */\nint tsr__two(void);"), ("a.c", "int tsr__one(int x)\n{\n}\nint tsr__two(void)\n{\n}\n"),
        ("b.c", "int b = tsr__one(1);"))}, problems)
    assert problems == ["a.h: only the file of tsr__two calls it: make it static, or take it away"]
    assert sides == ["lanes/a.c: reads TESSERA_A on the side COMPILER; tessera/env.def says HOST", "tessera/env.def: nobody reads TESSERA_C"]


def main():
    self_test()
    if "--self-test" in sys.argv:
        return 0
    problems = []
    sources = {path: (ROOT / path).read_text() for path in tracked() if is_called_file(path)}
    check_calls(sources, problems)
    check_offers({path: (ROOT / path).read_text() for path in tracked() if path.suffix in (".c", ".h", ".cpp", ".def", ".S", ".cl")}, problems)
    check_sides((ROOT / "include/tessera/env.def").read_text(), sources, problems)
    for path in tracked():
        if path.suffix in (".c", ".h", ".cpp", ".cl", ".def", ".S", ".inc"):
            text = (ROOT / path).read_text()
            check(path, text, problems)
            check_layer(path, text, problems)
    for problem in problems:
        print(problem, file=sys.stderr)
    print("check_deps:", "ok" if not problems else f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
