; SPDX-License-Identifier: Apache-2.0
; Whether any element matches is one comparison of vectors; what else is asked comes behind it. Few comparisons stay.
; RUN: tessera-opt -packets=16 -passes=any_element %s | FileCheck %s

; CHECK-LABEL: define i1 @vectors(
; CHECK: [[EQ:%.*]] = icmp eq <4 x i32> %x, %y
; CHECK: [[SAFE:%.*]] = freeze <4 x i1> [[EQ]]
; CHECK: [[BITS:%.*]] = bitcast <4 x i1> [[SAFE]] to i4
; CHECK: [[ANY:%.*]] = icmp ne i4 [[BITS]], 0
; CHECK: [[ALL:%.*]] = select i1 [[ANY]], i1 true, i1 %more
; CHECK: ret i1 [[ALL]]
define i1 @vectors(<4 x i32> %x, <4 x i32> %y, i1 %more) {
  %x0 = extractelement <4 x i32> %x, i64 0
  %y0 = extractelement <4 x i32> %y, i64 0
  %c0 = icmp eq i32 %x0, %y0
  %x1 = extractelement <4 x i32> %x, i64 1
  %y1 = extractelement <4 x i32> %y, i64 1
  %c1 = icmp eq i32 %x1, %y1
  %x2 = extractelement <4 x i32> %x, i64 2
  %y2 = extractelement <4 x i32> %y, i64 2
  %c2 = icmp eq i32 %x2, %y2
  %x3 = extractelement <4 x i32> %x, i64 3
  %y3 = extractelement <4 x i32> %y, i64 3
  %c3 = icmp eq i32 %x3, %y3
  %o1 = select i1 %c0, i1 true, i1 %c1
  %o2 = select i1 %o1, i1 true, i1 %more
  %o3 = select i1 %o2, i1 true, i1 %c2
  %o4 = or i1 %o3, %c3
  ret i1 %o4
}

; Five of eight, with one number, which stands on either side.
; CHECK-LABEL: define i1 @number(
; CHECK: icmp eq <8 x i32> %x, %{{.*}}
; CHECK: and <8 x i1> %{{.*}}, <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 true>
define i1 @number(<8 x i32> %x, i32 %n) {
  %x0 = extractelement <8 x i32> %x, i64 0
  %c0 = icmp eq i32 %x0, %n
  %x1 = extractelement <8 x i32> %x, i64 1
  %c1 = icmp eq i32 %n, %x1
  %x2 = extractelement <8 x i32> %x, i64 2
  %c2 = icmp eq i32 %x2, %n
  %x3 = extractelement <8 x i32> %x, i64 3
  %c3 = icmp eq i32 %x3, %n
  %x7 = extractelement <8 x i32> %x, i64 7
  %c7 = icmp eq i32 %n, %x7
  %o1 = or i1 %c0, %c1
  %o2 = or i1 %c2, %c3
  %o3 = or i1 %o1, %o2
  %o4 = select i1 %o3, i1 true, i1 %c7
  ret i1 %o4
}

; Three elements; elements that are compared with others than their own; and "or" that something else needs.
; CHECK-LABEL: define i1 @others(
; CHECK-NOT: icmp {{.*}} <4 x i32>
; CHECK: ret i1
define i1 @others(<4 x i32> %x, <4 x i32> %y, ptr %p) {
  %x0 = extractelement <4 x i32> %x, i64 0
  %y0 = extractelement <4 x i32> %y, i64 0
  %c0 = icmp eq i32 %x0, %y0
  %x1 = extractelement <4 x i32> %x, i64 1
  %y1 = extractelement <4 x i32> %y, i64 1
  %c1 = icmp eq i32 %x1, %y1
  %x2 = extractelement <4 x i32> %x, i64 2
  %y2 = extractelement <4 x i32> %y, i64 2
  %c2 = icmp eq i32 %x2, %y2
  %x3 = extractelement <4 x i32> %x, i64 3
  %c3 = icmp eq i32 %x3, %y2
  %o1 = select i1 %c0, i1 true, i1 %c1
  %o2 = select i1 %o1, i1 true, i1 %c2
  %o3 = select i1 %o2, i1 true, i1 %c3
  ret i1 %o3
}

; One of the elements is compared twice, another not at all.
; CHECK-LABEL: define i1 @twice(
; CHECK: icmp eq <8 x i32> %x, %{{.*}}
; CHECK: and <8 x i1> %{{.*}}, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>
define i1 @twice(<8 x i32> %x, i32 %n) {
  %x0 = extractelement <8 x i32> %x, i64 0
  %c0 = icmp eq i32 %x0, %n
  %x1 = extractelement <8 x i32> %x, i64 1
  %c1 = icmp eq i32 %x1, %n
  %x2 = extractelement <8 x i32> %x, i64 2
  %c2 = icmp eq i32 %x2, %n
  %x3 = extractelement <8 x i32> %x, i64 3
  %c3 = icmp eq i32 %x3, %n
  %x4 = extractelement <8 x i32> %x, i64 4
  %c4 = icmp eq i32 %x4, %n
  %x5 = extractelement <8 x i32> %x, i64 5
  %c5 = icmp eq i32 %x5, %n
  %x6 = extractelement <8 x i32> %x, i64 6
  %c6 = icmp eq i32 %x6, %n
  %x7 = extractelement <8 x i32> %x, i64 0
  %c7 = icmp eq i32 %x7, %n
  %o1 = or i1 %c0, %c1
  %o2 = or i1 %o1, %c2
  %o3 = or i1 %o2, %c3
  %o4 = or i1 %o3, %c4
  %o5 = or i1 %o4, %c5
  %o6 = or i1 %o5, %c6
  %o7 = or i1 %o6, %c7
  ret i1 %o7
}

; Signs of elements: of any, of none, of all, not of all.
; CHECK-LABEL: define i1 @any_sign(
; CHECK: [[BITS:%.*]] = bitcast <16 x i1> %{{.*}} to i16
; CHECK: icmp ne i16 [[BITS]], 0
define i1 @any_sign(<16 x i32> %x) {
  %r = call i32 @llvm.vector.reduce.or.v16i32(<16 x i32> %x)
  %c = icmp slt i32 %r, 0
  ret i1 %c
}

; CHECK-LABEL: define i1 @no_sign(
; CHECK: [[BITS:%.*]] = bitcast <16 x i1> %{{.*}} to i16
; CHECK: icmp eq i16 [[BITS]], 0
define i1 @no_sign(<16 x i32> %x) {
  %r = call i32 @llvm.vector.reduce.or.v16i32(<16 x i32> %x)
  %c = icmp sgt i32 %r, -1
  ret i1 %c
}

; CHECK-LABEL: define i1 @all_signs(
; CHECK: [[BITS:%.*]] = bitcast <8 x i1> %{{.*}} to i8
; CHECK: icmp eq i8 [[BITS]], -1
define i1 @all_signs(<8 x i16> %x) {
  %r = call i16 @llvm.vector.reduce.and.v8i16(<8 x i16> %x)
  %c = icmp slt i16 %r, 0
  ret i1 %c
}

; CHECK-LABEL: define i1 @not_all_signs(
; CHECK: [[BITS:%.*]] = bitcast <8 x i1> %{{.*}} to i8
; CHECK: icmp ne i8 [[BITS]], -1
define i1 @not_all_signs(<8 x i16> %x) {
  %r = call i16 @llvm.vector.reduce.and.v8i16(<8 x i16> %x)
  %c = icmp sgt i16 %r, -1
  ret i1 %c
}

; Not the sign, and two elements only.
; CHECK-LABEL: define i1 @other(
; CHECK-NOT: bitcast
define i1 @other(<16 x i32> %x, <2 x i32> %y) {
  %r = call i32 @llvm.vector.reduce.or.v16i32(<16 x i32> %x)
  %c = icmp slt i32 %r, 1
  %s = call i32 @llvm.vector.reduce.or.v2i32(<2 x i32> %y)
  %d = icmp slt i32 %s, 0
  %e = and i1 %c, %d
  ret i1 %e
}
