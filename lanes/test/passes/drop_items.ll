; SPDX-License-Identifier: Apache-2.0
; The work-item functions go once the packet functions are made.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full,widen_partial,drop_items %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NOT: @k.item
; CHECK: define internal void @k.whole(
define spir_kernel void @k(ptr addrspace(1) %a) {
  store i32 1, ptr addrspace(1) %a
  ret void
}
