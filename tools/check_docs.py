#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the names in *.md: links lead to a file and a heading, and files, folders and tests in backticks exist.

A name with a slash that begins with a folder of the repository must be a file or folder there, or a test (`base/file_test`); `<name>`, `…`
and `*` stand for anything. Any other name of a source file must be the end of a path: `tessera/item.h`, `tile_webs.c`. A file whose content the
page shows (its name, a colon, and a code block) need not exist: the reader makes it."""
import pathlib
import re
import sys

from check_deps import ROOT, tracked

# Files of others.
OTHERS = {"cl_icd.h", "host_atomics.h", "opencl-c-base.h", "tessera-opencl.h"}
# Folders that a build or a package makes.
MADE = {"build", "dist"}
NAME = re.compile(r"`([\w.+<>…*/-]+)`")
SOURCE = re.compile(r"\.(c|cpp|h|def|S|py|ll|md)$")
SHOWN = re.compile(r"`([\w./-]+)`:\n\n *```")
TEST = re.compile(r"\badd_test\(NAME ([\w-]+)/(\w+)")
LINK = re.compile(r"\]\(([^()\s#]*)(?:#([^()\s]*))?\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.M)
CODE_BLOCK = re.compile(r"^ *```.*?^ *```", re.M | re.S)


def anchors(text):
    """What GitHub makes of headings."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(CODE_BLOCK.sub("", text))}


def is_there(name, files, tests):
    """files: paths of files and folders, as text; tests: folder -> names of its tests."""
    parts = re.split(r"(<[\w-]+>|…|\*)", name.rstrip("/"))
    pattern = "".join("[^/]*" if i % 2 else re.escape(part) for i, part in enumerate(parts))
    folder, _, rest = name.partition("/")
    if folder in MADE or name.startswith("."):
        return True
    if SOURCE.search(name):
        return any(re.fullmatch(pattern if folder in tests else "(.*/)?" + pattern, f) for f in files)
    if folder not in tests or not rest:
        return True
    return any(re.fullmatch(pattern + r"(\.\w+)?", f) for f in files) or rest in tests[folder]


def check(path, pages, files, tests, problems):
    """pages: path -> text of all pages."""
    text = pages[path]
    shown = set(SHOWN.findall(text))
    for name in sorted(set(NAME.findall(text)) - shown - OTHERS):
        if not is_there(name, files, tests):
            problems.append(f"{path}: there is no {name}")
    for target, anchor in LINK.findall(text):
        if ":" in target:
            continue
        to = (ROOT / path.parent / target).resolve().relative_to(ROOT) if target else path
        if str(to) not in files:
            problems.append(f"{path}: there is no {target}")
        elif anchor and to in pages and anchor not in anchors(pages[to]):
            problems.append(f"{path}: {to} has no heading for #{anchor}")


def self_test():
    page, other = pathlib.Path("docs/a.md"), pathlib.Path("docs/b.md")
    files = {"docs", "docs/a.md", "docs/b.md", "base", "base/x.c", "base/test/y_test.c", "include/tessera/z.h"}
    tests = {"base": {"y_test", "z"}, "docs": set(), "include": set()}

    def problems_of(text):
        problems = []
        check(page, {page: text, other: "# A `title`, long\n```\n# no heading\n```\n"}, files, tests, problems)
        return problems

    assert not problems_of("`base/x.c` `base/*.c` `base/<name>.c` `base/` `base/y_test` `base/z` `x.c` `tessera/z.h` `cl_icd.h` `build/a.ll` `.def` `n/m` `-x` "
                           "[b](b.md#a-title-long) [c](https://c/#d) `base/new.c`:\n\n```c\n```\n")
    for name in ("base/y.c", "base/w_test", "base/<name>.h", "y.c", "base/x.h", "tessera/x.c", "docs/c.md"):
        assert problems_of(f"`{name}`") == [f"docs/a.md: there is no {name}"], name
    assert problems_of("[c](c.md)") == ["docs/a.md: there is no c.md"]
    assert problems_of("[b](b.md#no-heading)") == ["docs/a.md: docs/b.md has no heading for #no-heading"]


def main():
    self_test()
    paths = tracked()
    files = {str(parent) for path in paths for parent in path.parents} | {str(path) for path in paths}
    tests = {path.parts[0]: set() for path in paths if len(path.parts) > 1}
    for path in paths:
        if path.name == "CMakeLists.txt":
            for folder, name in TEST.findall((ROOT / path).read_text()):
                tests.setdefault(folder, set()).add(name)
        elif "test" in path.parts[1:-1]:
            tests[path.parts[0]].add(path.stem)
    pages = {path: (ROOT / path).read_text() for path in paths if path.suffix == ".md"}
    problems = []
    for path in pages:
        check(path, pages, files, tests, problems)
    for problem in problems:
        print(problem, file=sys.stderr)
    print("check_docs:", "ok" if not problems else f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
