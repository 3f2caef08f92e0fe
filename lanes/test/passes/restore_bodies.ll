; SPDX-License-Identifier: Apache-2.0
; Kernels that do not run in packets need the bodies of collectives. What a packet still calls of the pieces of math functions is inlined.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=inline_calls,restore_bodies %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-NOT: __tsr_body
; CHECK: define internal spir_func i32 @__tsr_reduce_add_int(
; CHECK: define {{.*}}float @__tsr_rsqrt_f(float %x) #[[PIECE:[0-9]+]]
; CHECK-NOT: declare i32 @__tsr_reduce_add_int(
define spir_func i32 @__tsr_reduce_add_int(i32 %scope, i32 %x, i32 %n) convergent {
  ret i32 %x
}
define spir_func float @__tsr_rsqrt_f(float %x) noinline "tsr-math-op" {
  ret float %x
}
define spir_kernel void @k(ptr addrspace(1) %a) {
  %r = call spir_func i32 @__tsr_reduce_add_int(i32 0, i32 1, i32 32)
  store i32 %r, ptr addrspace(1) %a
  ret void
}
; CHECK: attributes #[[PIECE]] = { alwaysinline "tsr-math-op"
