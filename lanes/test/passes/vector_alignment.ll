; SPDX-License-Identifier: Apache-2.0
; A vector in memory has the alignment of its elements. Less stays, and so do scalars.
; RUN: tessera-opt -passes=vector_alignment %s | FileCheck %s
; RUN-SAME: tessera-opt -passes=vector_alignment %s | FileCheck %s --check-prefix=STAYS
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_func void @copy(
; CHECK: load <4 x float>, ptr addrspace(1) %from, align 4
; CHECK: store <4 x float> %a, ptr addrspace(1) %to, align 4
; CHECK: load <8 x half>, ptr addrspace(3) %near, align 2
define spir_func void @copy(ptr addrspace(1) %from, ptr addrspace(1) %to, ptr addrspace(3) %near) {
  %a = load <4 x float>, ptr addrspace(1) %from, align 16
  store <4 x float> %a, ptr addrspace(1) %to, align 16
  %b = load <8 x half>, ptr addrspace(3) %near, align 16
  store <8 x half> %b, ptr addrspace(3) %near, align 16
  ret void
}
; STAYS-LABEL: define spir_func void @others(
; STAYS: load double, ptr addrspace(1) %from, align 8
; STAYS: store <2 x i32> %b, ptr addrspace(1) %to, align 1
define spir_func void @others(ptr addrspace(1) %from, ptr addrspace(1) %to) {
  %a = load double, ptr addrspace(1) %from, align 8
  store double %a, ptr addrspace(1) %to, align 8
  %b = load <2 x i32>, ptr addrspace(1) %from, align 1
  store <2 x i32> %b, ptr addrspace(1) %to, align 1
  ret void
}
