; SPDX-License-Identifier: Apache-2.0
; Members of records of 64 bits come out of networks of shuffles of two registers, and go back by one.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=record_shuffles %s | FileCheck %s --check-prefixes=ANY,AVX2
; RUN: tessera-opt -packets=16 -cpu=sse2 -passes=record_shuffles %s | FileCheck %s --check-prefixes=ANY,SSE2
; RUN-SAME: tessera-opt -packets=16 -cpu=avx512 -passes=record_shuffles %s | FileCheck %s --check-prefix=AVX512

; Four members of 16 records: four registers, of which each has the same half of two of memory. One of them is a number's lower bits.
; ANY-LABEL: define void @apart(
; AVX2: [[M0:%.*]] = shufflevector <64 x i16> %a, <64 x i16> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
; AVX2: [[M2:%.*]] = shufflevector <64 x i16> %a, <64 x i16> poison, <16 x i32> <i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47>
; AVX2: [[R0:%.*]] = shufflevector <16 x i16> [[M0]], <16 x i16> [[M2]], <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
; AVX2: shufflevector <16 x i16> [[R0]], <16 x i16> {{.*}}, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27>
; AVX2-NOT: shufflevector <64 x i16> {{.*}}, <16 x i32> <i32 0, i32 4
; AVX2-NOT: trunc
; SSE2: shufflevector <8 x i16> {{.*}}, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
; SSE2-NOT: trunc
; ANY: ret void
; AVX512-LABEL: define void @apart(
; AVX512: shufflevector <64 x i16> %a, <64 x i16> poison, <16 x i32> <i32 1, i32 5
define void @apart(<64 x i16> %a, ptr %p) {
  %n = bitcast <64 x i16> %a to <16 x i64>
  %x = trunc <16 x i64> %n to <16 x i16>
  %y = shufflevector <64 x i16> %a, <64 x i16> poison, <16 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29, i32 33, i32 37, i32 41, i32 45, i32 49, i32 53, i32 57, i32 61>
  %s = add <16 x i16> %x, %y
  store <16 x i16> %s, ptr %p
  ret void
}

; ANY-LABEL: define void @together(
; AVX2: [[L:%.*]] = shufflevector <16 x i16> %x, <16 x i16> %z, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27>
; AVX2: [[H:%.*]] = shufflevector <16 x i16> %y, <16 x i16> %w, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27>
; AVX2: shufflevector <16 x i16> [[L]], <16 x i16> [[H]], <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27>
; SSE2: [[X:%.*]] = shufflevector <16 x i16> %x, <16 x i16> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
; SSE2: shufflevector <8 x i16> [[X]], <8 x i16> {{.*}}, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
; ANY-NOT: <i32 0, i32 16, i32 32, i32 48
; ANY: ret void
define void @together(<16 x i16> %x, <16 x i16> %y, <16 x i16> %z, <16 x i16> %w, ptr %p) {
  %a = shufflevector <16 x i16> %x, <16 x i16> %y, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %b = shufflevector <16 x i16> %z, <16 x i16> %w, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %all = shufflevector <32 x i16> %a, <32 x i16> %b, <64 x i32> <i32 0, i32 16, i32 32, i32 48, i32 1, i32 17, i32 33, i32 49, i32 2, i32 18, i32 34, i32 50, i32 3, i32 19, i32 35, i32 51, i32 4, i32 20, i32 36, i32 52, i32 5, i32 21, i32 37, i32 53, i32 6, i32 22, i32 38, i32 54, i32 7, i32 23, i32 39, i32 55, i32 8, i32 24, i32 40, i32 56, i32 9, i32 25, i32 41, i32 57, i32 10, i32 26, i32 42, i32 58, i32 11, i32 27, i32 43, i32 59, i32 12, i32 28, i32 44, i32 60, i32 13, i32 29, i32 45, i32 61, i32 14, i32 30, i32 46, i32 62, i32 15, i32 31, i32 47, i32 63>
  store <64 x i16> %all, ptr %p
  ret void
}

; Members of two vectors of records, y of the second one, are put in another order within each register.
; ANY-LABEL: define void @in_another_order(
; AVX2: [[A:%.*]] = shufflevector <64 x i16> %a, <64 x i16> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
; AVX2: [[B:%.*]] = shufflevector <64 x i16> %b, <64 x i16> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
; AVX2: shufflevector <16 x i16> [[A]], <16 x i16> [[B]], <16 x i32> <i32 3, i32 17, i32 2, i32 0, i32 7, i32 21, i32 6, i32 4, i32 11, i32 25, i32 10, i32 8, i32 15, i32 29, i32 14, i32 12>
; SSE2: shufflevector <8 x i16> {{.*}}, <8 x i32> <i32 3, i32 9, i32 2, i32 0, i32 7, i32 13, i32 6, i32 4>
; ANY: ret void
define void @in_another_order(<64 x i16> %a, <64 x i16> %b, ptr %p) {
  %x = shufflevector <64 x i16> %a, <64 x i16> poison, <16 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28, i32 32, i32 36, i32 40, i32 44, i32 48, i32 52, i32 56, i32 60>
  %y = shufflevector <64 x i16> %b, <64 x i16> poison, <16 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29, i32 33, i32 37, i32 41, i32 45, i32 49, i32 53, i32 57, i32 61>
  %z = shufflevector <64 x i16> %a, <64 x i16> poison, <16 x i32> <i32 2, i32 6, i32 10, i32 14, i32 18, i32 22, i32 26, i32 30, i32 34, i32 38, i32 42, i32 46, i32 50, i32 54, i32 58, i32 62>
  %w = shufflevector <64 x i16> %a, <64 x i16> poison, <16 x i32> <i32 3, i32 7, i32 11, i32 15, i32 19, i32 23, i32 27, i32 31, i32 35, i32 39, i32 43, i32 47, i32 51, i32 55, i32 59, i32 63>
  %wy = shufflevector <16 x i16> %w, <16 x i16> %y, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %zx = shufflevector <16 x i16> %z, <16 x i16> %x, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %all = shufflevector <32 x i16> %wy, <32 x i16> %zx, <64 x i32> <i32 0, i32 16, i32 32, i32 48, i32 1, i32 17, i32 33, i32 49, i32 2, i32 18, i32 34, i32 50, i32 3, i32 19, i32 35, i32 51, i32 4, i32 20, i32 36, i32 52, i32 5, i32 21, i32 37, i32 53, i32 6, i32 22, i32 38, i32 54, i32 7, i32 23, i32 39, i32 55, i32 8, i32 24, i32 40, i32 56, i32 9, i32 25, i32 41, i32 57, i32 10, i32 26, i32 42, i32 58, i32 11, i32 27, i32 43, i32 59, i32 12, i32 28, i32 44, i32 60, i32 13, i32 29, i32 45, i32 61, i32 14, i32 30, i32 46, i32 62, i32 15, i32 31, i32 47, i32 63>
  store <64 x i16> %all, ptr %p
  ret void
}

; Of a product of whole records one member is wanted: one product. LLVM has its own way for a member alone.
; ANY-LABEL: define void @one_of_a_product(
; ANY: [[Y:%.*]] = shufflevector <64 x i16> %a, <64 x i16> poison, <16 x i32> <i32 1, i32 5,
; ANY: mul <16 x i16> [[Y]]
; ANY-NOT: mul <64 x i16>
; ANY: ret void
define void @one_of_a_product(<64 x i16> %a, <64 x i16> %b, ptr %p) {
  %m = mul <64 x i16> %a, %b
  %y = shufflevector <64 x i16> %m, <64 x i16> poison, <16 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29, i32 33, i32 37, i32 41, i32 45, i32 49, i32 53, i32 57, i32 61>
  store <16 x i16> %y, ptr %p
  ret void
}
