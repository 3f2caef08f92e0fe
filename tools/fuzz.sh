#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh BUILD SECONDS [NAME…]: runs each fuzzer, or those named, for SECONDS; fails if one found something. The inputs stay in
# BUILD/fuzz/findings: `BUILD/fuzz/fuzz_NAME FILE` (BUILD/lib/fuzz_api FILE) runs one again. The corpus grows in BUILD/fuzz/corpus.
set -euo pipefail
build=$(readlink -f "$1") seconds=$2
shift 2
root=$(dirname "$(dirname "$(readlink -f "$0")")")
names=("$@")
[ ${#names[@]} = 0 ] && names=(reader wire image options cache print api host source)
findings=$build/fuzz/findings
mkdir -p "$findings"
# What the API's fuzzer builds comes from a cache of its own.
export TESSERA_CACHE_DIR=$build/fuzz/cache
export ASAN_OPTIONS=detect_stack_use_after_return=0 UBSAN_OPTIONS=print_stacktrace=1

failed=()
for name in "${names[@]}"; do
  echo "== $name, $seconds s"
  program=$build/fuzz/fuzz_$name
  [ -x "$program" ] || program=$build/lib/fuzz_$name
  if [ "$name" = source ]; then
    "$program" "$seconds" "$findings" "$root"/fuzz/seeds/*.cl "$root"/examples/digits/layers.cl "$root"/conformance/kernels/*.cl || failed+=("$name")
    continue
  fi
  if [ "$name" = host ]; then # kills processes in the middle: what they leave behind is no leak
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 "$program" "$seconds" "$findings" || failed+=("$name")
    continue
  fi
  corpus=$build/fuzz/corpus/$name log=$build/fuzz/$name.log
  mkdir -p "$corpus"
  "$program" --seeds "$corpus"
  if "$program" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=3072 -max_len=4096 -print_final_stats=1 -verbosity=1 \
    -artifact_prefix="$findings/$name-" "$corpus" >"$log" 2>&1; then
    grep -E "number_of_executed_units|peak_rss_mb" "$log" || true
  else
    failed+=("$name")
    tail -60 "$log"
  fi
done
[ ${#failed[@]} = 0 ] || { echo "found something: ${failed[*]}; see $findings" >&2; exit 1; }
