#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build into a fresh folder, moves the folder, and uses it with nothing of a tool chain in reach: install.sh BUILD PROGRAM
# Checks what packagers look at: needed libraries, run paths, the .icd file. Exit code 77 means that this machine cannot hide folders.
set -euo pipefail
build=$1
program=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >/dev/null
read -r library <"$work/first/etc/OpenCL/vendors/tessera.icd"
[ -f "$library" ] || { echo "the .icd file names $library, which is not there"; exit 1; }

needed() { readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'; }
for file in "$library" "$(dirname "$library")"/tessera/*; do
  case $(head -c 4 "$file" | tr -d '\0') in $'\x7fELF') ;; *) continue ;; esac
  [[ $file == *.o ]] && continue
  for name in $(needed "$file"); do
    case $name in
    libc.so.6 | libm.so.6 | libpthread.so.0 | libdl.so.2 | ld-linux-x86-64.so.2 | libtessera-cc.so) ;;
    *) echo "$file needs $name"; exit 1 ;;
    esac
  done
  if readelf -d "$file" | grep -E 'RPATH|RUNPATH' | grep -v '\[\$ORIGIN\]'; then
    echo "$file has a run path"
    exit 1
  fi
done
echo "installed files need libc only"

# Elsewhere, where the build never was, the library finds its parts by itself.
mv "$work/first" "$work/second"
mkdir "$work/vendors" "$work/empty" "$work/cache"
echo "$work/second${library#"$work/first"}" >"$work/vendors/tessera.icd"
export OCL_ICD_VENDORS=$work/vendors TESSERA_CACHE_DIR=$work/cache
"$program"

# A compiler, an assembler or a linker is not needed either: clang, LLVM, gcc and the library of C's headers are hidden.
hide='for folder in /usr/lib/llvm-* /usr/lib/gcc /usr/lib/clc /usr/include; do [ -d "$folder" ] && mount --bind "$1/empty" "$folder"; done; PATH=/nowhere TESSERA_CACHE=0 exec "$2"'
unshare --mount true 2>/dev/null || { echo "cannot hide folders here"; exit 77; }
unshare --mount bash -c "$hide" _ "$work" "$program"
echo "used without a tool chain"
