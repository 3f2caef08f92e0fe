; SPDX-License-Identifier: Apache-2.0
; Functions that need to know their work-item have it as last parameter, and primitives are loads from it, which nothing changes.
; RUN: tessera-opt -passes=lower_primitives %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_local_id(i32) memory(none)
; CHECK: define spir_func i64 @plain(i64 %x)
define spir_func i64 @plain(i64 %x) {
  ret i64 %x
}
; CHECK: define spir_func i64 @deep(ptr {{.*}}%item)
; CHECK: load i64, ptr {{.*}} !invariant.load
; CHECK-NOT: __tsr_
define spir_func i64 @deep() memory(none) {
  %r = call i64 @__tsr_local_id(i32 2) memory(none)
  ret i64 %r
}
; CHECK: define spir_kernel void @k(ptr addrspace(1) %p, ptr {{.*}}%item)
; CHECK: call spir_func i64 @deep(ptr %item)
; CHECK: call spir_func i64 @plain(i64
define spir_kernel void @k(ptr addrspace(1) %p) {
  %r = call spir_func i64 @deep()
  %s = call spir_func i64 @plain(i64 %r)
  store i64 %s, ptr addrspace(1) %p
  ret void
}
