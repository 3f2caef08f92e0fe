; SPDX-License-Identifier: Apache-2.0
; One return, no switches, loops with one entry and one latch; no loads of what is known.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=canonicalise %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @switch(
; CHECK-NOT: switch
; CHECK: ret void
; CHECK-NOT: ret void
; CHECK-LABEL: define spir_kernel void @two_entries(
define spir_kernel void @switch(i32 %n, ptr addrspace(1) %a) {
  switch i32 %n, label %other [ i32 1, label %one
                                i32 5, label %five ]
one:
  store volatile i32 10, ptr addrspace(1) %a
  ret void
five:
  store volatile i32 50, ptr addrspace(1) %a
  ret void
other:
  ret void
}
; CHECK: irr.guard
define spir_kernel void @two_entries(i1 %c, ptr addrspace(1) %a) {
  br i1 %c, label %left, label %right
left:
  store volatile i32 1, ptr addrspace(1) %a
  br label %right
right:
  %x = load volatile i32, ptr addrspace(1) %a
  %d = icmp eq i32 %x, 7
  br i1 %d, label %left, label %out
out:
  ret void
}
; A store elsewhere in a record leaves what was stored or read before known; one by another argument does not.
; CHECK-LABEL: define spir_kernel void @fields(
; CHECK: store float %x, ptr addrspace(1) %a
; CHECK: store float %x, ptr addrspace(1) %y
; CHECK-NOT: load
; CHECK: fmul float %x, %x
; CHECK: store float %{{.*}}, ptr addrspace(1) %b
; CHECK: load float, ptr addrspace(1) %y
define spir_kernel void @fields(float %x, ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %y = getelementptr i8, ptr addrspace(1) %a, i64 4
  store float %x, ptr addrspace(1) %a
  store float %x, ptr addrspace(1) %y
  %z = load float, ptr addrspace(1) %a
  %s = fmul float %z, %z
  store float %s, ptr addrspace(1) %b
  %again = load float, ptr addrspace(1) %y
  store float %again, ptr addrspace(1) %b
  ret void
}
