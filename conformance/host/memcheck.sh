#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# valgrind reads the driver, finds its functions by name, and has nothing to say of a program that uses it: memcheck.sh LIBRARY PROGRAM
# Exit code 77 means that there is no valgrind.
set -uo pipefail
command -v valgrind >/dev/null || { echo "no valgrind"; exit 77; }
said=$(valgrind --error-exitcode=99 --trace-children=no "$2" 2>&1)
status=$?
# Debug information that valgrind does not understand ends the run or is left out; both are told in such words.
if [ $status -ne 0 ] || grep -qE "unhandled dwarf|debuginfo reader|corrupted debuginfo" <<<"$said"; then
  echo "$said"
  exit 1
fi
newest=$(readelf --debug-dump=info "$1" 2>/dev/null | sed -n 's/^ *Version: *//p' | sort -n | tail -1)
if [ "${newest:-0}" -gt 4 ]; then
  echo "$1 has debug information of DWARF $newest"
  exit 1
fi
