; SPDX-License-Identifier: Apache-2.0
; codegen: +avx512f,+avx512vl,+avx512bw,+avx512dq
; Bits 8 to 11 of %x come into the mask, unless a shift to the left drops them first.
; fault with: kshiftrw $4
; fault without: kshiftl
define <8 x i64> @f(i16 %x, <8 x i64> %a, <8 x i64> %b) {
  %v = bitcast i16 %x to <16 x i1>
  %m = shufflevector <16 x i1> %v, <16 x i1> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %r = shufflevector <8 x i1> %m, <8 x i1> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11>
  %s = select <8 x i1> %r, <8 x i64> %a, <8 x i64> %b
  ret <8 x i64> %s
}
