; SPDX-License-Identifier: Apache-2.0
; LLVM combines instructions.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=combine %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define i32 @f(
; CHECK-NEXT: shl i32 %x, 4
; CHECK-NEXT: ret
define i32 @f(i32 %x) {
  %a = mul i32 %x, 8
  %b = add i32 %a, %a
  ret i32 %b
}
