; SPDX-License-Identifier: Apache-2.0
; A fence of some of the lanes is one of all, as these are one thread: not one after the other.
; RUN: tessera-opt -packets=16 -passes=split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK-LABEL: define internal void @some.whole(
; CHECK-NOT: lane:
; CHECK: masked.store
; CHECK-NOT: lane:
; CHECK: fence acq_rel
; CHECK-NOT: fence
; CHECK-NOT: lane:
; CHECK: masked.store
; CHECK: ret void
define spir_kernel void @some(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) "tsr-user" {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %i
  %c = icmp slt i64 %i, %n
  br i1 %c, label %yes, label %no
yes:
  store i32 1, ptr addrspace(1) %p
  fence acq_rel
  store i32 2, ptr addrspace(1) %q
  br label %no
no:
  ret void
}
