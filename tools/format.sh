#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats the C and C++ sources with clang-format; with --check only tells which differ. OpenCL C and .def tables are left as written.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files -- "*.c" "*.h" "*.cpp" ":!builtins")
if [ "${1:-}" = --check ]; then
  clang-format-22 --dry-run --Werror "${files[@]}"
else
  clang-format-22 -i "${files[@]}"
fi
