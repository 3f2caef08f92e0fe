#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh [-p PROCESSES] BUILD SECONDS [NAME…]: runs each fuzzer, or those named, for SECONDS; fails if one found something. One after the
# other, or with -p all at once, each in so many processes. The inputs stay in BUILD/fuzz/findings: `BUILD/fuzz/fuzz_NAME FILE`
# (BUILD/lib/fuzz_api FILE) runs one again. The corpus grows in BUILD/fuzz/corpus.
set -euo pipefail
processes=0
if [ "$1" = -p ]; then
  processes=$2
  shift 2
fi
build=$(readlink -f "$1") seconds=$2
shift 2
root=$(dirname "$(dirname "$(readlink -f "$0")")")
names=("$@")
[ ${#names[@]} = 0 ] && names=(reader wire image options cache print tensor spirv api host source)
findings=$build/fuzz/findings
mkdir -p "$findings"
export ASAN_OPTIONS=detect_stack_use_after_return=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

# One process of one fuzzer: NAME NUMBER.
run() {
  local name=$1 program=$build/fuzz/fuzz_$1 log=$build/fuzz/$1-$2.log
  [ -x "$program" ] || program=$build/lib/fuzz_$name
  export TESSERA_CACHE_DIR=$build/fuzz/cache-$name-$2 # what a fuzzer builds comes from a cache of its own
  case $name in
  source)
    "$program" "$seconds" "$findings" "$root"/fuzz/seeds/*.cl "$root"/examples/digits/layers.cl "$root"/conformance/kernels/*.cl
    ;;
  host) # kills processes in the middle: what they leave behind is no leak
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 "$program" "$seconds" "$findings"
    ;;
  *)
    if "$program" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=3072 -max_len=4096 -print_final_stats=1 -verbosity=1 \
      -artifact_prefix="$findings/$name-" "$build/fuzz/corpus/$name" >"$log" 2>&1; then
      grep -E "number_of_executed_units|peak_rss_mb" "$log" | sed "s/^/$name: /"
    else
      tail -60 "$log"
      return 1
    fi
    ;;
  esac
}

failed=() running=()
for name in "${names[@]}"; do
  echo "== $name, $seconds s"
  case $name in
  host | source) ;;
  *)
    program=$build/fuzz/fuzz_$name
    [ -x "$program" ] || program=$build/lib/fuzz_$name
    mkdir -p "$build/fuzz/corpus/$name"
    "$program" --seeds "$build/fuzz/corpus/$name"
    ;;
  esac
  if [ "$processes" = 0 ]; then
    run "$name" 0 || failed+=("$name")
  fi
  for ((i = 0; i < processes; i++)); do
    run "$name" "$i" &
    running+=("$!=$name")
  done
done
for process in "${running[@]}"; do
  wait "${process%%=*}" || failed+=("${process#*=}")
done
[ ${#failed[@]} = 0 ] || { echo "found something: ${failed[*]}; see $findings" >&2; exit 1; }
