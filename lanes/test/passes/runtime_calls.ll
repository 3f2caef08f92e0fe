; SPDX-License-Identifier: Apache-2.0
; Calls of the device go through its table of functions, and the flags of the kernel say what it needs: here stacks, for a barrier.
; RUN: tessera-opt -passes=..runtime_calls %s | FileCheck %s
; RUN: tessera-opt -passes=..runtime_calls -info %s | FileCheck %s --check-prefix=INFO
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; INFO: flags {{[1-9]}}{{.*}} device_stack_bytes 0
; CHECK-NOT: __tsr_rt_
; CHECK: load ptr, ptr %0
; CHECK: load ptr, ptr
; CHECK: [[F:%.*]] = load ptr, ptr {{.*}}, !invariant.load
; CHECK-NEXT: call void [[F]](ptr {{.*}}, i32 2, i32 1)
declare void @__tsr_barrier(i32, i32) convergent
define spir_kernel void @k() {
  call void @__tsr_barrier(i32 2, i32 1)
  ret void
}
