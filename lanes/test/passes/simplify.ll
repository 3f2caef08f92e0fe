; SPDX-License-Identifier: Apache-2.0
; The kernel gets its packet functions inlined, and stack variables become registers.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=simplify %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define void @k(
; CHECK-NOT: alloca
; CHECK-NOT: call
; CHECK: store i32 %x, ptr %a
; CHECK-NOT: @k.whole
define internal void @k.whole(ptr %a, i32 %x) {
  %t = alloca i32
  store i32 %x, ptr %t
  %y = load i32, ptr %t
  store i32 %y, ptr %a
  ret void
}
define void @k(ptr %a, i32 %x) {
  call void @k.whole(ptr %a, i32 %x)
  ret void
}
