; SPDX-License-Identifier: Apache-2.0
; A loop that loads for the next round, unless there is none, loads at the start of the round; by the counter as it is there. The same where
; the last operands are multiplied behind the loop: the copy of the product goes, and the loop has a round more. Where memory may change in
; the loop, where the first operand comes from elsewhere, and where the loaded values matter otherwise, all stays.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=unpipeline %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @guarded(
; CHECK-NOT: load
; CHECK: [[K:%[a-z0-9.]+]] = phi i32 [ {{.*}}, %loop ]
; CHECK: [[AT:%[0-9]+]] = add nsw i32 %begin, [[K]]
; CHECK: [[WIDE:%[0-9]+]] = sext i32 [[AT]] to i64
; CHECK: [[P:%[0-9]+]] = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 [[WIDE]]
; CHECK: [[X:%[0-9]+]] = load <8 x i32>, ptr addrspace(1) [[P]]
; CHECK-NOT: load
; CHECK: call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> [[X]],
; CHECK-NOT: load
; CHECK: ret void

; CHECK-LABEL: define spir_kernel void @last_behind(
; CHECK-NOT: load
; CHECK: load <8 x i32>
; CHECK-NOT: load
; CHECK: [[END:%[0-9]+]] = icmp slt i32 [[K:%[a-z0-9.]+]], %n
; CHECK: call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(
; CHECK: br i1 [[END]], label %loop, label %done
; CHECK-NOT: call
; CHECK: ret void

; CHECK-LABEL: define spir_kernel void @stores(
; CHECK: phi <8 x i32> [ %first, %entry ], [ %next, %loop ]
; CHECK-LABEL: define spir_kernel void @elsewhere(
; CHECK: phi <8 x i32> [ %first, %entry ], [ %next, %loop ]
; CHECK-LABEL: define spir_kernel void @two_uses(
; CHECK: phi <8 x i32> [ %first, %entry ], [ %next, %loop ]

declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @guarded(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i32 %begin, i32 %n) {
entry:
  %begin.wide = sext i32 %begin to i64
  %first.p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %begin.wide
  %first = load <8 x i32>, ptr addrspace(1) %first.p, align 4
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %multiply ]
  %x = phi <8 x i32> [ %first, %entry ], [ %x.next, %multiply ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %multiply ]
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %fetch, label %multiply

fetch:
  %at = add nsw i32 %begin, %k.next
  %wide = sext i32 %at to i64
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %wide
  %fetched = load <8 x i32>, ptr addrspace(1) %p, align 4
  br label %multiply

multiply:
  %x.next = phi <8 x i32> [ %fetched, %fetch ], [ poison, %loop ]
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %b, <8 x i32> %sum)
  br i1 %more, label %loop, label %done

done:
  store <8 x i32> %d, ptr addrspace(1) %c, align 4
  ret void
}

define spir_kernel void @last_behind(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i32 %n) {
entry:
  %first = load <8 x i32>, ptr addrspace(1) %a, align 4
  %any = icmp slt i32 1, %n
  br i1 %any, label %loop, label %done

loop:
  %k = phi i32 [ 1, %entry ], [ %k.next, %loop ]
  %x = phi <8 x i32> [ %first, %entry ], [ %next, %loop ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %loop ]
  %wide = sext i32 %k to i64
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %wide
  %next = load <8 x i32>, ptr addrspace(1) %p, align 4
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %b, <8 x i32> %sum)
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  %x.last = phi <8 x i32> [ %first, %entry ], [ %next, %loop ]
  %sum.last = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %loop ]
  %d.last = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x.last, <8 x i32> %b, <8 x i32> %sum.last)
  store <8 x i32> %d.last, ptr addrspace(1) %c, align 4
  ret void
}

define spir_kernel void @stores(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i64 %n) {
entry:
  %first = load <8 x i32>, ptr addrspace(1) %a, align 4
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %x = phi <8 x i32> [ %first, %entry ], [ %next, %loop ]
  %k.next = add nuw nsw i64 %k, 1
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %k.next
  %next = load <8 x i32>, ptr addrspace(1) %p, align 4
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %b, <8 x i32> zeroinitializer)
  %to = getelementptr inbounds <8 x i32>, ptr addrspace(1) %c, i64 %k
  store <8 x i32> %d, ptr addrspace(1) %to, align 4
  %more = icmp slt i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  ret void
}

define spir_kernel void @elsewhere(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i64 %n) {
entry:
  %first.p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 5
  %first = load <8 x i32>, ptr addrspace(1) %first.p, align 4
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %x = phi <8 x i32> [ %first, %entry ], [ %next, %loop ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %loop ]
  %k.next = add nuw nsw i64 %k, 1
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %k.next
  %next = load <8 x i32>, ptr addrspace(1) %p, align 4
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %b, <8 x i32> %sum)
  %more = icmp slt i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  store <8 x i32> %d, ptr addrspace(1) %c, align 4
  ret void
}

define spir_kernel void @two_uses(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n) {
entry:
  %first = load <8 x i32>, ptr addrspace(1) %a, align 4
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %x = phi <8 x i32> [ %first, %entry ], [ %next, %loop ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %loop ]
  %k.next = add nuw nsw i64 %k, 1
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %k.next
  %next = load <8 x i32>, ptr addrspace(1) %p, align 4
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %next, <8 x i32> %sum)
  %more = icmp slt i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  store <8 x i32> %d, ptr addrspace(1) %c, align 4
  ret void
}
