#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A compiler to SPIR-V with the command line that the Khronos tests expect of one (--compilation-mode spir-v): run_cts.py --spirv FORM starts it.

offline_compiler.py FORM BUILD --mode=spir-v --source=FILE --output=FILE --cl-device-info=FILE [-- OPTIONS]

FORM is one of those of spirv_corpus.py, BUILD a build folder of Tessera."""
import argparse
import os
import pathlib
import shutil
import sys
import tempfile

import spirv_corpus


def main():
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("form", choices=spirv_corpus.FORMS)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--mode", required=True, choices=["spir-v"])
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("--cl-device-info", help="not read: the forms make modules for this driver")
    args = parser.parse_args(words[:end])
    with tempfile.TemporaryDirectory() as scratch:
        wrong = spirv_corpus.make_module(args.form, args.build.resolve(), args.source.resolve(), words[end + 1:], pathlib.Path(scratch))
        if wrong:
            sys.exit(wrong)
        shutil.copy(pathlib.Path(scratch, "out.spv"), args.output)


if __name__ == "__main__":
    main()
