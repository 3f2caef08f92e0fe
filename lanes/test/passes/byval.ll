; SPDX-License-Identifier: Apache-2.0
; A struct by value is a pointer to a copy that the caller makes, with the alignment of the type. A kernel copies its own argument; the
; attribute stays there until the pass entry.
; RUN: tessera-opt -passes=byval %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

%s = type { double, <16 x double> }
; CHECK: define spir_func void @f(ptr align 128 %p)
define spir_func void @f(ptr byval(%s) align 128 %p) {
  store double 1.0, ptr %p
  ret void
}
; CHECK: define spir_kernel void @k(ptr byval(%s) align 128 %p)
; CHECK: alloca %s, align 128
; CHECK: call void @llvm.memcpy
; CHECK: call spir_func void @f(ptr
; CHECK-NOT: byval
define spir_kernel void @k(ptr byval(%s) align 128 %p) {
  call spir_func void @f(ptr byval(%s) align 128 %p)
  ret void
}
