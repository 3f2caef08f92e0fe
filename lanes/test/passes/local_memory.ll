; SPDX-License-Identifier: Apache-2.0
; Local variables are offsets into the local memory of the work-group. k1 and k2 share a function, so they share a layout: 3 bytes, 16 at
; 16, 4 at 32.
; RUN: tessera-opt -passes=local_memory %s | FileCheck %s
; RUN: tessera-opt -passes=local_memory -info %s | FileCheck %s --check-prefix=INFO
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-NOT: addrspace(3) global
; INFO: kernel k1 {{.*}} local_bytes 36 
; INFO: kernel k2 {{.*}} local_bytes 36 
; INFO: kernel k3 {{.*}} local_bytes 8 
@a = internal addrspace(3) global [3 x i8] undef
@b = internal addrspace(3) global <4 x float> undef, align 16
@c = internal addrspace(3) global i32 undef
@d = internal addrspace(3) global i64 undef, align 64

; CHECK-LABEL: define spir_func void @shared(
; CHECK: [[BASE:%.*]] = call ptr addrspace(3) @__tsr_local_base()
; CHECK: [[C:%.*]] = getelementptr inbounds i8, ptr addrspace(3) [[BASE]], i64 32
; CHECK: store i32 1, ptr addrspace(3) [[C]]
define spir_func void @shared() {
  store i32 1, ptr addrspace(3) @c
  ret void
}
define spir_kernel void @k1() {
  store i8 1, ptr addrspace(3) getelementptr ([3 x i8], ptr addrspace(3) @a, i64 0, i64 2)
  store <4 x float> zeroinitializer, ptr addrspace(3) @b
  call void @shared()
  ret void
}
define spir_kernel void @k2() {
  call void @shared()
  ret void
}
; CHECK-LABEL: define spir_kernel void @k3(
; CHECK: call ptr addrspace(3) @__tsr_local_base()
; CHECK-NOT: call ptr addrspace(3) @__tsr_local_base()
; CHECK: phi
define spir_kernel void @k3(i1 %x, ptr addrspace(3) %y) {
  br i1 %x, label %t, label %e
t:
  br label %e
e:
  %p = phi ptr addrspace(4) [ addrspacecast (ptr addrspace(3) @d to ptr addrspace(4)), %0 ], [ null, %t ]
  store i64 1, ptr addrspace(4) %p
  ret void
}
