; SPDX-License-Identifier: Apache-2.0
; The arguments lie in a block: their number, then for each a tag (kind, bytes, components) and the value. printf answers 0.
; RUN: tessera-opt -passes=lower_printf %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

@f = internal addrspace(2) constant [3 x i8] c"%d\00"
declare spir_func i32 @printf(ptr addrspace(2), ...)
; CHECK-LABEL: define spir_kernel void @k(
; CHECK: [[BLOCK:%.*]] = alloca [40 x i8], align 8
; CHECK-NOT: @printf
; CHECK: store i32 66561
; CHECK: store i32 7
; CHECK: store i32 196865
; CHECK: [[X:%.*]] = extractelement <3 x i8> %v, i32 0
; CHECK: store i8 [[X]]
; CHECK: call void @__tsr_print(ptr {{.*}}, ptr [[BLOCK]])
; CHECK: store i32 0, ptr addrspace(1) %p
define spir_kernel void @k(<3 x i8> %v, ptr addrspace(1) %p) {
  %r = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @f, i32 7, <3 x i8> %v, ptr addrspace(2) @f)
  store i32 %r, ptr addrspace(1) %p
  ret void
}
