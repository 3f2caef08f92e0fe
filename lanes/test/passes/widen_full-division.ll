; SPDX-License-Identifier: Apache-2.0
; Numbers that all lanes divide by the same one are multiplied with its reciprocal, also behind a guard that looks at each lane. Numbers of 64
; bits are divided so where all are below 2^32.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK-LABEL: define internal void @common.whole(
; CHECK: fdiv double 0x3FF0000000000004, %
; CHECK: fmul <16 x double>
; CHECK-NOT: fdiv <16 x double>
; CHECK: ret void
define spir_kernel void @common(ptr addrspace(1) %a, i32 %n) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p
  %fx = freeze i32 %x
  %fn = freeze i32 %n
  %zero = icmp eq i32 %fn, 0
  %lowest = icmp eq i32 %fx, -2147483648
  %minus = icmp eq i32 %fn, -1
  %both = and i1 %lowest, %minus
  %bad = or i1 %zero, %both
  %d = select i1 %bad, i32 1, i32 %fn
  %q = sdiv i32 %fx, %d
  store i32 %q, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: define internal void @own.whole(
; CHECK: fdiv <16 x float>
; CHECK: ret void
define spir_kernel void @own(ptr addrspace(1) %a) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %i
  %x = load i16, ptr addrspace(1) %p
  %y = or i16 %x, 1
  %q = udiv i16 %x, %y
  store i16 %q, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: define internal void @ids.whole(
; CHECK: icmp ule i64 %{{.*}}, 4294967295
; CHECK: br i1
; CHECK: fmul <16 x double>
; CHECK: urem <16 x i64>
; CHECK: phi <16 x i64>
define spir_kernel void @ids(ptr addrspace(1) %a, i32 %n) {
  %i = call i64 @__tsr_global_id(i32 0)
  %m = or i32 %n, 1
  %w = zext i32 %m to i64
  %p = getelementptr inbounds i64, ptr addrspace(1) %a, i64 %i
  %q = urem i64 %i, %w
  store i64 %q, ptr addrspace(1) %p
  ret void
}
