; SPDX-License-Identifier: Apache-2.0
; Loads and stores of private and local memory have no types of the program. Others keep them.
; RUN: tessera-opt -passes=variable_types %s | FileCheck %s
; RUN-SAME: tessera-opt -passes=variable_types %s | FileCheck %s --check-prefix=STAYS
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_func float @own(
; CHECK: store i32 %v, ptr %x, align 4{{$}}
; CHECK: load float, ptr %x, align 4{{$}}
define spir_func float @own(i32 %v) {
  %x = alloca float
  store i32 %v, ptr %x, align 4, !tbaa !1
  %y = load float, ptr %x, align 4, !tbaa !3
  ret float %y
}
; STAYS-LABEL: define spir_func float @others(
; CHECK: store i32 %v, ptr addrspace(3) %x, align 4{{$}}
; STAYS: load float, ptr addrspace(1) %p, align 4, !tbaa
define spir_func float @others(i32 %v, ptr addrspace(3) %x, ptr addrspace(1) %p) {
  store i32 %v, ptr addrspace(3) %x, align 4, !tbaa !1
  %y = load float, ptr addrspace(1) %p, align 4, !tbaa !3
  ret float %y
}
!0 = !{!"char", !5, i64 0}
!1 = !{!2, !2, i64 0}
!2 = !{!"int", !0, i64 0}
!3 = !{!4, !4, i64 0}
!4 = !{!"float", !0, i64 0}
!5 = !{!"C"}
