; SPDX-License-Identifier: Apache-2.0
; Bits that are disjoint are added up for the first lane, which does not wrap, so that its extension is one of a sum of extensions.
; RUN: tessera-opt -packets=16 -cpu=avx2 -bodies=full -passes=..widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK: [[ROW:%[0-9]+]] = shl i32 %{{[0-9]+}}, 4
; CHECK: [[SUM:%[0-9]+]] = add nuw nsw i32 [[ROW]],
; CHECK: sext i32 [[SUM]] to i64

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn

define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) !reqd_work_group_size !0 {
  %id = call i64 @__tsr_local_id(i32 0)
  %lane = trunc nuw nsw i64 %id to i32
  %row = shl i32 %n, 4
  %at = or disjoint i32 %row, %lane
  %wide = sext i32 %at to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %wide
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

!0 = !{i32 16, i32 1, i32 1}
