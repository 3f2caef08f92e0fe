; SPDX-License-Identifier: Apache-2.0
; A call without a result is in a loop over the lanes that LLVM leaves one: where all lanes are active it knows their number, and code for a
; kernel with many printf would be as many times as large.
; RUN: tessera-opt -packets=16 -passes=split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @k.whole(
; CHECK: call void @__tsr_print(
; CHECK: br i1 {{.*}}, !llvm.loop [[LOOP:![0-9]+]]
; CHECK: [[LOOP]] = distinct !{[[LOOP]], [[HINT:![0-9]+]]}
; CHECK: [[HINT]] = !{!"llvm.loop.unroll.disable"}
declare void @__tsr_print(ptr, ptr)

define spir_kernel void @k(ptr %format) {
  %block = alloca i32
  store i32 0, ptr %block
  call void @__tsr_print(ptr %format, ptr %block)
  ret void
}
