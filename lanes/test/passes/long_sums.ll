; SPDX-License-Identifier: Apache-2.0
; Of a sum of more than 16 numbers the first 16 are frozen, where the 17th is added; also of an address. A sum of 16 stays.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=long_sums %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define i64 @one(
; CHECK: %s16 = add i64 %s15, %n16
; CHECK-NEXT: [[F:%.*]] = freeze i64 %s16
; CHECK-NEXT: %s17 = add i64 [[F]], %n17
; CHECK: %s20 = add i64 %s19, %n20
; CHECK-NEXT: ret i64 %s20

; CHECK-LABEL: define ptr @address(
; CHECK: %p8 = getelementptr i8, ptr %p7, i64 %n8
; CHECK-NEXT: [[G:%.*]] = freeze ptr %p8
; CHECK-NEXT: getelementptr i8, ptr [[G]], i64 %twice

; CHECK-LABEL: define i64 @few(
; CHECK-NOT: freeze

define i64 @one(i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, i64 %n6, i64 %n7, i64 %n8, i64 %n9, i64 %n10, i64 %n11, i64 %n12, i64 %n13, i64 %n14, i64 %n15, i64 %n16, i64 %n17, i64 %n18, i64 %n19, i64 %n20) {
  %s2 = add i64 %n1, %n2
  %s3 = add i64 %s2, %n3
  %s4 = add i64 %s3, %n4
  %s5 = add i64 %s4, %n5
  %s6 = add i64 %s5, %n6
  %s7 = add i64 %s6, %n7
  %s8 = add i64 %s7, %n8
  %s9 = add i64 %s8, %n9
  %s10 = add i64 %s9, %n10
  %s11 = add i64 %s10, %n11
  %s12 = add i64 %s11, %n12
  %s13 = add i64 %s12, %n13
  %s14 = add i64 %s13, %n14
  %s15 = add i64 %s14, %n15
  %s16 = add i64 %s15, %n16
  %s17 = add i64 %s16, %n17
  %s18 = add i64 %s17, %n18
  %s19 = add i64 %s18, %n19
  %s20 = add i64 %s19, %n20
  ret i64 %s20
}

define ptr @address(ptr %p, i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, i64 %n6, i64 %n7, i64 %n8) {
  %s2 = add i64 %n1, %n2
  %s3 = add i64 %s2, %n3
  %s4 = add i64 %s3, %n4
  %s5 = add i64 %s4, %n5
  %s6 = add i64 %s5, %n6
  %s7 = add i64 %s6, %n7
  %s8 = add i64 %s7, %n8
  %twice = shl i64 %s8, 1
  %p1 = getelementptr i8, ptr %p, i64 %n1
  %p2 = getelementptr i8, ptr %p1, i64 %n2
  %p3 = getelementptr i8, ptr %p2, i64 %n3
  %p4 = getelementptr i8, ptr %p3, i64 %n4
  %p5 = getelementptr i8, ptr %p4, i64 %n5
  %p6 = getelementptr i8, ptr %p5, i64 %n6
  %p7 = getelementptr i8, ptr %p6, i64 %n7
  %p8 = getelementptr i8, ptr %p7, i64 %n8
  %q = getelementptr i8, ptr %p8, i64 %twice
  ret ptr %q
}

define i64 @few(i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, i64 %n6, i64 %n7, i64 %n8, i64 %n9, i64 %n10, i64 %n11, i64 %n12, i64 %n13, i64 %n14, i64 %n15, i64 %n16) {
  %s2 = add i64 %n1, %n2
  %s3 = add i64 %s2, %n3
  %s4 = add i64 %s3, %n4
  %s5 = add i64 %s4, %n5
  %s6 = add i64 %s5, %n6
  %s7 = add i64 %s6, %n7
  %s8 = add i64 %s7, %n8
  %s9 = add i64 %s8, %n9
  %s10 = add i64 %s9, %n10
  %s11 = add i64 %s10, %n11
  %s12 = add i64 %s11, %n12
  %s13 = add i64 %s12, %n13
  %s14 = add i64 %s13, %n14
  %s15 = add i64 %s14, %n15
  %s16 = add i64 %s15, %n16
  ret i64 %s16
}
