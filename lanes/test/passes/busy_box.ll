; SPDX-License-Identifier: Apache-2.0
; The entry tells where the comparisons of ids hold that a kernel begins with. A kernel that does something before, or whose bound is in
; memory, is left as it is.
; RUN: tessera-opt -packets=16 -passes=split_kernels,busy_box %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32)

; CHECK-LABEL: define spir_kernel void @guarded(
; CHECK: ask:
; CHECK: %[[BOX:.*]] = call ptr @__tsr_busy()
; CHECK: br i1 {{.*}}, label %{{.*}}, label %answer
; CHECK: answer:
; CHECK-DAG: %[[N:.*]] = sext i32 %n to i64
; CHECK-DAG: %[[M:.*]] = sext i32 %m to i64
; CHECK: %[[AT:.*]] = sub i64 %[[N]], %[[M]]
; CHECK: getelementptr inbounds i8, ptr %[[BOX]], i64 24
; CHECK: select i1 %{{.*}}, i64 %{{.*}}, i64 %[[AT]]
; CHECK: store i64
; CHECK-NEXT: ret void
define spir_kernel void @guarded(ptr addrspace(1) %a, i32 %n, i32 %m) {
entry:
  %id = call i64 @__tsr_global_id(i32 0)
  %i = trunc i64 %id to i32
  %s = add nsw i32 %i, %m
  %c = icmp slt i32 %s, %n
  br i1 %c, label %do, label %out
do:
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  store i32 1, ptr addrspace(1) %p
  br label %out
out:
  ret void
}

; Of four numbers for each work-item.
; CHECK-LABEL: define spir_kernel void @multiple(
; CHECK: answer:
; CHECK: %[[UP:.*]] = add i64 %{{.*}}, 3
; CHECK: %[[TO:.*]] = sdiv i64 %[[UP]], 4
; CHECK: select i1 %{{.*}}, i64 %{{.*}}, i64 %[[TO]]
define spir_kernel void @multiple(ptr addrspace(1) %a, i32 %n) {
entry:
  %id = call i64 @__tsr_global_id(i32 0)
  %i = trunc i64 %id to i32
  %s = shl nsw i32 %i, 2
  %c = icmp slt i32 %s, %n
  br i1 %c, label %do, label %out
do:
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %s
  store i32 1, ptr addrspace(1) %p
  br label %out
out:
  ret void
}

; CHECK-LABEL: define spir_kernel void @stores_before(
; CHECK-NOT: call ptr @__tsr_busy
define spir_kernel void @stores_before(ptr addrspace(1) %a, i32 %n) {
entry:
  %id = call i64 @__tsr_global_id(i32 0)
  %i = trunc i64 %id to i32
  store i32 %i, ptr addrspace(1) %a
  %c = icmp slt i32 %i, %n
  br i1 %c, label %do, label %out
do:
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  store i32 1, ptr addrspace(1) %p
  br label %out
out:
  ret void
}

; CHECK-LABEL: define spir_kernel void @bound_in_memory(
; CHECK-NOT: call ptr @__tsr_busy
define spir_kernel void @bound_in_memory(ptr addrspace(1) %a) {
entry:
  %id = call i64 @__tsr_global_id(i32 0)
  %i = trunc i64 %id to i32
  %n = load i32, ptr addrspace(1) %a
  %c = icmp slt i32 %i, %n
  br i1 %c, label %do, label %out
do:
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  store i32 1, ptr addrspace(1) %p
  br label %out
out:
  ret void
}
