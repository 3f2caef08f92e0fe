#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Modules in SPIR-V that say themselves what must come of them: conformance/modules/*.spvasm.

spirv_modules.py OUT [-d BUILD] [FILE...]

Each FILE (default: all of them) begins with the directives of conformance/run_kernels.c, behind "; ". tools/spirv_as.py makes OUT/NAME-0.spv of
it, which runs in both engines. Besides, a file may say what becomes of it with other words:

  ; refuse: "OLD" => "NEW": TEXT     with every OLD replaced by NEW the compiler refuses the module, and its log has the TEXT
  ; accept: "OLD" => "NEW"           … takes it

  ; prints: TEXT                     what printf must write, among other things
  ; llvm: TEXT                       what the module has in LLVM's form, built with -g
  ; explain: TEXT                    what TESSERA_EXPLAIN says of it; for both, any white space counts as one blank

OLD and NEW are written as strings of Python."""
import argparse
import ast
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import spirv_as  # noqa: E402

VARIANT = re.compile(r'^; (refuse|accept): ("(?:[^"\\]|\\.)*") => ("(?:[^"\\]|\\.)*")(?:: (.+))?$', re.M)

SAYINGS = re.compile(r"^; (prints|llvm|explain): (.+)$", re.M)


def compile_module(args, words, scratch, *options, out="/dev/null", **variables):
    """Exit status and log of the compiler, with what it writes if `out` is -."""
    module = pathlib.Path(scratch, "variant.spv")
    module.write_bytes(words)
    env = dict(os.environ, TESSERA_CACHE_DIR=scratch, **variables)
    compiler = [args.driver / "lib/tessera/tessera-cc", "-c", module, "-o", out, *options]
    done = subprocess.run(compiler, capture_output=True, text=True, errors="replace", env=env, timeout=100)
    return done.returncode, done.stderr + done.stdout


def check_variants(args, file, text):
    """Lines that say what is not as it should be."""
    body = "".join(line for line in text.splitlines(True) if not line.startswith("; "))
    with tempfile.TemporaryDirectory() as scratch:
        for verb, old, new, wanted in VARIANT.findall(text):
            old, new = ast.literal_eval(old), ast.literal_eval(new)
            if old not in body or bool(wanted) != (verb == "refuse"):
                yield f"{file.name}: {old!r} is not in the module, or a text is missing or one too many"
                continue
            status, log = compile_module(args, spirv_as.assemble(body.replace(old, new)), scratch)
            if (status == 1) != (verb == "refuse") or status not in (0, 1) or wanted not in log:
                yield f"{file.name}: with {new!r} the compiler ends with {status}: {log.strip() or 'no word'}; wanted: {wanted or 'none'}"


def check_sayings(args, file, text):
    ways = {"llvm": (["--emit-llvm", "-g"], {"out": "-"}), "explain": ([], {"TESSERA_EXPLAIN": "1"})}
    with tempfile.TemporaryDirectory() as scratch:
        for verb, wanted in SAYINGS.findall(text):
            options, others = ways.get(verb, ([], {}))
            if verb in ways:
                status, log = compile_module(args, spirv_as.assemble(text), scratch, *options, **others)
                if status or wanted not in " ".join(log.split()):
                    yield f"{file.name}: the compiler ends with {status}, without '{wanted}':\n{log}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("-d", "--driver", type=pathlib.Path, default=ROOT / "build", help="build folder of Tessera")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    files, wrong = args.files or sorted((ROOT / "conformance/modules").glob("*.spvasm")), []
    for file in files:
        text = file.read_text()
        (args.out / f"{file.stem}-0.spv").write_bytes(spirv_as.assemble(text))
        wrong += [*check_variants(args, file, text), *check_sayings(args, file, text)]
    for engine in ("lanes", "reference"):
        with tempfile.TemporaryDirectory() as scratch:
            env = dict(os.environ, OCL_ICD_VENDORS=str(args.driver / "vendors"), TESSERA_ENGINE=engine, TESSERA_CACHE_DIR=scratch)
            for file in files:
                command = [args.driver / "conformance/conformance_run_kernels", "--il", args.out, file]
                done = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace", timeout=300)
                missing = [wanted for verb, wanted in SAYINGS.findall(file.read_text()) if verb == "prints" and wanted not in done.stdout]
                if done.returncode or missing:
                    wrong.append(f"{file.name}, {engine}: {done.returncode}, not printed: {missing}\n{done.stdout}{done.stderr}")
    print("\n".join(wrong) or f"{len(files)} modules in two engines")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
