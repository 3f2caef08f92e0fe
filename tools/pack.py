#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs a bundle with tests and benchmarks for a machine that has nothing but Python 3: tools/pack.py BUILD_FOLDER OUT_FOLDER

BUILD_FOLDER is one of -DTESSERA_BUNDLE=ON in which tools/bundle.sh has staged the bundle. Which tests there are, with their arguments and
environment, comes from ctest; those of SUITES go along. On the other machine check.py runs them."""
import json
import os
import re
import shutil
import subprocess
import sys

SUITES = r"matrix\.|conformance\."
BENCHES = ("suite", "gemm", "chain", "groups", "launch", "queue", "madw", "math")
DATA = ("bench/suite/kernels", "bench/gemm/kernels.cl", "bench/gemm/styles.cl", "conformance/matrix/gemm.cl", "examples/gemm/gemm.cl",
        "examples/cooperative/cooperative.cl")
PROGRAMS = ("conformance/kgen/conformance_kgen", "conformance/conformance_run_kernels")
OPENED = ("libdnnl.so.2",)  # by benchmarks, if it is there
# Every Linux has these.
SYSTEM = r"linux-vdso|ld-linux|lib(c|m|pthread|dl|rt)\.so"

source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Pack:
    def __init__(self, build, root):
        self.build, self.root, self.libraries = build, root, set()

    def program(self, path):
        """Copies a program and what it links; its name in the pack."""
        name = "bin/" + os.path.basename(path)
        if not os.path.exists(os.path.join(self.root, name)):
            os.makedirs(os.path.join(self.root, "bin"), exist_ok=True)
            subprocess.run(["strip", "-o", os.path.join(self.root, name), path], check=True)
            self.linked(path)
        return name

    def library(self, name, path):
        """Copies a shared library, for all that ask for it by this name; one of ours to where the driver is, beside the compiler's folder."""
        if not re.search(SYSTEM, name) and name not in self.libraries:
            self.libraries.add(name)
            folder = self.root if path.startswith(self.build + "/") else os.path.join(self.root, "lib")
            os.makedirs(folder, exist_ok=True)
            shutil.copy(path, os.path.join(folder, name))

    def linked(self, path):
        """Copies what a program or library links."""
        for line in subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout.splitlines():
            found = re.match(r"\s*(\S+) => (/\S+)", line)
            if found:
                self.library(found[1], found[2])

    def data(self, path):
        """Copies a file or folder of the sources to the same place in the pack."""
        to = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        if os.path.isdir(os.path.join(source, path)):
            shutil.copytree(os.path.join(source, path), to, dirs_exist_ok=True)
        else:
            shutil.copy(os.path.join(source, path), to)
        return path

    def word(self, word):
        """A word of a test's command line or environment, as it is in the pack."""
        if os.path.isfile(word) and word.startswith(self.build + "/"):
            return self.program(word) if os.access(word, os.X_OK) else None
        if os.path.isfile(word) and word.startswith(source + "/"):
            return None if os.access(word, os.X_OK) else self.data(os.path.relpath(word, source))
        return None if word.startswith("/") else word

    def test(self, test):
        """One line of tests.json, or None if it needs what is only on this machine."""
        command = [self.word(word) for word in test["command"]]
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        environment = dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", []) if not e.startswith("OCL_ICD_"))
        if None in command or any(value.startswith("/") for value in environment.values()):
            return None
        skip = properties.get("SKIP_RETURN_CODE")
        return {"name": test["name"], "command": command, "environment": environment, "skip": skip}


def main():
    build, out = os.path.abspath(sys.argv[1]), sys.argv[2]
    bundle = next(name for name in os.listdir(os.path.join(build, "stage")) if re.fullmatch(r"tessera-[0-9.]+-x86_64", name))
    root = os.path.join(build, "stage", "tests")
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(os.path.join(build, "stage", bundle), root)
    pack = Pack(build, root)
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    tests = [pack.test(t) for t in json.loads(listed)["tests"] if re.match(SUITES, t["name"])]
    tests = [t for t in tests if t]
    with open(os.path.join(root, "tests.json"), "w") as file:
        json.dump(tests, file, indent=1)
    benches = [os.path.join("bench", "bench_" + name) for name in BENCHES]
    for path in (*PROGRAMS, *benches):
        if os.path.exists(os.path.join(build, path)):
            pack.program(os.path.join(build, path))
    for name, path in re.findall(r"^\s*(\S+) .*=> (\S+)", subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True,
                                                                            check=True).stdout, re.M):
        if name in OPENED:
            pack.library(name, path)
            pack.linked(path)
    for path in DATA:
        pack.data(path)
    shutil.copy(os.path.join(source, "tools", "check.py"), root)
    name = bundle.replace("x86_64", "tests")
    archive = os.path.join(out, name + ".tar.xz")
    rename = "s,^tests,%s," % name
    with open(archive, "wb") as file:
        tar = subprocess.Popen(
            ["tar", "-C", os.path.dirname(root), "--owner=0", "--group=0", "--sort=name", "--transform", rename, "-c", "tests"],
            stdout=subprocess.PIPE)
        subprocess.run(["xz", "-T0", "-6"], stdin=tar.stdout, stdout=file, check=True)
        if tar.wait():
            sys.exit("pack: tar failed")
    print("%s: %d tests, %d KiB" % (archive, len(tests), os.path.getsize(archive) >> 10))


main()
