; SPDX-License-Identifier: Apache-2.0
; In code for work-groups of one, several groups run side by side, each with its own local memory. What is the same for all is computed once, but not
; what is read in local memory.
; RUN: tessera-opt -packets=16 -group-size=1x1x1 -cpu=avx512 -passes=sub_group_size,one_lane,split_kernels,widen_full,interleave,packet_loop %s | FileCheck %s
; Nothing of that where groups are the lanes of a packet.
; RUN-SAME: tessera-opt -packets=16 -groups -cpu=avx512 -passes=split_kernels,group_lanes,widen_full,widen_partial,interleave %s | FileCheck %s --check-prefix=LANES
; So do groups of a kernel that requires them to have one.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=sub_group_size,one_lane,split_kernels,widen_full,interleave,packet_loop %s | FileCheck %s --check-prefix=REQUIRED
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=..interleave -info %s | FileCheck %s --check-prefix=INFO
; REQUIRED: @required.whole(
; REQUIRED: {{^}}together:
; REQUIRED-COUNT-4: getelementptr inbounds i8, ptr addrspace(3) %1, i64
; INFO: kernel required {{.*}} groups_at_once 4
; INFO-NEXT: GROUP_SIZE
; LANES: @sum.partial(
; LANES-NOT: items:
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_group_id(i32) memory(none) nounwind willreturn
declare void @__tsr_barrier(i32, i32) convergent

; CHECK-LABEL: define internal void @sum.whole(
; CHECK: items:
; CHECK: {{^}}together:
; CHECK-COUNT-1: call i64 @__tsr_local_pitch()
; CHECK-COUNT-4: getelementptr inbounds i8, ptr addrspace(3) %1, i64
; CHECK-NOT: getelementptr inbounds i8
; CHECK: load float, ptr addrspace(3)
; CHECK-NEXT: load float, ptr addrspace(3)
; CHECK: fmul float
; CHECK-NEXT: fmul float
; CHECK: add i32
; CHECK-NOT: add i32
; CHECK: icmp ult i32
; CHECK-NOT: icmp ult i32
; CHECK: store float
; CHECK-NEXT: store float
; CHECK-NOT: call void @__tsr_barrier
define spir_kernel void @sum(ptr addrspace(1) %a, ptr addrspace(3) %part, i32 %n) {
entry:
  %g = call i64 @__tsr_group_id(i32 0)
  %w = getelementptr float, ptr addrspace(1) %a, i64 %g
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %s = phi float [ 0.0, %entry ], [ %t, %round ]
  %x = load float, ptr addrspace(3) %part
  %m = fmul float %s, 0.5
  %t = fadd float %m, %x
  %k1 = add i32 %k, 1
  %c = icmp ult i32 %k1, %n
  br i1 %c, label %round, label %out
out:
  store float %t, ptr addrspace(3) %part
  call void @__tsr_barrier(i32 2, i32 1)
  %y = load float, ptr addrspace(3) %part
  store float %y, ptr addrspace(1) %w
  ret void
}

define spir_kernel void @required(ptr addrspace(1) %a, ptr addrspace(3) %part, i32 %n) !reqd_work_group_size !0 {
entry:
  %g = call i64 @__tsr_group_id(i32 0)
  %w = getelementptr float, ptr addrspace(1) %a, i64 %g
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %s = phi float [ 0.0, %entry ], [ %t, %round ]
  %x = load float, ptr addrspace(3) %part
  %m = fmul float %s, 0.5
  %t = fadd float %m, %x
  %k1 = add i32 %k, 1
  %c = icmp ult i32 %k1, %n
  br i1 %c, label %round, label %out
out:
  store float %t, ptr addrspace(3) %part
  store float %t, ptr addrspace(1) %w
  ret void
}
!0 = !{i32 1, i32 1, i32 1}
