; SPDX-License-Identifier: Apache-2.0
; A loop over a private array is unrolled, so that the array becomes registers; also where a helper function took a generic pointer to it.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=unroll %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NOT: alloca
; CHECK-NOT: br i1
; CHECK-COUNT-4: load float
; CHECK: ret void
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %t = alloca [4 x float]
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p
  %q = getelementptr float, ptr %t, i64 %i
  store float %x, ptr %q
  %i1 = add i64 %i, 1
  %c = icmp ult i64 %i1, 4
  br i1 %c, label %fill, label %sum
sum:
  %j = phi i64 [ 0, %fill ], [ %j1, %sum ]
  %s = phi float [ 0.0, %fill ], [ %s1, %sum ]
  %r = getelementptr float, ptr %t, i64 %j
  %y = load float, ptr %r
  %s1 = fadd float %s, %y
  %j1 = add i64 %j, 1
  %d = icmp ult i64 %j1, 4
  br i1 %d, label %sum, label %out
out:
  store float %s1, ptr addrspace(1) %a
  ret void
}

; CHECK-LABEL: define spir_kernel void @generic(
; CHECK-NOT: alloca
; CHECK-NOT: br i1
; CHECK-COUNT-40: load float
; CHECK: ret void
define spir_kernel void @generic(ptr addrspace(1) %a) {
entry:
  %t = alloca [40 x float]
  %g = addrspacecast ptr %t to ptr addrspace(4)
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p
  %q = getelementptr float, ptr addrspace(4) %g, i64 %i
  store float %x, ptr addrspace(4) %q
  %i1 = add i64 %i, 1
  %c = icmp ult i64 %i1, 40
  br i1 %c, label %fill, label %out
out:
  %r = getelementptr float, ptr %t, i64 39
  %y = load float, ptr %r
  store float %y, ptr addrspace(1) %a
  ret void
}

; The address of a row of the array comes through a phi with one value, as LLVM puts it behind a loop.
; CHECK-LABEL: define spir_kernel void @behind(
; CHECK-NOT: alloca
; CHECK-NOT: phi
; CHECK: ret void
define spir_kernel void @behind(ptr addrspace(1) %a) {
entry:
  %t = alloca [6 x [40 x i32]], align 16
  %v = load i32, ptr addrspace(1) %a
  br label %rows
rows:
  %i = phi i32 [ 0, %entry ], [ %i1, %store ]
  %row = getelementptr [40 x i32], ptr %t, i32 %i
  br label %fill
fill:
  %j = phi i32 [ 0, %rows ], [ %j1, %fill ]
  %at = getelementptr i32, ptr %row, i32 %j
  %x = mul i32 %v, %j
  store i32 %x, ptr %at
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j1, 40
  br i1 %more, label %fill, label %store
store:
  %same = phi ptr [ %row, %fill ]
  %first = load i32, ptr %same
  %to = getelementptr i32, ptr addrspace(1) %a, i32 %i
  store i32 %first, ptr addrspace(1) %to
  %i1 = add nuw nsw i32 %i, 1
  %again = icmp ult i32 %i1, 6
  br i1 %again, label %rows, label %end
end:
  ret void
}
