#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings the Khronos loader, which Intel's runtime on PyPI carries, into a folder: tools/khronos_loader.sh FOLDER. Does nothing if it is there.
set -euo pipefail
folder=$1
if [ -e "$folder/libOpenCL.so.1" ]; then exit 0; fi
mkdir -p "$folder"
wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT
# The loader is built with Intel's compiler: its run-time libraries are in a wheel of their own.
python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$wheels" intel-opencl-rt intel-cmplr-lib-rt
python3 - "$wheels" "$folder" <<'PY'
import pathlib
import sys
import zipfile

wanted = ("libOpenCL.so.1", "libsvml.so", "libimf.so", "libirng.so", "libintlc.so.5")
for wheel in pathlib.Path(sys.argv[1]).glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.rsplit("/", 1)[-1] in wanted:
                pathlib.Path(sys.argv[2], name.rsplit("/", 1)[-1]).write_bytes(archive.read(name))
PY
