; SPDX-License-Identifier: Apache-2.0
; Bytes that are computed and put together to words, or stored as vectors, are computed as words, from one load; not where memory is written
; in between, where bytes are not side by side, nor where they are needed by themselves.
; RUN: tessera-opt -packets=16 -passes=split_kernels,byte_words %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK-LABEL: define internal void @vector.item(
; CHECK: [[WORDS:%.*]] = load <4 x i32>, ptr addrspace(1) %p, align 1
; CHECK: [[LOWER:%.*]] = and <4 x i32> [[WORDS]], splat (i32 252645135)
; CHECK: [[SUM:%.*]] = add <4 x i32> [[LOWER]], splat (i32 2021161080)
; CHECK: [[ALL:%.*]] = xor <4 x i32> [[SUM]], splat (i32 -2139062144)
; CHECK: store <4 x i32> [[ALL]]
define spir_kernel void @vector(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %g = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %g
  %q = getelementptr <4 x i32>, ptr addrspace(1) %b, i64 %g
  %x = load <16 x i8>, ptr addrspace(1) %p, align 1
  %lower = and <16 x i8> %x, splat (i8 15)
  %less = add nsw <16 x i8> %lower, splat (i8 -8)
  %words = bitcast <16 x i8> %less to <4 x i32>
  store <4 x i32> %words, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: define internal void @ones.item(
; CHECK: [[WORD:%.*]] = load i32, ptr addrspace(1) {{.*}}, align 1
; CHECK: [[UPPER:%.*]] = lshr i32 [[WORD]], 4
; CHECK: and i32 [[UPPER]], 252645135
; CHECK-NOT: insertelement
; CHECK: ret void
define spir_kernel void @ones(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %g = call i64 @__tsr_global_id(i32 0)
  %p0 = getelementptr i8, ptr addrspace(1) %a, i64 %g
  %p1 = getelementptr i8, ptr addrspace(1) %p0, i64 1
  %p2 = getelementptr i8, ptr addrspace(1) %p0, i64 2
  %p3 = getelementptr i8, ptr addrspace(1) %p0, i64 3
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %g
  %x0 = load i8, ptr addrspace(1) %p0
  %y0 = lshr i8 %x0, 4
  %v0 = insertelement <4 x i8> poison, i8 %y0, i64 0
  %x1 = load i8, ptr addrspace(1) %p1
  %y1 = lshr i8 %x1, 4
  %v1 = insertelement <4 x i8> %v0, i8 %y1, i64 1
  %x2 = load i8, ptr addrspace(1) %p2
  %y2 = lshr i8 %x2, 4
  %v2 = insertelement <4 x i8> %v1, i8 %y2, i64 2
  %x3 = load i8, ptr addrspace(1) %p3
  %y3 = lshr i8 %x3, 4
  %v3 = insertelement <4 x i8> %v2, i8 %y3, i64 3
  %word = bitcast <4 x i8> %v3 to i32
  store i32 %word, ptr addrspace(1) %q
  ret void
}

; A vector that is stored.
; CHECK-LABEL: define internal void @stored.item(
; CHECK: [[WORDS:%.*]] = load <2 x i32>, ptr addrspace(1) %p, align 4
; CHECK: [[NOT:%.*]] = xor <2 x i32> [[WORDS]], splat (i32 -1)
; CHECK: store <2 x i32> [[NOT]], ptr addrspace(1) %q, align 2
define spir_kernel void @stored(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %g = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr <8 x i8>, ptr addrspace(1) %a, i64 %g
  %q = getelementptr <8 x i8>, ptr addrspace(1) %b, i64 %g
  %x = load <8 x i8>, ptr addrspace(1) %p, align 4
  %y = xor <8 x i8> %x, splat (i8 -1)
  store <8 x i8> %y, ptr addrspace(1) %q, align 2
  ret void
}

; The same, put together by shifts.
; CHECK-LABEL: define internal void @shifts.item(
; CHECK: [[WORD:%.*]] = load i32, ptr addrspace(1) {{.*}}, align 2
; CHECK: [[LOWER:%.*]] = and i32 [[WORD]], 67044351
; CHECK: store i32 [[LOWER]], ptr addrspace(1) %q
define spir_kernel void @shifts(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %g = call i64 @__tsr_global_id(i32 0)
  %p0 = getelementptr i16, ptr addrspace(1) %a, i64 %g
  %p1 = getelementptr i8, ptr addrspace(1) %p0, i64 2
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %g
  %x1 = load i16, ptr addrspace(1) %p1
  %y1 = and i16 %x1, 1023
  %w1 = zext i16 %y1 to i32
  %s1 = shl i32 %w1, 16
  %x0 = load i16, ptr addrspace(1) %p0
  %y0 = and i16 %x0, 1023
  %w0 = zext i16 %y0 to i32
  %word = or disjoint i32 %s1, %w0
  store i32 %word, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: define internal void @written_between.item(
; CHECK-COUNT-4: load i8
; CHECK: ret void
define spir_kernel void @written_between(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %g = call i64 @__tsr_global_id(i32 0)
  %p0 = getelementptr i8, ptr addrspace(1) %a, i64 %g
  %p1 = getelementptr i8, ptr addrspace(1) %p0, i64 1
  %p2 = getelementptr i8, ptr addrspace(1) %p0, i64 2
  %p3 = getelementptr i8, ptr addrspace(1) %p0, i64 3
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %g
  %x0 = load i8, ptr addrspace(1) %p0
  %v0 = insertelement <4 x i8> poison, i8 %x0, i64 0
  %x1 = load i8, ptr addrspace(1) %p1
  %v1 = insertelement <4 x i8> %v0, i8 %x1, i64 1
  %x2 = load i8, ptr addrspace(1) %p2
  %v2 = insertelement <4 x i8> %v1, i8 %x2, i64 2
  store i32 1, ptr addrspace(1) %q
  %x3 = load i8, ptr addrspace(1) %p3
  %v3 = insertelement <4 x i8> %v2, i8 %x3, i64 3
  %word = bitcast <4 x i8> %v3 to i32
  store i32 %word, ptr addrspace(1) %q
  ret void
}

; Two words begin with the same load; behind it the place of the other one is written, and loaded again.
; CHECK-LABEL: define internal void @loaded_again.item(
; CHECK-COUNT-3: load i16
; CHECK: bitcast <4 x i16> %{{.*}} to <2 x i32>
; CHECK: ret void
define spir_kernel void @loaded_again(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %g = call i64 @__tsr_global_id(i32 0)
  %p0 = getelementptr i16, ptr addrspace(1) %a, i64 %g
  %p1 = getelementptr i8, ptr addrspace(1) %p0, i64 2
  %q = getelementptr <2 x i32>, ptr addrspace(1) %b, i64 %g
  %x0 = load i16, ptr addrspace(1) %p0
  %x1 = load i16, ptr addrspace(1) %p1
  store i32 1, ptr addrspace(1) %q
  %y1 = load i16, ptr addrspace(1) %p1
  %v0 = insertelement <4 x i16> poison, i16 %x0, i64 0
  %v1 = insertelement <4 x i16> %v0, i16 %x1, i64 1
  %v2 = insertelement <4 x i16> %v1, i16 %x0, i64 2
  %v3 = insertelement <4 x i16> %v2, i16 %y1, i64 3
  %words = bitcast <4 x i16> %v3 to <2 x i32>
  %more = add <2 x i32> %words, splat (i32 1)
  store <2 x i32> %more, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: define internal void @every_other.item(
; CHECK: load <8 x i8>
; CHECK: bitcast <4 x i8> %{{.*}} to i32
; CHECK-LABEL: define internal void @needed.item(
; CHECK: load <4 x i8>
; CHECK: bitcast <4 x i8> %{{.*}} to i32
define spir_kernel void @every_other(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %g = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %g
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %g
  %x = load <8 x i8>, ptr addrspace(1) %p, align 1
  %y = shufflevector <8 x i8> %x, <8 x i8> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
  %word = bitcast <4 x i8> %y to i32
  store i32 %word, ptr addrspace(1) %q
  ret void
}
define spir_kernel void @needed(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %g = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %g
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %g
  %x = load <4 x i8>, ptr addrspace(1) %p, align 1
  %y = add <4 x i8> %x, splat (i8 3)
  store <4 x i8> %y, ptr addrspace(1) %p, align 1
  %word = bitcast <4 x i8> %y to i32
  store i32 %word, ptr addrspace(1) %q
  ret void
}
