#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows the device, then classifies handwritten digits on it from C and from Python. usage: examples/run_demo.sh BUILD
# Fetches scikit-learn's digits, pyopencl and numpy from PyPI into BUILD/demo, once.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
build=$(cd "${1:?usage: $0 BUILD}" && pwd)
demo=$build/demo
digits=$demo/digits.csv
python=$demo/venv/bin/python
export OCL_ICD_VENDORS=$build/vendors

mkdir -p "$demo"
[ -x "$python" ] || python3 -m venv "$demo/venv"
"$python" -c 'import numpy, pyopencl' 2>/dev/null || "$python" -m pip install --quiet --disable-pip-version-check numpy pyopencl
if [ ! -s "$digits" ]; then
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$demo" scikit-learn
  "$python" - "$demo" "$digits" <<'PY'
import glob, gzip, os, sys, zipfile
wheel = glob.glob(os.path.join(sys.argv[1], "scikit_learn-*.whl"))[0]
text = gzip.decompress(zipfile.ZipFile(wheel).read("sklearn/datasets/data/digits.csv.gz"))
with open(sys.argv[2] + ".part", "wb") as file:
    file.write(text)
os.rename(sys.argv[2] + ".part", sys.argv[2])
os.remove(wheel)
PY
fi

files=("$here/digits/layers.cl" "$here/digits/weights.bin" "$digits")
echo "== clinfo -l"
clinfo -l
echo "== a vector sum, a program in SPIR-V, and the first matrix function"
"$build/examples/vadd"
"$build/examples/il"
"$build/examples/mad"
echo "== digits, from C"
"$build/examples/digits" "${files[@]}"
echo "== digits, from Python"
"$python" "$here/digits/digits.py" "${files[@]}"
