; SPDX-License-Identifier: Apache-2.0
; Before LLVM's passes there may be four times as much as the code generator may get.
; RUN: tessera-opt -packets=16 -cpu=sse2 -budget=100 -passes=..size_early %s 2>&1 | FileCheck %s
; RUN-SAME: tessera-opt -packets=16 -cpu=sse2 -budget=10000 -passes=..size_early %s 2>&1 | FileCheck %s --check-prefix=FITS
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK: note: kernel k: packets of 16 would be too much code
; FITS-NOT: too much code
declare i64 @__tsr_local_id(i32) memory(none)
define spir_kernel void @k(ptr addrspace(1) %p) {
  %i = call i64 @__tsr_local_id(i32 0)
  %a = getelementptr i64, ptr addrspace(1) %p, i64 %i
  %x = load i64, ptr addrspace(1) %a
  %y = mul i64 %x, %x
  store i64 %y, ptr addrspace(1) %a
  ret void
}
