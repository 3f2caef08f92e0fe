; SPDX-License-Identifier: Apache-2.0
; A comparison of consecutive numbers holds in some lane if it holds in the first or in the last: no vector is needed to ask.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @below.whole(
; CHECK: [[L:%.*]] = call i64 @__tsr_local_id(i32 0)
; CHECK: [[ANY:%.*]] = icmp ult i64 [[L]], %{{.*}}
; CHECK-NEXT: store i1 [[ANY]], ptr [[SLOT:%.*]], align
; CHECK: [[NOW:%.*]] = load i1, ptr [[SLOT]]
; CHECK-NEXT: br i1 [[NOW]], label %some, label %skip
; CHECK-LABEL: define internal void @others.whole(
; CHECK: [[L:%.*]] = call i64 @__tsr_local_id(i32 0)
; CHECK: [[LAST:%.*]] = add i64 [[L]], 15
; CHECK-NEXT: icmp uge i64 [[LAST]], %{{.*}}
; CHECK-LABEL: define internal void @one.whole(
; CHECK: [[L:%.*]] = call i64 @__tsr_local_id(i32 0)
; CHECK: [[FIRST:%.*]] = and i64 %{{.*}}, -16
; CHECK-NEXT: icmp eq i64 [[L]], [[FIRST]]
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn

define spir_kernel void @below(ptr addrspace(1) %a, i64 %n) {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %c = icmp ult i64 %l, %n
  br i1 %c, label %some, label %out
some:
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %l
  store i64 %l, ptr addrspace(1) %p
  br label %out
out:
  ret void
}

define spir_kernel void @others(ptr addrspace(1) %a, i64 %n) {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %c = icmp ult i64 %l, %n
  br i1 %c, label %out, label %some
some:
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %l
  store i64 %l, ptr addrspace(1) %p
  br label %out
out:
  ret void
}

define spir_kernel void @one(ptr addrspace(1) %a, i64 %n) {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %c = icmp eq i64 %n, %l
  br i1 %c, label %some, label %out
some:
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %l
  store i64 %l, ptr addrspace(1) %p
  br label %out
out:
  ret void
}
