#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes SPIR-V of the kernel files of the tree, by compilers that others have written, and runs those of conformance/kernels with it.

spirv_corpus.py OUT [-d BUILD] [-f FORM]... [-k NAME]... [-m] [-r] [-t] [-e EXPECT]

OUT/FORM/NAME-RUN.spv is kernels/NAME.cl with its line of options number RUN (from 0), or another kernel file of the tree with number 0. A form is a way
to make modules:

  plain     the front end of BUILD, LLVM's own writer of SPIR-V, version 1.2 of SPIR-V, no extension
  newer     the same in version 1.4 with every extension
  optimized the same after LLVM's optimizer
  clang15   clang 15 and the translator of the Khronos group: packages clang-15, llvm-spirv-15

OUT/FORM.txt has a line for each: whether there is a module (or what the compiler says), what spirv-val says of it, and the translator on its way back.
Then conformance_run_kernels takes each module in the place of its source, in both engines, and results are compared with EXPECT
(conformance/expect/spirv.txt): lines FORM,FORM… NAME ENGINE RESULT REASON, where * stands for any form, any other kernel or any engine, of what does
not pass. -m makes modules only, -r runs those that are there; -t has an installed translator read them (TESSERA_SPIRV=translator), under the name of the
form with +translator behind it, and *+translator stands for any of these. Exit status 77: a compiler is not installed."""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OTHERS = ["bench/gemm/kernels.cl", "bench/suite/kernels/*.cl", "conformance/traps/*.cl", "examples/*/*.cl", "fuzz/seeds/*.cl"]
LLC = ["llc-22", "-O0", "-filetype=obj"]
NEWER = [*LLC, "-mtriple=spirv64-unknown-unknown", "--spirv-ext=all", "in.ll", "-o", "out.spv"]
FRONT = ["{cc}", "-c", "{source}", "-o", "in.ll", "--emit-llvm", "{options}"]
FORMS = {
    "plain": [FRONT, [*LLC, "-mtriple=spirv64v1.2-unknown-unknown", "in.ll", "-o", "out.spv"]],
    "newer": [FRONT, NEWER],
    "optimized": [FRONT, ["opt-22", "-passes=default<O2>", "-S", "in.ll", "-o", "in.ll"], NEWER],
    "clang15": [
        ["clang-15", "-c", "-emit-llvm", "-O1", "-target", "spir64-unknown-unknown", "-Xclang", "-finclude-default-header", "-cl-ext=+all",
         "-U__IMAGE_SUPPORT__", "-w", "-I{folder}", "{options}", "{source}", "-o", "in.bc"],
        ["llvm-spirv-15", "--spirv-ext=+all", "--spirv-allow-unknown-intrinsics=llvm.", "in.bc", "-o", "out.spv"],
    ],
}
ENGINES = ["lanes", "reference"]


def run_steps(steps, folder, values):
    """None, or what the first failing step says."""
    for step in steps:
        words = [word for part in step for word in (values["options"] if part == "{options}" else [part.format(**values)])]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=300, env=values["env"])
        if done.returncode:
            lines = [line.strip() for line in done.stderr.splitlines() + done.stdout.splitlines() if line.strip()]
            wrong = next((line for line in lines if re.search(r"error|fatal|assert|unable|cannot", line, re.I)), lines[0] if lines else "")
            return f"{pathlib.Path(words[0]).name}: {wrong or done.returncode}"
    return None


def make_module(form, driver, source, options, scratch):
    """Writes scratch/out.spv. None, or what the first failing step says."""
    env = dict(os.environ, TESSERA_CACHE_DIR=str(scratch))
    values = {"cc": str(driver / "lib/tessera/tessera-cc"), "source": str(source), "folder": str(source.parent), "options": options, "env": env}
    return run_steps(FORMS[form], scratch, values)


def verdict(words, folder):
    if not shutil.which(words[0]):
        return "unasked"
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=300)
    text = (done.stderr + done.stdout).strip().splitlines()
    return "ok" if done.returncode == 0 else f"refused ({text[0][:150] if text else done.returncode})"


def runs_of(source):
    """The lines of options of a kernel file."""
    lines = re.findall(r"^// options: *(.*)$", source.read_text(), re.M) if source.parent.name == "kernels" else []
    return [line.split() for line in lines] or [["-cl-std=CL3.0"]]


def make(args, sources, form):
    """Writes OUT/FORM/*.spv and OUT/FORM.txt; returns what became of the modules, name -> verdicts."""
    out = args.out / form
    out.mkdir(parents=True, exist_ok=True)
    results = {}
    with tempfile.TemporaryDirectory() as scratch:
        for source in sources:
            for run, options in enumerate(runs_of(source)):
                name, target = f"{source.stem}-{run}", pathlib.Path(scratch, "out.spv")
                wrong = make_module(form, args.driver, source, options, scratch)
                if wrong:
                    results[name] = [f"none ({wrong[:200]})"]
                    (out / f"{name}.spv").unlink(missing_ok=True)
                    continue
                results[name] = ["made", "val " + verdict(["spirv-val", "out.spv"], scratch),
                                 "translator " + verdict(["llvm-spirv-15", "-r", "out.spv", "-o", "back.bc"], scratch)]
                target.rename(out / f"{name}.spv")
    (args.out / f"{form}.txt").write_text("".join(f"{name}: {'; '.join(words)}\n" for name, words in sorted(results.items())))
    counts = collections.Counter(word.split(" (")[0] for words in results.values() for word in words)
    print(f"{form}: " + ", ".join(f"{count} {word}" for word, count in sorted(counts.items())), flush=True)


def run(args, sources, form, log_form):
    """Runs the kernel files; (name, engine) -> pass, skip, fail, crash, timeout."""
    results = {}
    for source in sources:
        if not source.match("conformance/kernels/*") or not list((args.out / form).glob(f"{source.stem}-*.spv")):
            continue
        for engine in ENGINES:
            with tempfile.TemporaryDirectory() as scratch:
                env = dict(os.environ, OCL_ICD_VENDORS=str(args.driver / "vendors"), TESSERA_ENGINE=engine, TESSERA_CACHE_DIR=scratch,
                           TESSERA_SPIRV="translator" if args.translator else "reader")
                command = [args.driver / "conformance/conformance_run_kernels", "--il", args.out / form, source]
                try:
                    done = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace", timeout=300)
                    result = {0: "pass", 1: "fail", 77: "skip"}.get(done.returncode, "crash")
                    text = (done.stdout + done.stderr).strip()
                except subprocess.TimeoutExpired:
                    result, text = "timeout", ""
            results[source.stem, engine] = result
            (args.out / f"{log_form}.{engine}.{source.stem}.log").write_text(text + "\n")
    return results


def expected(path, form):
    """(name, engine) -> result, of what does not pass."""
    suffix = "+translator" if form.endswith("+translator") else ""
    lines = [line.split(maxsplit=4) for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {(name, engine): result for forms, name, engines, result, _ in lines if {form, f"*{suffix}"} & set(forms.split(","))
            for engine in ENGINES if engines in (engine, "*")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("-d", "--driver", type=pathlib.Path, default=ROOT / "build", help="build folder of Tessera")
    parser.add_argument("-f", "--form", action="append", choices=FORMS, help="default: all")
    parser.add_argument("-k", "--kernel", action="append", help="names of kernel files, default: all")
    parser.add_argument("-m", "--make", action="store_true", help="make modules, run nothing")
    parser.add_argument("-r", "--run", action="store_true", help="make nothing")
    parser.add_argument("-t", "--translator", action="store_true", help="have an installed llvm-spirv read the modules")
    parser.add_argument("-e", "--expect", type=pathlib.Path, default=ROOT / "conformance/expect/spirv.txt")
    args = parser.parse_args()
    args.out, args.driver = args.out.resolve(), args.driver.resolve()
    missing = [step[0] for form in args.form or FORMS for step in FORMS[form] if step is not FRONT and not shutil.which(step[0])]
    if missing and not args.run:
        print("not installed: " + " ".join(sorted(set(missing))))
        return 77
    sources = sorted((ROOT / "conformance/kernels").glob("*.cl")) + sorted(path for pattern in OTHERS for path in ROOT.glob(pattern))
    sources = [source for source in sources if not args.kernel or source.stem in args.kernel]
    different = 0
    for form in args.form or FORMS:
        if not args.run:
            make(args, sources, form)
        if args.make:
            continue
        name = f"{form}+translator" if args.translator else form
        results, exceptions = run(args, sources, form, name), expected(args.expect, name)
        counts = collections.Counter(results.values())
        print(f"{name}: " + ", ".join(f"{count} {result}" for result, count in sorted(counts.items())), flush=True)
        for (kernel, engine), result in sorted(results.items()):
            wanted = exceptions.get((kernel, engine), exceptions.get(("*", engine), "pass"))
            if result != wanted:
                print(f"different: {name} {kernel} {engine} {result}, expected {wanted}: {args.out / f'{name}.{engine}.{kernel}.log'}")
                different += 1
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
