; SPDX-License-Identifier: Apache-2.0
; Loops over planes, rows and packets of a box of work-items, around the function for packets that are not full.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full,widen_partial,mixed_loop %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @k.partial(
; CHECK: call i64 @__tsr_row_columns()
; CHECK: call i64 @__tsr_box_planes()
; CHECK: end:
; CHECK: br i1 {{.*}}, label %x, label
; CHECK: z:
; CHECK: y:
; CHECK: x:
; CHECK: br i1 {{.*}}, label %y, label
; CHECK: br i1 {{.*}}, label %z, label
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

define spir_kernel void @k(ptr addrspace(1) %a) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr inbounds i64, ptr addrspace(1) %a, i64 %i
  store i64 %i, ptr addrspace(1) %p
  ret void
}
