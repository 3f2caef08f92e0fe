#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does pack.py make the same library each time? same_library.py LLVM_BIN PACK.py WORK_DIR

Python's sets have another order in each process. The order of functions and tables in a module is that of the code of programs."""
import os
import pathlib
import subprocess
import sys

llvm, pack, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
TYPES = ["f", "d", "Dh", "Dv2_f", "Dv3_f", "Dv4_f", "Dv8_f", "Dv16_f"]
work.mkdir(parents=True, exist_ok=True)
source = work / "library.ll"
source.write_text("".join(f"@table{i} = private constant i32 {i}\ndefine i32 @_Z3sin{kind}(i32 %x) {{\n  %y = load i32, ptr @table{i}\n"
                          "  ret i32 %y\n}\n" for i, kind in enumerate(TYPES)))
made = set()
for seed in range(4):
    library = work / f"{seed}.shelf"
    subprocess.run([sys.executable, pack, llvm, source, work / "modules", library], env=os.environ | {"PYTHONHASHSEED": str(seed)}, check=True)
    made.add(library.read_bytes())
sys.exit(f"{len(made)} libraries from one source" if len(made) > 1 else 0)
