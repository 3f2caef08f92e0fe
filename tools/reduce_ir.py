#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a module small on which the compiler's passes do something wrong, by LLVM's llvm-reduce.

    tools/reduce_ir.py CONDITION… [-o OUT.ll] FILE.ll -- -packets=16 -passes=..widen_full

Behind -- stand the options of tessera-opt (docs/engine.md, Trying a pass): best one pass, on the dump of the one before. What is small must
still meet all conditions; TEXT is an extended regular expression (grep -E) that a line matches:

    --crash           tessera-opt ends by a signal
    --fails TEXT      it refuses the module, and says TEXT: an error of LLVM's verifier, say
    --has TEXT        it succeeds, and its output has TEXT
    --lacks TEXT      it succeeds, and its output lacks TEXT
    --input TEXT      its input has TEXT: with --lacks, what should have become TEXT

    tools/reduce_ir.py --input 'sdiv i32' --lacks 'select i1' k.ll -- -passes=guard_division"""
import argparse
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONDITIONS = ("fails", "has", "lacks", "input")


def judge_of(arguments, folder):
    """A script that tells by its exit code whether a module meets the conditions; llvm-reduce calls it hundreds of times."""
    out, err = folder / "judge.out", folder / "judge.err"
    end = "-ge 128" if arguments.crash else "-eq 1" if arguments.fails else "-eq 0"
    where = {"fails": err, "has": out, "lacks": out, "input": '"$1"'}
    lines = ["#!/bin/sh", f'timeout {arguments.timeout} {shlex.join([arguments.opt, *arguments.options])} "$1" >{out} 2>{err}', f"test $? {end} || exit 1"]
    for name in CONDITIONS:
        lines += [f"{'! ' * (name == 'lacks')}grep -Eq -e {shlex.quote(text)} {where[name]} || exit 1" for text in getattr(arguments, name)]
    script = folder / "judge"
    script.write_text("\n".join(lines) + "\n")
    script.chmod(0o755)
    return script


def reduce(arguments):
    """What is wrong, or None."""
    if not (arguments.crash or arguments.fails or arguments.has or arguments.lacks):
        return "which condition? --crash, --fails, --has or --lacks"
    with tempfile.TemporaryDirectory() as name:
        judge = judge_of(arguments, pathlib.Path(name))
        if subprocess.run([judge, arguments.file]).returncode:
            return f"{arguments.file}: the conditions do not hold to begin with"
        command = [arguments.reduce, f"--test={judge}", f"--max-pass-iterations={arguments.rounds}", "-o", arguments.out, arguments.file]
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode:
            return ended.stderr[-2000:]
        return "what is small does not meet the conditions" if subprocess.run([judge, arguments.out]).returncode else None


def parse(words):
    options = []
    if "--" in words:
        at = words.index("--")
        options, words = words[at + 1:], words[:at]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?")
    parser.add_argument("-o", "--out", default="reduced.ll")
    parser.add_argument("--crash", action="store_true")
    for name in CONDITIONS:
        parser.add_argument(f"--{name}", action="append", default=[], metavar="TEXT")
    parser.add_argument("--opt", default=str(ROOT / "build/lanes/tessera-opt"), help="default: build/lanes/tessera-opt")
    parser.add_argument("--reduce", default="/usr/lib/llvm-22/bin/llvm-reduce", help="llvm-reduce")
    parser.add_argument("--rounds", default="5", help="how often llvm-reduce tries all it can do; default 5")
    parser.add_argument("--timeout", default="60", help="seconds that tessera-opt may take; default 60")
    parser.add_argument("--self-test", action="store_true", help="checks this script on modules of lanes/test")
    arguments = parser.parse_args(words)
    arguments.options = options
    return arguments


def self_test(given):
    """A text that the output lacks, a refusal and a crash, each made small: the function that has nothing to do with it goes."""
    def small(folder, conditions, text, options, opt=given.opt):
        source, out = folder / "large.ll", folder / "small.ll"
        source.write_text(text)
        arguments = parse([*conditions, "--rounds", "1", "--opt", str(opt), "--reduce", given.reduce, "-o", str(out), str(source), "--", *options])
        wrong = reduce(arguments)
        assert not wrong, wrong
        return out.read_text()

    def stands_for_opt(path, script):
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        return path

    unused = "define i32 @unused(i32 %a) {\n  ret i32 %a\n}\n"
    unknown = "declare void @__tsr_unheard_of()\ndefine spir_kernel void @k() {\n  call void @__tsr_unheard_of()\n  ret void\n}\n"
    division = "define i32 @f(i32 %a, i32 %b) {\n  %x = add i32 %a, 7\n  %q = srem i32 %x, %b\n  ret i32 %q\n}\n"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = small(folder, ["--fails", "__tsr_unheard_of.*no primitive"], unused + unknown, ["-passes=lower_primitives"])
        assert text.count("define") == 1 and "__tsr_unheard_of" in text, text
        crashes = stands_for_opt(folder / "crashes", 'if grep -q srem "$1"; then kill -ABRT $$; fi\n')
        text = small(folder, ["--crash"], unused + division, [], crashes)
        assert text.count("define") == 1 and "srem" in text and "add" not in text, text
        forgets = stands_for_opt(folder / "forgets", 'cat "$1"\n')
        text = small(folder, ["--input", "srem", "--lacks", "select i1"], unused + division, [], forgets)
        assert text.count("define") == 1 and "srem" in text and "add" not in text, text
        assert reduce(parse(["--crash", "--opt", given.opt, str(folder / "large.ll"), "--", "-passes=byval"])), "nothing crashes here"
    print("reduce_ir.py: ok")


def main():
    arguments = parse(sys.argv[1:])
    if arguments.self_test:
        return self_test(arguments)
    if not arguments.file:
        return "reduce_ir.py: which file? --help"
    wrong = reduce(arguments)
    if not wrong:
        lines = pathlib.Path(arguments.out).read_text().count("\n")
        print(f"{arguments.out}: {lines} lines")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
