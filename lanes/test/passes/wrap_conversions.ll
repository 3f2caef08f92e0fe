; SPDX-License-Identifier: Apache-2.0
; Integers of 8 and 16 bits are made by way of 32 bits, so that a number out of range is no poison; larger ones are left alone.
; RUN: tessera-opt -passes=wrap_conversions %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_func i8 @unsigned(
; CHECK: [[W:%.*]] = fptosi float %x to i32
; CHECK: [[R:%.*]] = trunc i32 [[W]] to i8
; CHECK: ret i8 [[R]]
define spir_func i8 @unsigned(float %x) {
  %r = fptoui float %x to i8
  ret i8 %r
}
; CHECK-LABEL: define spir_func <4 x i16> @vector(
; CHECK: [[W:%.*]] = fptosi <4 x double> %x to <4 x i32>
; CHECK: trunc <4 x i32> [[W]] to <4 x i16>
define spir_func <4 x i16> @vector(<4 x double> %x) {
  %r = fptosi <4 x double> %x to <4 x i16>
  ret <4 x i16> %r
}
; CHECK-LABEL: define spir_func i32 @wide(
; CHECK-NEXT: fptoui float %x to i32
define spir_func i32 @wide(float %x) {
  %r = fptoui float %x to i32
  ret i32 %r
}
