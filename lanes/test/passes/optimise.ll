; SPDX-License-Identifier: Apache-2.0
; LLVM's own pipeline, for kernels that run a work-item at a time: O1, and with -O0 nothing that changes code.
; RUN: tessera-opt -passes=optimise %s | FileCheck %s
; RUN-SAME: tessera-opt -O0 -passes=optimise %s | FileCheck %s --check-prefix=O0
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: i32 @f(
; CHECK-NEXT: shl i32 %x, 1
; CHECK-NEXT: ret
; O0: alloca
define i32 @f(i32 %x) {
  %t = alloca i32
  store i32 %x, ptr %t
  %y = load i32, ptr %t
  %z = add i32 %y, %y
  ret i32 %z
}
