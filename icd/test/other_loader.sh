#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# other_loader.sh LOADER PROGRAM [arguments]: runs the program with this libOpenCL.so.1 in place of the system's.
# Exit code 77 means skipped.
set -euo pipefail
[ -f "$1" ] || { echo "skipped: no loader at $1 (set TESSERA_KHRONOS_LOADER)"; exit 77; }
folder=$(dirname "$1")
[ "$(basename "$1")" = libOpenCL.so.1 ] || { echo "the loader must be named libOpenCL.so.1"; exit 1; }
export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
shift
libraries=$(ldd "$1")
[[ $libraries == *"$folder/libOpenCL"* ]] || { printf 'the program would take another loader:\n%s\n' "$libraries"; exit 1; }
exec "$@"
