; SPDX-License-Identifier: Apache-2.0
; A helper that meets other work-items is inlined, whatever its attributes say, and each call that meets gets the number of its call
; site. Functions of the library (_Z…) have no call sites. The table has a line for each.
; RUN: tessera-opt -passes=call_sites %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK: @tsr.sites = {{.*}}c"barrier\0Abarrier\0A\00"
declare void @__tsr_barrier(i32, i32) convergent

; CHECK-LABEL: define spir_func void @_Z7barrierj(
; CHECK-NEXT: call void @__tsr_barrier
define spir_func void @_Z7barrierj(i32 %f) {
  call void @__tsr_barrier(i32 2, i32 %f)
  ret void
}
define internal spir_func void @helper() noinline optnone "tsr-user" {
  call spir_func void @_Z7barrierj(i32 1)
  ret void
}
; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NEXT: call void @__tsr_site(i32 1)
; CHECK-NEXT: call spir_func void @_Z7barrierj(i32 1)
; CHECK-NEXT: call void @__tsr_site(i32 2)
; CHECK-NEXT: call spir_func void @_Z7barrierj(i32 1)
; CHECK-NEXT: ret void
define spir_kernel void @k() "tsr-user" {
  call spir_func void @helper()
  call spir_func void @helper()
  ret void
}
