; SPDX-License-Identifier: Apache-2.0
; codegen: +avx2
; Nothing is computed: the result is undefined.
; fault without: vpm
define <8 x i16> @f(<8 x i16> %a, <8 x i16> %b) {
  %x = sext <8 x i16> %a to <8 x i64>
  %y = sext <8 x i16> %b to <8 x i64>
  %p = mul <8 x i64> %x, %y
  %s = lshr <8 x i64> %p, splat (i64 40)
  %r = trunc <8 x i64> %s to <8 x i16>
  ret <8 x i16> %r
}
