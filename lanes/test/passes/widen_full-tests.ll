; SPDX-License-Identifier: Apache-2.0
; Which code runs only if some lane needs it. Cheap code does not, unless the source says that it is unlikely or all that it leads to is costly:
; then one test is for all of that.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK-LABEL: define internal void @cheap.whole(
; CHECK-NOT: %any
; CHECK: ret void
define spir_kernel void @cheap(ptr addrspace(1) %a) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p
  %c = icmp slt i32 %x, 0
  br i1 %c, label %then, label %out
then:
  %y = sub i32 0, %x
  br label %out
out:
  %r = phi i32 [ %x, %0 ], [ %y, %then ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: define internal void @unlikely.whole(
; CHECK: %any = icmp ne i16 {{.*}}, 0
; CHECK: br i1 %any, label %then, label %skip
; CHECK: {{^then:}}
; CHECK: sub <16 x i32> zeroinitializer,
; CHECK: {{^skip:}}
; CHECK-NEXT: store <16 x i1> zeroinitializer
define spir_kernel void @unlikely(ptr addrspace(1) %a) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p
  %c = icmp slt i32 %x, 0
  br i1 %c, label %then, label %out, !prof !0
then:
  %y = sub i32 0, %x
  br label %out
out:
  %r = phi i32 [ %x, %0 ], [ %y, %then ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: define internal void @leads.whole(
; CHECK: br i1 %any, label %then, label %skip
; CHECK: {{^then:}}
; CHECK: shl <16 x i32>
define spir_kernel void @leads(ptr addrspace(1) %a) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p
  %c = icmp slt i32 %x, 0
  br i1 %c, label %then, label %out
then:
  %first = shl i32 %x, 1
  br label %loop
loop:
  %k = phi i32 [ %first, %then ], [ %next, %loop ]
  %next = add i32 %k, 7
  %more = icmp slt i32 %next, 0
  br i1 %more, label %loop, label %done
done:
  br label %out
out:
  %r = phi i32 [ %x, %0 ], [ %next, %done ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}
!0 = !{!"branch_weights", !"expected", i32 1, i32 2000}
