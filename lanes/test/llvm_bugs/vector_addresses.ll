; SPDX-License-Identifier: Apache-2.0
; passes: instcombine<no-verify-fixpoint>
; The address %r, which is stored to, becomes a vector.
; fault with: getelementptr i32, <4 x ptr>
define <4 x i1> @f(ptr %a, i64 %n, <4 x i64> %i) {
  %q = getelementptr i8, ptr %a, i64 1008
  %r = getelementptr i32, ptr %q, i64 %n
  store i32 0, ptr %r
  %x = getelementptr i8, ptr %q, <4 x i64> %i
  %y = getelementptr i8, ptr %a, <4 x i64> <i64 0, i64 16, i64 32, i64 48>
  %c = icmp eq <4 x ptr> %x, %y
  ret <4 x i1> %c
}
