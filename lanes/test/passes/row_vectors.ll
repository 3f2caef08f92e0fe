; SPDX-License-Identifier: Apache-2.0
; Where each lane goes along a row of its own, four rounds become one, with wide loads and stores. What ends the loop is computed ahead.
; RUN: tessera-opt -packets=16 -passes=split_kernels,row_vectors %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare spir_func i64 @__tsr_global_id(i32)

; CHECK-LABEL: define internal void @sum.item(
; CHECK: entry:
; CHECK: %[[C1:.*]] = icmp ult i64 %{{.*}}, %2
; CHECK: %[[C2:.*]] = icmp ult i64 %{{.*}}, %2
; CHECK: %[[C3:.*]] = icmp ult i64 %{{.*}}, %2
; CHECK: %[[C23:.*]] = select i1 %[[C2]], i1 %[[C3]], i1 false
; CHECK: %[[ALL:.*]] = select i1 %[[C1]], i1 %[[C23]], i1 false
; CHECK: br i1 %[[ALL]], label %rows, label %round
; CHECK: rows:
; CHECK: load <4 x float>, ptr addrspace(1) %{{.*}}, align 4
; CHECK-NOT: load
; CHECK: br i1 %{{.*}}, label %rows, label %rest
; CHECK: rest:
; CHECK: br i1 %{{.*}}, label %round, label %out
; CHECK: round:
; CHECK: load float,
; CHECK: out:
; CHECK-NEXT: phi float [ %t, %round ], [ %{{.*}}, %rest ]
define spir_kernel void @sum(ptr addrspace(1) %a, ptr addrspace(1) %s, i64 %n) {
entry:
  %id = call spir_func i64 @__tsr_global_id(i32 0)
  %at = mul i64 %id, %n
  %row = getelementptr float, ptr addrspace(1) %a, i64 %at
  br label %round
round:
  %k = phi i64 [ 0, %entry ], [ %k1, %round ]
  %v = phi float [ 0.0, %entry ], [ %t, %round ]
  %p = getelementptr float, ptr addrspace(1) %row, i64 %k
  %x = load float, ptr addrspace(1) %p, align 4
  %t = fadd float %v, %x
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %round, label %out
out:
  %q = getelementptr float, ptr addrspace(1) %s, i64 %id
  store float %t, ptr addrspace(1) %q, align 4
  ret void
}

; An index of 32 bits that may wrap does not in small memory, which the launch knows.
; CHECK-LABEL: define internal void @may_wrap.item(
; CHECK: %[[SMALL:.*]] = call i64 @__tsr_small_memory()
; CHECK: %[[BIT:.*]] = and i64 %[[SMALL]], 1{{$}}
; CHECK: icmp eq i64 %[[BIT]], 1
; CHECK: rows:
; CHECK: load <4 x i32>
define spir_kernel void @may_wrap(ptr addrspace(1) %a, ptr addrspace(1) %s, i32 %n) {
entry:
  %id = call spir_func i64 @__tsr_global_id(i32 0)
  %i = trunc i64 %id to i32
  %at = mul i32 %i, %n
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %v = phi i32 [ 0, %entry ], [ %t, %round ]
  %index = add i32 %at, %k
  %wide = zext i32 %index to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %wide
  %x = load i32, ptr addrspace(1) %p, align 4
  %t = add i32 %v, %x
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, %n
  br i1 %more, label %round, label %out
out:
  %q = getelementptr i32, ptr addrspace(1) %s, i64 %id
  store i32 %t, ptr addrspace(1) %q, align 4
  ret void
}

; One of 16 bits may in any.
; CHECK-LABEL: define internal void @may_wrap_soon.item(
; CHECK-NOT: load <4 x i32>
; CHECK: ret void
define spir_kernel void @may_wrap_soon(ptr addrspace(1) %a, ptr addrspace(1) %s, i16 %n) {
entry:
  %id = call spir_func i64 @__tsr_global_id(i32 0)
  %i = trunc i64 %id to i16
  %at = mul i16 %i, %n
  br label %round
round:
  %k = phi i16 [ 0, %entry ], [ %k1, %round ]
  %v = phi i32 [ 0, %entry ], [ %t, %round ]
  %index = add i16 %at, %k
  %wide = zext i16 %index to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %wide
  %x = load i32, ptr addrspace(1) %p, align 4
  %t = add i32 %v, %x
  %k1 = add i16 %k, 1
  %more = icmp ult i16 %k1, %n
  br i1 %more, label %round, label %out
out:
  %q = getelementptr i32, ptr addrspace(1) %s, i64 %id
  store i32 %t, ptr addrspace(1) %q, align 4
  ret void
}

; A store of what the round has loaded, and one to memory that may be the same, which the launch knows.
; CHECK-LABEL: define internal void @stores.item(
; CHECK: %[[ALONE:.*]] = call i64 @__tsr_alone()
; CHECK: and i64 %[[ALONE]], 1{{$}}
; CHECK: rows:
; CHECK: load <4 x float>
; CHECK: store <4 x float> %{{.*}}, ptr addrspace(1) %{{.*}}, align 4
; CHECK: store <4 x float> %{{.*}}, ptr addrspace(1) %{{.*}}, align 4
; CHECK-NOT: store float
; CHECK: rest:
define spir_kernel void @stores(ptr addrspace(1) %a, ptr addrspace(1) %s, i64 %n) {
entry:
  %id = call spir_func i64 @__tsr_global_id(i32 0)
  %at = mul i64 %id, %n
  br label %round
round:
  %k = phi i64 [ 0, %entry ], [ %k1, %round ]
  %index = add i64 %at, %k
  %p = getelementptr float, ptr addrspace(1) %a, i64 %index
  %q = getelementptr float, ptr addrspace(1) %s, i64 %index
  %x = load float, ptr addrspace(1) %p, align 4
  %t = fadd float %x, %x
  store float %t, ptr addrspace(1) %p, align 4
  store float %x, ptr addrspace(1) %q, align 4
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %round, label %out
out:
  ret void
}

; A store that the next round reads, and an end that depends on what is read.
; CHECK-LABEL: define internal void @next_round_reads.item(
; CHECK-NOT: <4 x float>
; CHECK: ret void
define spir_kernel void @next_round_reads(ptr addrspace(1) %a, i64 %n) {
entry:
  %id = call spir_func i64 @__tsr_global_id(i32 0)
  %at = mul i64 %id, %n
  %row = getelementptr float, ptr addrspace(1) %a, i64 %at
  br label %round
round:
  %k = phi i64 [ 0, %entry ], [ %k1, %round ]
  %p = getelementptr float, ptr addrspace(1) %row, i64 %k
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  store float %x, ptr addrspace(1) %q, align 4
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %round, label %out
out:
  ret void
}

; No load may pass an acquire.
; CHECK-LABEL: define internal void @acquires.item(
; CHECK-NOT: <4 x float>
; CHECK: ret void
define spir_kernel void @acquires(ptr addrspace(1) %a, ptr addrspace(1) %s, i64 %n) {
entry:
  %id = call spir_func i64 @__tsr_global_id(i32 0)
  %at = mul i64 %id, %n
  %row = getelementptr float, ptr addrspace(1) %a, i64 %at
  br label %round
round:
  %k = phi i64 [ 0, %entry ], [ %k1, %round ]
  %v = phi float [ 0.0, %entry ], [ %t, %round ]
  %flag = load atomic i32, ptr addrspace(1) %s acquire, align 4
  %p = getelementptr float, ptr addrspace(1) %row, i64 %k
  %x = load float, ptr addrspace(1) %p, align 4
  %t = fadd float %v, %x
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %round, label %out
out:
  store float %t, ptr addrspace(1) %s, align 4
  ret void
}

; CHECK-LABEL: define internal void @searches.item(
; CHECK-NOT: <4 x i32>
; CHECK: ret void
define spir_kernel void @searches(ptr addrspace(1) %a, ptr addrspace(1) %s, i64 %n) {
entry:
  %id = call spir_func i64 @__tsr_global_id(i32 0)
  %at = mul i64 %id, %n
  br label %round
round:
  %k = phi i64 [ %at, %entry ], [ %k1, %round ]
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %x = load i32, ptr addrspace(1) %p, align 4
  %k1 = add i64 %k, 1
  %more = icmp ult i32 %x, 5
  br i1 %more, label %round, label %out
out:
  %q = getelementptr i64, ptr addrspace(1) %s, i64 %id
  store i64 %k1, ptr addrspace(1) %q, align 8
  ret void
}

; A loop of few rounds gets none of four rounds in one.
; CHECK-LABEL: define internal void @few.item(
; CHECK-NOT: load <4 x float>
; CHECK: load float
; CHECK: ret void
define spir_kernel void @few(ptr addrspace(1) %a, ptr addrspace(1) %s, i64 %n) {
entry:
  %id = call spir_func i64 @__tsr_global_id(i32 0)
  %at = mul i64 %id, %n
  %row = getelementptr float, ptr addrspace(1) %a, i64 %at
  br label %round
round:
  %k = phi i64 [ 0, %entry ], [ %k1, %round ]
  %v = phi float [ 0.0, %entry ], [ %t, %round ]
  %p = getelementptr float, ptr addrspace(1) %row, i64 %k
  %x = load float, ptr addrspace(1) %p, align 4
  %t = fadd float %v, %x
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %round, label %out, !llvm.loop !0
out:
  %q = getelementptr float, ptr addrspace(1) %s, i64 %id
  store float %t, ptr addrspace(1) %q, align 4
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"tessera.row.rest"}
