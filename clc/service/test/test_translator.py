#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_translator.py BUILD: TESSERA_SPIRV=translator, with programs in the place of llvm-spirv that end well, badly, by a signal or never, and with none; from
the command line, and behind the jail of the compiler process that the driver starts."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import spirv_as  # noqa: E402

BUILD = pathlib.Path(sys.argv[1])
SOURCE = ROOT / "conformance/modules/clock.spvasm"
# Name of the program, what it does, and what the log says; None: the module is taken.
CASES = [
    ("llvm-spirv", 'cat "$BITCODE"', None),
    ("llvm-spirv-17", 'test "$1 $2 $3 $4" = "-r /dev/stdin -o -" && cmp -s /dev/stdin "$MODULE" && cat "$BITCODE"', None),
    ("llvm-spirv-22", 'echo no such thing >&2; exit 3', "llvm-spirv-22 refuses the module, with exit status 3: no such thing"),
    ("llvm-spirv-15", 'echo oh >&2; kill -ABRT $$', "llvm-spirv-15 crashes on the module, by signal 6: oh"),
    ("llvm-spirv", "echo this is no bitcode", "llvm-spirv writes a module that LLVM cannot read"),
    ("llvm-spirv", "exit 0", "llvm-spirv writes a module that LLVM cannot read"),
    ("llvm-spirv-14", 'cat "$BITCODE"', "PATH has neither llvm-spirv nor llvm-spirv-22 to llvm-spirv-15"),
]


def run(command, env, **more):
    done = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace", timeout=100, **more)
    return done.returncode, done.stdout + done.stderr


def install(folder, name, text):
    for old in folder.iterdir():
        old.unlink()
    program = folder / name
    program.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{text}\n")
    program.chmod(0o755)


def main():
    compiler = BUILD / "lib/tessera/tessera-cc"
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        module, bitcode, programs, cache = scratch / "clock-0.spv", scratch / "clock.bc", scratch / "bin", scratch / "cache"
        module.write_bytes(spirv_as.assemble(SOURCE.read_text()))
        programs.mkdir()
        cache.mkdir()
        plain = {name: value for name, value in os.environ.items() if not name.startswith("TESSERA_")}
        status, log = run([compiler, "-c", module, "-o", bitcode, "--object", "--code"], plain)
        assert status == 0, log
        env = dict(plain, PATH=str(programs), TESSERA_SPIRV="translator", TESSERA_CACHE_DIR=str(cache), BITCODE=str(bitcode), MODULE=str(module),
                   OCL_ICD_VENDORS=str(BUILD / "vendors"))
        for name, text, wanted in CASES:
            install(programs, name, text)
            status, log = run([compiler, "-c", module, "-o", scratch / "out"], env)
            assert (status == 0) == (wanted is None) and (wanted or "") in log, (name, text, status, log)
            status, log = run([BUILD / "conformance/conformance_run_kernels", "--il", scratch, SOURCE], env)
            assert (status == 0) == (wanted is None) and (wanted or "") in log, (name, text, status, log)
        # The code of packets that are not full is made later, of the program's bitcode alone, whoever has made that.
        kept = [file for file in cache.rglob("*") if file.is_file() and file.name != "CACHEDIR.TAG"]
        assert len(kept) == 1, f"a program that a translator had a part in was kept: {kept}"
        # The library in the application, which starts nothing.
        install(programs, "llvm-spirv", 'cat "$BITCODE"')
        status, log = run([BUILD / "conformance/conformance_run_kernels", "--il", scratch, SOURCE], dict(env, TESSERA_CC_MODE="inprocess"))
        assert status and "needs a compiler process" in log, log
        # One that does not end: the limit of a build counts for it, and it is not left behind.
        install(programs, "llvm-spirv", f"echo $$ > {scratch}/pid; exec sleep 1000")
        status, log = run([BUILD / "conformance/conformance_run_kernels", "--il", scratch, SOURCE], dict(env, TESSERA_CC_TIMEOUT="1"))
        assert status, log
        pid = int((scratch / "pid").read_text())
        for _ in range(100):
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                break
            time.sleep(0.1)
        else:
            raise AssertionError("the translator runs on")
        # Other values of the variable mean the reader.
        install(programs, "llvm-spirv", "exit 1")
        status, log = run([compiler, "-c", module, "-o", scratch / "out"], dict(env, TESSERA_SPIRV="reader"))
        assert status == 0, log


if __name__ == "__main__":
    main()
