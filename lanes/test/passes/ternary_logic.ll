; SPDX-License-Identifier: Apache-2.0
; The majority of three, as hashes write it, is one instruction, whatever else needs what it is made of; vectors of two registers are two of them.
; Not two operations, which LLVM joins itself, functions of four vectors, single numbers or vectors of bytes.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=ternary_logic %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: @majority(
; CHECK-NEXT: [[M:%.*]] = call <16 x i32> @llvm.x86.avx512.pternlog.d.512(<16 x i32> %x, <16 x i32> %y, <16 x i32> %z, i32 232)
; CHECK-NEXT: ret <16 x i32> [[M]]
define <16 x i32> @majority(<16 x i32> %x, <16 x i32> %y, <16 x i32> %z) {
  %a = and <16 x i32> %x, %y
  %b = xor <16 x i32> %x, %y
  %c = and <16 x i32> %z, %b
  %r = or <16 x i32> %a, %c
  ret <16 x i32> %r
}
; What is needed besides stays; of the rest there must be three operations.
; CHECK-LABEL: @shared(
; CHECK-NEXT: %a = and <8 x i64> %x, %y
; CHECK-NEXT: [[M:%.*]] = call <8 x i64> @llvm.x86.avx512.pternlog.q.512(<8 x i64> %x, <8 x i64> %y, <8 x i64> %z, i32 232)
; CHECK-NEXT: add <8 x i64> [[M]], %a
define <8 x i64> @shared(<8 x i64> %x, <8 x i64> %y, <8 x i64> %z) {
  %a = and <8 x i64> %x, %y
  %b = or <8 x i64> %x, %y
  %c = and <8 x i64> %z, %b
  %r = or <8 x i64> %a, %c
  %s = add <8 x i64> %r, %a
  ret <8 x i64> %s
}
; CHECK-LABEL: @inverted(
; CHECK: call <8 x i32> @llvm.x86.avx512.pternlog.d.256(<8 x i32> %x, <8 x i32> %y, <8 x i32> %z, i32 53)
define <8 x i32> @inverted(<8 x i32> %x, <8 x i32> %y, <8 x i32> %z) {
  %n = xor <8 x i32> %x, splat (i32 -1)
  %a = and <8 x i32> %x, %y
  %b = and <8 x i32> %n, %z
  %c = or <8 x i32> %a, %b
  %r = xor <8 x i32> %c, splat (i32 -1)
  ret <8 x i32> %r
}
; CHECK-LABEL: @two_registers(
; CHECK-COUNT-2: call <8 x i64> @llvm.x86.avx512.pternlog.q.512({{.*}}, i32 232)
define <16 x i64> @two_registers(<16 x i64> %x, <16 x i64> %y, <16 x i64> %z) {
  %a = and <16 x i64> %x, %y
  %b = xor <16 x i64> %x, %y
  %c = and <16 x i64> %z, %b
  %r = or <16 x i64> %a, %c
  ret <16 x i64> %r
}
; CHECK-LABEL: @others(
; CHECK-NOT: pternlog
; CHECK: ret
define <16 x i32> @others(<16 x i32> %x, <16 x i32> %y, <16 x i32> %z, <16 x i32> %w, i32 %n, <64 x i8> %s, ptr %p) {
  %a = xor <16 x i32> %x, %y
  %b = and <16 x i32> %a, %z
  store volatile <16 x i32> %b, ptr %p
  %c = and <16 x i32> %x, %z
  %d = and <16 x i32> %y, %w
  %e = or <16 x i32> %c, %d
  %f = and i32 %n, 5
  %g = xor i32 %n, 9
  %h = or i32 %f, %g
  store volatile i32 %h, ptr %p
  %i = and <64 x i8> %s, splat (i8 5)
  %j = xor <64 x i8> %s, splat (i8 9)
  %k = or <64 x i8> %i, %j
  store volatile <64 x i8> %k, ptr %p
  ret <16 x i32> %e
}
