; SPDX-License-Identifier: Apache-2.0
; Each small work-group of a packet has its own local memory, behind that of the group before; behind the barrier nothing is `restrict`.
; RUN: tessera-opt -packets=16 -groups -cpu=avx512 -passes=split_kernels,group_lanes %s | FileCheck %s
; RUN-SAME: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,group_lanes %s | FileCheck %s --check-prefix=ALONE
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare ptr addrspace(3) @__tsr_local_base() memory(none) nounwind willreturn
declare void @__tsr_barrier(i32, i32) convergent

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NEXT: call void @k.partial(
; CHECK: define internal void @k.item(
; CHECK: [[LANE:%.*]] = call i32 @__tsr_lane()
; CHECK: [[WIDE:%.*]] = zext i32 [[LANE]] to i64
; CHECK: [[SIZE:%.*]] = call i64 @__tsr_enqueued_local_size(i32 0)
; CHECK: [[SHIFT:%.*]] = call i64 @llvm.cttz.i64(i64 [[SIZE]], i1 true)
; CHECK: [[GROUP:%.*]] = lshr i64 [[WIDE]], [[SHIFT]]
; CHECK: [[PITCH:%.*]] = call i64 @__tsr_local_pitch()
; CHECK: [[OFFSET:%.*]] = mul nuw i64 [[GROUP]], [[PITCH]]
; CHECK: getelementptr inbounds i8, ptr addrspace(3) %{{.*}}, i64 [[OFFSET]]
; CHECK: [[BASE:%.*]] = call ptr addrspace(3) @__tsr_local_base()
; CHECK-NEXT: getelementptr inbounds i8, ptr addrspace(3) [[BASE]], i64 [[OFFSET]]
; CHECK-NOT: @k.whole
; CHECK: declare void @k.partial(ptr addrspace(1), ptr addrspace(3))
; ALONE: @k.whole
; ALONE: getelementptr i64, ptr addrspace(3) %{{.*}}, i64
; ALONE-NOT: @__tsr_local_pitch
define spir_kernel void @k(ptr addrspace(1) noalias %a, ptr addrspace(3) %s) {
  %l = call i64 @__tsr_local_id(i32 0)
  %p = getelementptr i64, ptr addrspace(3) %s, i64 %l
  store i64 %l, ptr addrspace(3) %p
  %b = call ptr addrspace(3) @__tsr_local_base()
  store i64 %l, ptr addrspace(3) %b
  call void @__tsr_barrier(i32 2, i32 1)
  %x = load i64, ptr addrspace(3) %p
  store i64 %x, ptr addrspace(1) %a
  ret void
}
