#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How kernels that are bound by arithmetic gain from threads: 1, 2, 4 … CPUs, and plain C beside them.
#   bench/scale.sh BUILD_FOLDER [-t MOST_THREADS] [-r ROUNDS] [-k NAME,…]
#   bench/scale.sh --pack BUILD_FOLDER ARCHIVE.tar.xz   a folder with all that it takes, for a machine where nothing is installed: there,
#                                                       ./scale.sh [options]. Take the build of ./dev bundle, which needs no LLVM.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)

if [ "${1:-}" = --pack ]; then
  build=$(readlink -f "$2")
  stage=$(mktemp -d)
  trap 'rm -rf "$stage"' EXIT
  tree=$stage/tessera-scale
  mkdir -p "$tree/bench" "$tree/lib"
  loader=$(ldd "$build/bench/bench_suite" | sed -n 's/.*libOpenCL.so.1 => \([^ ]*\) .*/\1/p')
  cp -L "$loader" "$tree/lib/libOpenCL.so.1"
  cp -a "$build/lib/libtessera.so" "$build/lib/tessera" "$tree/lib/"
  cp "$build/bench/bench_suite" "$tree/bench/"
  cp -a "$here/suite/kernels" "$tree/bench/"
  cp "$here/scale.sh" "$tree/"
  tar -C "$stage" -cJf "$3" tessera-scale
  exit
fi

if [ -d "$here/bench" ]; then # unpacked
  build=$here kernels=$here/bench/kernels
  export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
else
  build=$(readlink -f "$1") kernels=$here/suite/kernels
  shift
fi
vendors=$(mktemp -d)
trap 'rm -rf "$vendors"' EXIT
echo "$build/lib/libtessera.so" >"$vendors/tessera.icd"
OCL_ICD_VENDORS=$vendors "$build/bench/bench_suite" -K "$kernels" -s -r 5 "$@"
