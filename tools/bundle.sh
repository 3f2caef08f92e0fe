#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs a build into one relocatable archive and tries it where no LLVM is: tools/bundle.sh BUILD_FOLDER OUT_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
out=$2
max_bytes=$((40 << 20))
max_glibc=2.34

version=$(sed -n 's/^project(tessera VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=tessera-$version-x86_64
stage=$build/stage
tree=$stage/$name
rm -rf "$stage"
mkdir -p "$tree" "$out"

DESTDIR=$(readlink -f "$stage")/root cmake --install "$build" --strip --prefix / >/dev/null
lib=$(find "$stage/root" -name libtessera.so -printf '%h\n')
cp -a "$lib/libtessera.so" "$lib/tessera" "$tree/"
cp LICENSE "$tree/"
cat >"$tree/setup.sh" <<'TEXT'
#!/bin/sh
# Writes vendors/tessera.icd for the place where this folder now is, and tells what to set.
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$here/vendors" && echo "$here/libtessera.so" >"$here/vendors/tessera.icd" || exit 1
echo "Debian's loader:   export OCL_ICD_VENDORS=$here/vendors"
echo "the Khronos loader: export OCL_ICD_FILENAMES=$here/libtessera.so"
TEXT
chmod +x "$tree/setup.sh"

echo "== glibc"
newest=$(find "$tree" -type f -exec sh -c 'objdump -T "$1" 2>/dev/null' _ {} \; | grep -o 'GLIBC_2\.[0-9]*' | sort -Vu | tail -n 1)
echo "needs $newest"
if [ "$(printf '%s\n' "GLIBC_$max_glibc" "$newest" | sort -V | tail -n 1)" != "GLIBC_$max_glibc" ]; then
  find "$tree" -type f -exec sh -c 'objdump -T "$1" 2>/dev/null | grep -F "$2" && echo "  in $1"' _ {} "$newest" \;
  echo "bundle: needs $newest, above $max_glibc" >&2
  exit 1
fi
for file in "$tree/libtessera.so" "$tree"/tessera/*; do
  if readelf -d "$file" 2>/dev/null | grep -E 'NEEDED' | grep -vE 'lib(c|m|pthread|dl|rt|tessera-cc)\.so|ld-linux'; then
    echo "bundle: $file needs more than libc" >&2
    exit 1
  fi
done

archive=$out/$name.tar.xz
tar -C "$stage" --owner=0 --group=0 --sort=name -c "$name" | xz -T0 -9 >"$archive"
bytes=$(stat -c %s "$archive")
echo "== $archive: $((bytes >> 10)) KiB"
if [ "$bytes" -gt "$max_bytes" ]; then
  echo "bundle: above $((max_bytes >> 20)) MiB" >&2
  exit 1
fi

echo "== a bare Debian without LLVM"
root=$build/bare
if [ ! -e "$root/etc/debian_version" ]; then
  debootstrap --variant=minbase bookworm "$root" >"$build/debootstrap.log"
fi
rm -rf "$root/opt/tessera-try"
mkdir -p "$root/opt/tessera-try"
tar -C "$root/opt/tessera-try" -xJf "$archive"
cp /usr/lib/x86_64-linux-gnu/libOpenCL.so.1 "$build/examples/vadd" "$build/examples/mad" "$root/opt/tessera-try/"
unshare --mount --fork bash -euc '
  mount -t proc proc "$1/proc"
  chroot "$1" sh -euc "
    cd /opt/tessera-try
    ! ls /usr/lib/llvm* /usr/lib/x86_64-linux-gnu/libLLVM* 2>/dev/null
    export LD_LIBRARY_PATH=/opt/tessera-try HOME=/tmp
    tessera-*/setup.sh
    OCL_ICD_VENDORS=\$(echo /opt/tessera-try/tessera-*/vendors)
    export OCL_ICD_VENDORS
    ./vadd
    ./mad"
' _ "$root"
echo "== ok"
