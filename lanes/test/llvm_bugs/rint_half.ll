; SPDX-License-Identifier: Apache-2.0
; codegen: +avx512fp16,+avx512vl
; fault with: vcvttsh2si
; fault without: vrndscale
define i32 @f(half %a) {
  %x = call half @llvm.rint.f16(half %a)
  %r = fptosi half %x to i32
  ret i32 %r
}
declare half @llvm.rint.f16(half)
