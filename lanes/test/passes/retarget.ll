; SPDX-License-Identifier: Apache-2.0
; From SPIR to x86-64: triple, calling conventions, features of the CPU; nothing but the entries is visible. The name
; of a helper gets a suffix: it might be one of the C library.
; RUN: tessera-opt -cpu=avx2 -passes=entry,retarget %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK: target triple = "x86_64
; CHECK: define internal void @helper.cl() [[A:#[0-9]+]]
; CHECK: define internal void @k{{.*}}()
; CHECK: define void @k.kernel(ptr {{.*}})
; CHECK: attributes [[A]] = {{.*}}+avx2
define spir_func void @helper() noinline {
  ret void
}
define spir_kernel void @k() {
  call spir_func void @helper()
  ret void
}
