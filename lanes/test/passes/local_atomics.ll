; SPDX-License-Identifier: Apache-2.0
; One thread runs a work-group, so atomic operations on its local memory are plain; those on global memory stay.
; RUN: tessera-opt -passes=local_atomics %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NEXT: [[OLD:%.*]] = load i32, ptr addrspace(3) %l
; CHECK-NEXT: [[NEW:%.*]] = add i32 [[OLD]], 1
; CHECK-NEXT: store i32 [[NEW]], ptr addrspace(3) %l
; CHECK-NEXT: atomicrmw add ptr addrspace(1) %g, i32 1 monotonic
define spir_kernel void @k(ptr addrspace(1) %g, ptr addrspace(3) %l) {
  %a = atomicrmw add ptr addrspace(3) %l, i32 1 monotonic
  %b = atomicrmw add ptr addrspace(1) %g, i32 1 monotonic
  ret void
}
