; SPDX-License-Identifier: Apache-2.0
; passes: instcombine
; The load stands behind the store; no select is left.
; fault without: select
define <8 x float> @f(ptr %p, <8 x float> %new, ptr %q, <8 x i1> %m) {
  %old = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %p, <8 x i1> %m, <8 x float> poison)
  store <8 x float> %new, ptr %p, align 4
  %other = load <8 x float>, ptr %q, align 4
  %r = select <8 x i1> %m, <8 x float> %old, <8 x float> %other
  ret <8 x float> %r
}
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, <8 x i1>, <8 x float>)
