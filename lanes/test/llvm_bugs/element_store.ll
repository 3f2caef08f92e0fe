; SPDX-License-Identifier: Apache-2.0
; codegen: +avx512f,+avx512vl
; 64 bits are stored.
; fault with: vmovlps
define void @f(<8 x i64> %v, ptr %p) {
  %t = trunc <8 x i64> %v to <8 x i32>
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %t, ptr align 4 %p, <8 x i1> <i1 0, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>)
  ret void
}
declare void @llvm.masked.store.v8i32.p0(<8 x i32>, ptr, <8 x i1>)
