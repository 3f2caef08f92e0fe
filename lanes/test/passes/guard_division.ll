; SPDX-License-Identifier: Apache-2.0
; No division traps: a divisor of zero, or of -1 under the smallest number, becomes 1. Constant divisors that are harmless stay.
; RUN: tessera-opt -passes=guard_division %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_func i32 @signed(
; CHECK: [[B:%.*]] = freeze i32 %b
; CHECK: icmp eq i32 [[B]], 0
; CHECK: icmp eq i32 {{.*}}, -2147483648
; CHECK: icmp eq i32 [[B]], -1
; CHECK: [[D:%.*]] = select i1 {{.*}}, i32 1, i32 [[B]]
; CHECK: sdiv i32 {{.*}}, [[D]]
define spir_func i32 @signed(i32 %a, i32 %b) {
  %q = sdiv i32 %a, %b
  ret i32 %q
}
; CHECK-LABEL: define spir_func <4 x i64> @vector(
; CHECK: icmp eq <4 x i64> {{.*}}, splat (i64 -9223372036854775808)
; CHECK: select <4 x i1> {{.*}}, <4 x i64> splat (i64 1)
define spir_func <4 x i64> @vector(<4 x i64> %a, <4 x i64> %b) {
  %q = srem <4 x i64> %a, %b
  ret <4 x i64> %q
}
; CHECK-LABEL: define spir_func i32 @harmless(
; CHECK-NEXT: sdiv i32 %a, 3
define spir_func i32 @harmless(i32 %a) {
  %q = sdiv i32 %a, 3
  ret i32 %q
}
; CHECK-LABEL: define spir_func i32 @zero(
; CHECK-NOT: sdiv i32 %a, 0
; CHECK: ret
define spir_func i32 @zero(i32 %a) {
  %q = sdiv i32 %a, 0
  ret i32 %q
}
