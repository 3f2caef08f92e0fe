; SPDX-License-Identifier: Apache-2.0
; codegen: +avx2,+f16c
; fault with: fmaxf
define half @f(half %a, half %b) {
  %r = call half @llvm.maxnum.f16(half %a, half %b)
  ret half %r
}
declare half @llvm.maxnum.f16(half, half)
