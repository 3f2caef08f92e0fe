#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How kernels that are bound by arithmetic gain from threads: 1, 2, 4 … CPUs, and plain C beside them.
#   bench/scale.sh BUILD_FOLDER [-t MOST_THREADS] [-r ROUNDS] [-k NAME,…]
# On a machine where nothing is installed: ./dev pack, and there check.py bench suite -s.
set -euo pipefail
build=$(readlink -f "$1")
shift
vendors=$(mktemp -d)
trap 'rm -rf "$vendors"' EXIT
echo "$build/lib/libtessera.so" >"$vendors/tessera.icd"
OCL_ICD_VENDORS=$vendors "$build/bench/bench_suite" -s -r 5 "$@"
