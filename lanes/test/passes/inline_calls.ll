; SPDX-License-Identifier: Apache-2.0
; All calls are inlined, but those of collectives, for which a packet has an operation: they call a declaration, and their bodies stand
; aside. Primitives get ranges.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=inline_calls %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK: declare range(i64 0, 65536) i64 @__tsr_local_id(i32)
declare i64 @__tsr_local_id(i32) memory(none)
define spir_func float @square(float %x) noinline {
  %y = fmul float %x, %x
  ret float %y
}
; CHECK: define spir_func i32 @__tsr_reduce_add_int.__tsr_body(
define spir_func i32 @__tsr_reduce_add_int(i32 %scope, i32 %x, i32 %n) convergent {
  ret i32 %x
}
; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NOT: @square
; CHECK: fmul
; CHECK: call spir_func i32 @__tsr_reduce_add_int(
define spir_kernel void @k(ptr addrspace(1) %a) {
  %i = call i64 @__tsr_local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p
  %y = call spir_func float @square(float %x)
  store float %y, ptr addrspace(1) %p
  %r = call spir_func i32 @__tsr_reduce_add_int(i32 0, i32 1, i32 32)
  store i32 %r, ptr addrspace(1) %a
  ret void
}
; CHECK: declare i32 @__tsr_reduce_add_int(i32, i32, i32)
