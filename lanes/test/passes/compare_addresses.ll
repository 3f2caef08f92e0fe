; SPDX-License-Identifier: Apache-2.0
; Addresses in lanes with a scalar offset in common are compared as numbers, and one of them is not known; others are left alone.
; RUN: tessera-opt -packets=16 -passes=compare_addresses,combine %s | FileCheck %s

; CHECK-LABEL: define <4 x i1> @equal(
; CHECK: %[[zero:.*]] = call i64 asm "", "=r,0"(i64 0)
; CHECK: getelementptr i32, ptr %{{.*}}, i64 %n
; CHECK: %[[x:.*]] = ptrtoint <4 x ptr> %{{.*}} to <4 x i64>
; CHECK: %[[y:.*]] = ptrtoint <4 x ptr> %{{.*}} to <4 x i64>
; CHECK: %[[sum:.*]] = add <4 x i64> %{{.*}}, %{{.*}}
; CHECK: icmp eq <4 x i64> {{.*}}%[[sum]]
define <4 x i1> @equal(ptr %a, i64 %n, <4 x i64> %i) {
  %q = getelementptr i8, ptr %a, i64 1008
  %r = getelementptr i32, ptr %q, i64 %n
  store i32 0, ptr %r
  %x = getelementptr i8, ptr %q, <4 x i64> %i
  %y = getelementptr i8, ptr %a, <4 x i64> <i64 0, i64 16, i64 32, i64 48>
  %c = icmp eq <4 x ptr> %x, %y
  ret <4 x i1> %c
}

; CHECK-LABEL: define <4 x i1> @chosen(
; CHECK: getelementptr i32, ptr %{{.*}}, i64 %n
; CHECK: ptrtoint <4 x ptr> %{{.*}} to <4 x i64>
; CHECK: icmp eq <4 x i64>
define <4 x i1> @chosen(ptr %a, i64 %n, <4 x i64> %i, <4 x i1> %b) {
  %q = getelementptr i8, ptr %a, i64 1008
  %r = getelementptr i32, ptr %q, i64 %n
  store i32 0, ptr %r
  %x = getelementptr i8, ptr %q, <4 x i64> %i
  %y = getelementptr i8, ptr %a, <4 x i64> <i64 0, i64 16, i64 32, i64 48>
  %z = select <4 x i1> %b, <4 x ptr> %y, <4 x ptr> %x
  %c = icmp eq <4 x ptr> %x, %z
  ret <4 x i1> %c
}

; CHECK-LABEL: define <4 x i64> @difference(
; CHECK: getelementptr i32, ptr %{{.*}}, i64 %n
; CHECK: sub <4 x i64>
define <4 x i64> @difference(ptr %a, i64 %n, <4 x i64> %i) {
  %q = getelementptr i8, ptr %a, i64 1008
  %r = getelementptr i32, ptr %q, i64 %n
  store i32 0, ptr %r
  %x = getelementptr i8, ptr %q, <4 x i64> %i
  %y = getelementptr i8, ptr %a, <4 x i64> <i64 0, i64 16, i64 32, i64 48>
  %m = ptrtoint <4 x ptr> %x to <4 x i64>
  %o = ptrtoint <4 x ptr> %y to <4 x i64>
  %d = sub <4 x i64> %m, %o
  ret <4 x i64> %d
}

; CHECK-LABEL: define <4 x i1> @one_base(
; CHECK-NOT: asm
; CHECK: icmp eq <4 x i64> %i, %k
define <4 x i1> @one_base(ptr %a, <4 x i64> %i, <4 x i64> %k) {
  %x = getelementptr i8, ptr %a, <4 x i64> %i
  %y = getelementptr i8, ptr %a, <4 x i64> %k
  %c = icmp eq <4 x ptr> %x, %y
  ret <4 x i1> %c
}
