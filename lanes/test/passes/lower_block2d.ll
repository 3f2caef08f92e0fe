; SPDX-License-Identifier: Apache-2.0
; A read of a block of two rows of sixteen numbers of 16 bits. A block within the matrix is a load of each row; one that crosses an edge
; is copied to the stack first.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=lower_block2d %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare { <16 x i16>, <16 x i16> } @tsr.block2d_read_ushort2(ptr addrspace(1), i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)
; CHECK-LABEL: define internal void @k.whole(
; CHECK: [[BLOCK:%.*]] = alloca [64 x i8], align 64
; CHECK: br i1 {{.*}}, label %within, label %edge
; CHECK: edge:
; CHECK: call void @tsr.block2d.get(ptr [[BLOCK]], ptr addrspace(1) %a, i64 256, i64 64, i64 256, i64 {{.*}}, i64 0, i64 2, i64 32)
; CHECK-COUNT-2: load <16 x i16>, ptr addrspace(1)
; CHECK-NOT: load <16 x i16>
define internal void @k.whole(ptr addrspace(1) %a, ptr addrspace(1) %o, i32 %x) {
  %r = call { <16 x i16>, <16 x i16> } @tsr.block2d_read_ushort2(ptr addrspace(1) %a, i32 256, i32 64, i32 256, i32 %x, i32 0, i32 0, i32 16, i32 2, i32 16, i32 1)
  %v = extractvalue { <16 x i16>, <16 x i16> } %r, 0
  %w = extractvalue { <16 x i16>, <16 x i16> } %r, 1
  %s = add <16 x i16> %v, %w
  store <16 x i16> %s, ptr addrspace(1) %o
  ret void
}
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %o, i32 %x) {
  call void @k.whole(ptr addrspace(1) %a, ptr addrspace(1) %o, i32 %x)
  ret void
}
