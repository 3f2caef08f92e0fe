; SPDX-License-Identifier: Apache-2.0
; A product of halves and a sum become one multiply-add of floats where the program allows it, and the CPU has no instructions for halves.
; RUN: tessera-opt -cpu=avx2 -passes=contract_halves %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare half @llvm.fmuladd.f16(half, half, half)

; CHECK-LABEL: define spir_func half @intrinsic(
; CHECK: [[A:%.*]] = fpext half %a to float
; CHECK: [[B:%.*]] = fpext half %b to float
; CHECK: [[C:%.*]] = fpext half %c to float
; CHECK: [[S:%.*]] = call float @llvm.fma.f32(float [[A]], float [[B]], float [[C]])
; CHECK: fptrunc float [[S]] to half
define spir_func half @intrinsic(half %a, half %b, half %c) {
  %s = call half @llvm.fmuladd.f16(half %a, half %b, half %c)
  ret half %s
}
; CHECK-LABEL: define spir_func <4 x half> @from_product(
; CHECK: [[A:%.*]] = fpext <4 x half> %a to <4 x float>
; CHECK: [[N:%.*]] = fneg <4 x float> [[A]]
; CHECK: call <4 x float> @llvm.fma.v4f32(<4 x float> [[N]],
define spir_func <4 x half> @from_product(<4 x half> %a, <4 x half> %b, <4 x half> %c) {
  %p = fmul contract <4 x half> %a, %b
  %s = fsub contract <4 x half> %c, %p
  ret <4 x half> %s
}
; CHECK-LABEL: define spir_func half @minus_sum(
; CHECK: [[C:%.*]] = fpext half %c to float
; CHECK: [[N:%.*]] = fneg float [[C]]
; CHECK: call float @llvm.fma.f32({{.*}}, float [[N]])
define spir_func half @minus_sum(half %a, half %b, half %c) {
  %p = fmul contract half %a, %b
  %s = fsub contract half %p, %c
  ret half %s
}
; Not where each operation rounds, or where the product is used again.
; CHECK-LABEL: define spir_func half @strict(
; CHECK-NEXT: fmul half
; CHECK-NEXT: fadd contract half
define spir_func half @strict(half %a, half %b, half %c) {
  %p = fmul half %a, %b
  %s = fadd contract half %p, %c
  ret half %s
}
; CHECK-LABEL: define spir_func half @twice(
; CHECK-NEXT: fmul contract half
; CHECK-NEXT: fadd contract half
define spir_func half @twice(half %a, half %b, half %c) {
  %p = fmul contract half %a, %b
  %s = fadd contract half %p, %c
  %t = fdiv half %s, %p
  ret half %t
}
