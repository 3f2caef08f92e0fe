; SPDX-License-Identifier: Apache-2.0
; Packets that would cost the code generator more than the budget are to be made again: in sub-groups of 8, if that may be enough, or as
; work-items one by one. The log says so.
; RUN: tessera-opt -packets=16 -cpu=sse2 -budget=800 -passes=..size_late %s 2>&1 | FileCheck %s --check-prefix=NARROW
; RUN: tessera-opt -packets=16 -cpu=sse2 -budget=400 -passes=..size_late %s 2>&1 | FileCheck %s --check-prefix=ALONE
; RUN-SAME: tessera-opt -packets=16 -cpu=sse2 -budget=1000000 -passes=..size_late %s 2>&1 | FileCheck %s --check-prefix=FITS
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; NARROW: note: kernel k: packets of 16 would be too much code
; ALONE: note: kernel k: packets of 16 would be too much code
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
