#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# startup.sh PROGRAM: a program that lists devices and makes every query starts no thread and no process, and opens no file of LLVM.
# Exit code 77 means skipped.
set -euo pipefail
command -v strace >/dev/null || { echo "skipped: no strace"; exit 77; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
strace -f -o "$log" -e trace=clone,clone3,fork,vfork,execve,openat,open "$1" look || { cat "$log"; exit 1; }
grep -q libtessera.so "$log" || { echo "the driver was not loaded"; exit 1; }
if grep -E '(clone3?|v?fork)\(' "$log"; then
  echo "it starts a thread or a process"
  exit 1
fi
if grep -E 'LLVM|libclang|liblld|tessera-cc|builtins\.bc' "$log"; then
  echo "it opens files of the compiler"
  exit 1
fi
echo "$(grep -c open "$log") files opened, no thread, no process"
