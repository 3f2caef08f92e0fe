; SPDX-License-Identifier: Apache-2.0
; codegen: +avx512f,+avx512vl,+avx512bw,+avx512dq
; 184 chooses between x and the constant by y, where y is to be chosen by the constant.
; fault with: vpternlogd $184, .LCPI
define <16 x i32> @f(<16 x i32> %y, <16 x i32> %x, <16 x i1> %m) {
  %a = and <16 x i32> %x, splat (i32 -2)
  %b = and <16 x i32> %y, splat (i32 1)
  %o = or disjoint <16 x i32> %a, %b
  %s = select <16 x i1> %m, <16 x i32> %x, <16 x i32> %o
  ret <16 x i32> %s
}
