; SPDX-License-Identifier: Apache-2.0
; A function of the library that is no primitive has no lowering.
; RUN: not tessera-opt -passes=lower_primitives %s 2>&1 | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK: the built-in library uses '__tsr_unheard_of', which is no primitive
declare void @__tsr_unheard_of()
define spir_kernel void @k() {
  call void @__tsr_unheard_of()
  ret void
}
