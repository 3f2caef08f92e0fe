; SPDX-License-Identifier: Apache-2.0
; Functions of the library that no kernel reaches go; kernels stay, and so does what they call.
; RUN: tessera-opt -passes=prune %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-NOT: @unused
; CHECK: define internal spir_func void @used()
; CHECK: define spir_kernel void @k()
define spir_func void @unused() {
  ret void
}
define spir_func void @used() {
  ret void
}
define spir_kernel void @k() {
  call spir_func void @used()
  ret void
}
