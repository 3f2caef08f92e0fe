; SPDX-License-Identifier: Apache-2.0
; Packets of 32 bytes multiply them in full registers, one work-item its own sixteen in half of one: for sums that does not matter as much.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=sub_group_size,widen_small_data,one_lane %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK: define spir_kernel void @products({{.*}}) [[PACKETS:#[0-9]+]] {
define spir_kernel void @products(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr <16 x i8>, ptr addrspace(1) %a, i64 %i
  %x = load <16 x i8>, ptr addrspace(1) %p
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %u = phi <16 x i8> [ %x, %entry ], [ %t, %round ]
  %m = mul <16 x i8> %u, %x
  %t = add <16 x i8> %m, %u
  %k1 = add i32 %k, 1
  %c = icmp ult i32 %k1, %n
  br i1 %c, label %round, label %out
out:
  store <16 x i8> %t, ptr addrspace(1) %p
  ret void
}
; CHECK: define spir_kernel void @sums({{.*}}) [[ONE:#[0-9]+]] {
define spir_kernel void @sums(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr <16 x i8>, ptr addrspace(1) %a, i64 %i
  %x = load <16 x i8>, ptr addrspace(1) %p
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %u = phi <16 x i8> [ %x, %entry ], [ %t, %round ]
  %m = xor <16 x i8> %u, %x
  %t = add <16 x i8> %m, %u
  %k1 = add i32 %k, 1
  %c = icmp ult i32 %k1, %n
  br i1 %c, label %round, label %out
out:
  store <16 x i8> %t, ptr addrspace(1) %p
  ret void
}
; Bytes that others choose are compared with each number in packets.
; CHECK: define spir_kernel void @chosen({{.*}}) [[ONE]] {
define spir_kernel void @chosen(ptr addrspace(1) %a, i8 %n) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr <16 x i8>, ptr addrspace(1) %a, i64 %i
  %x = load <16 x i8>, ptr addrspace(1) %p
  %x0 = extractelement <16 x i8> %x, i64 0
  %x1 = extractelement <16 x i8> %x, i64 1
  %x2 = extractelement <16 x i8> %x, i64 2
  %x3 = extractelement <16 x i8> %x, i64 3
  %y0 = extractelement <16 x i8> %x, i8 %x0
  %y1 = extractelement <16 x i8> %x, i8 %x1
  %y2 = extractelement <16 x i8> %x, i8 %x2
  %y3 = extractelement <16 x i8> %x, i8 %x3
  %m0 = mul i8 %y0, %y1
  %m1 = mul i8 %m0, %y2
  %m2 = mul i8 %m1, %y3
  %m = mul i8 %m2, %n
  store i8 %m, ptr addrspace(1) %p
  ret void
}
; CHECK-DAG: attributes [[PACKETS]] = { "tsr-any-width" "tsr-user" "tsr-wide-packets" }
; CHECK-DAG: attributes [[ONE]] = { "tsr-any-width" "tsr-one-lane" "tsr-user" "tsr-wide-packets" }
