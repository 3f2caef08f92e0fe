; SPDX-License-Identifier: Apache-2.0
; Vectors that are moved are integers; those that are computed with, by anybody of their web, stay.
; RUN: tessera-opt -packets=16 -passes=moved_words %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @chosen(
; CHECK: %[[word:.*]] = load i32, ptr addrspace(1) %a, align 1
; CHECK: phi i32 [ %[[word]], %inside ], [ bitcast (<4 x i8> <i8 0, i8 0, i8 0, i8 -1> to i32), %entry ]
; CHECK: store i32
define spir_kernel void @chosen(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c) {
entry:
  br i1 %c, label %inside, label %out
inside:
  %v = load <4 x i8>, ptr addrspace(1) %a, align 1
  br label %out
out:
  %p = phi <4 x i8> [ %v, %inside ], [ <i8 0, i8 0, i8 0, i8 -1>, %entry ]
  store <4 x i8> %p, ptr addrspace(1) %b, align 1
  ret void
}

; A loop hands it on; choices of scalars.
; CHECK-LABEL: define spir_kernel void @carried(
; CHECK: load i64, ptr addrspace(1) %a, align 4
; CHECK: phi i64
; CHECK: load i64, ptr addrspace(1) %{{.*}}, align 4
; CHECK: select i1 %{{.*}}, i64
; CHECK: store i64
define spir_kernel void @carried(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) {
entry:
  %first = load <2 x float>, ptr addrspace(1) %a, align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %last = phi <2 x float> [ %first, %entry ], [ %chosen, %loop ]
  %at = getelementptr <2 x float>, ptr addrspace(1) %a, i64 %i
  %here = load <2 x float>, ptr addrspace(1) %at, align 4
  %c = icmp ugt i64 %i, 5
  %chosen = select i1 %c, <2 x float> %here, <2 x float> %last
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  store <2 x float> %chosen, ptr addrspace(1) %b, align 4
  ret void
}

; One of the web is computed with; a choice for each element; an access that may not be changed; private memory; too long.
; CHECK-LABEL: define spir_kernel void @others(
; CHECK: load <4 x i8>
; CHECK: load <4 x i8>
; CHECK: load volatile <4 x i8>
; CHECK: load <4 x float>
define spir_kernel void @others(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c, <4 x i1> %m) {
  %v = load <4 x i8>, ptr addrspace(1) %a, align 1
  %q = getelementptr i8, ptr addrspace(1) %a, i64 4
  %w = load <4 x i8>, ptr addrspace(1) %q, align 1
  %p = select i1 %c, <4 x i8> %v, <4 x i8> %w
  %sum = add <4 x i8> %v, %p
  store <4 x i8> %p, ptr addrspace(1) %b, align 1
  store <4 x i8> %sum, ptr addrspace(1) %b, align 1
  %x = load volatile <4 x i8>, ptr addrspace(1) %a, align 1
  store <4 x i8> %x, ptr addrspace(1) %b, align 1
  %long = load <4 x float>, ptr addrspace(1) %a, align 4
  store <4 x float> %long, ptr addrspace(1) %b, align 4
  ret void
}
