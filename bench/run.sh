#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every benchmark beside the other OpenCL drivers: bench/run.sh BUILD_FOLDER [name…] [-option…]. Sets the peers up in BUILD_FOLDER/peers:
# PoCL from Debian, Intel's CPU runtime from PyPI. Each program prints one line per driver, and ratios against Tessera.
set -euo pipefail
build=$(readlink -f "$1")
shift
peers=$build/peers
vendors=$peers/vendors

if [ ! -e "$peers/ready" ]; then
  mkdir -p "$vendors"
  python3 -m venv "$peers/venv"
  # intel-opencl-rt does not declare the libraries that it loads: they are in intel-cmplr-lib-rt and tbb.
  "$peers/venv/bin/pip" install --quiet intel-opencl-rt intel-cmplr-lib-rt tbb ||
    echo "bench: no Intel runtime (pip failed); going on without it" >&2
  touch "$peers/ready"
fi
rm -f "$vendors"/*.icd
echo "$build/lib/libtessera.so" >"$vendors/tessera.icd"
if [ -e /etc/OpenCL/vendors/pocl.icd ]; then cp /etc/OpenCL/vendors/pocl.icd "$vendors/"; fi
intel=$(find "$peers/venv" -name libintelocl.so 2>/dev/null | head -n 1)
if [ -n "$intel" ]; then
  echo "$intel" >"$vendors/intel.icd"
  export LD_LIBRARY_PATH=$peers/venv/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
export OCL_ICD_VENDORS=$vendors

# Names first, then options for their programs.
names=()
while [ $# -gt 0 ] && [[ $1 != -* ]]; do
  names+=("$1")
  shift
done
if [ ${#names[@]} = 0 ]; then
  mapfile -t names < <(find "$build/bench" -maxdepth 1 -type f -executable -name 'bench_*' -printf '%f\n' | sed s/^bench_// | sort)
fi
for name in "${names[@]}"; do
  printf '\n== %s\n' "$name"
  "$build/bench/bench_$name" "$@"
done
