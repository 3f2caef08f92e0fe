; SPDX-License-Identifier: Apache-2.0
; A number that each round reads and writes goes from round to round. It is stored in each round where another load may read it, behind the loop where
; none does: loads of other memory, of its neighbours, and of what `restrict` keeps apart. It stays in memory where another store may change it.
; RUN: tessera-opt -packets=16 -passes=split_kernels,promote_sums %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @another_load.item(
; CHECK: %[[FIRST:.*]] = load float, ptr addrspace(1) %1
; CHECK: round:
; CHECK-NEXT: %[[SUM:.*]] = phi float [ %[[FIRST]], %entry ], [ %t, %round ]
; CHECK: %t = fadd float %[[SUM]], %x
; CHECK-NEXT: store float %t, ptr addrspace(1) %1
; CHECK: br i1
define spir_kernel void @another_load(ptr addrspace(1) %a, ptr addrspace(1) %s, i32 %n) {
entry:
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %p = getelementptr float, ptr addrspace(1) %s, i32 %k
  %x = load float, ptr addrspace(1) %p
  %v = load float, ptr addrspace(1) %s
  %t = fadd float %v, %x
  store float %t, ptr addrspace(1) %s
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %round, label %out
out:
  ret void
}

; CHECK-LABEL: define internal void @apart.item(
; CHECK: %[[NEXT:.*]] = getelementptr i8, ptr addrspace(1) %1, i32 4
; CHECK: round:
; CHECK-NOT: store
; CHECK: out:
; CHECK: store float %u, ptr addrspace(1) %[[NEXT]]
; CHECK: store float %t, ptr addrspace(1) %1
; CHECK: ret void
define spir_kernel void @apart(ptr addrspace(3) %a, ptr addrspace(1) noalias %s, ptr addrspace(1) %b, i32 %n) {
entry:
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %p = getelementptr float, ptr addrspace(3) %a, i32 %k
  %x = load float, ptr addrspace(3) %p
  %r = getelementptr float, ptr addrspace(1) %b, i32 %k
  %y = load float, ptr addrspace(1) %r
  %v = load float, ptr addrspace(1) %s
  %t = fadd float %v, %x
  store float %t, ptr addrspace(1) %s
  %q = getelementptr i8, ptr addrspace(1) %s, i32 4
  %w = load float, ptr addrspace(1) %q
  %u = fadd float %w, %y
  store float %u, ptr addrspace(1) %q
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %round, label %out
out:
  ret void
}

; CHECK-LABEL: define internal void @another_store.item(
; CHECK: round:
; CHECK: %v = load float, ptr addrspace(1) %1
define spir_kernel void @another_store(ptr addrspace(1) %a, ptr addrspace(1) %s, i32 %n) {
entry:
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %v = load float, ptr addrspace(1) %s
  %t = fadd float %v, 1.0
  store float %t, ptr addrspace(1) %s
  %p = getelementptr float, ptr addrspace(1) %s, i32 %k
  store float 0.0, ptr addrspace(1) %p
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %round, label %out
out:
  ret void
}

; Where only arguments in the same memory would meet, there are two loops.
; CHECK-LABEL: define internal void @alone.item(
; CHECK: %[[ALONE:.*]] = call i64 @__tsr_alone()
; CHECK: and i64 %[[ALONE]], 1{{$}}
; CHECK: br i1 %{{.*}}, label %alone, label %shared
; CHECK: shared:
; CHECK: store float
; CHECK: br i1 %{{.*}}, label %shared, label %out
; CHECK: round:
; CHECK-NOT: store float
; CHECK: br i1 %{{.*}}, label %round, label %alone.end
; CHECK: alone.end:
; CHECK-NEXT: store float
; CHECK-NEXT: br label %out
; CHECK: out:
; CHECK-NEXT: phi float [ %t, %alone.end ], [ %{{.*}}, %shared ]
define spir_kernel void @alone(ptr addrspace(1) %a, ptr addrspace(1) %s, ptr addrspace(1) %b, i32 %n) {
entry:
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %p = getelementptr float, ptr addrspace(1) %a, i32 %k
  %x = load float, ptr addrspace(1) %p
  %v = load float, ptr addrspace(1) %s
  %t = fadd float %v, %x
  store float %t, ptr addrspace(1) %s
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %round, label %out
out:
  store float %t, ptr addrspace(1) %b
  ret void
}
