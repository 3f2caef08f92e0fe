; SPDX-License-Identifier: Apache-2.0
; A loop whose products take operands from 2D blocks is made twice, with what follows up to the packet's end. In the second one reads are
; plain loads, whose addresses are marked, and two rounds are not one.
; RUN: TESSERA_TILES=model tessera-opt -packets=16 -cpu=avx512 -passes=inline_calls..unroll_block_reads %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @k.whole(
; CHECK: {{^}}loop:
; CHECK-COUNT-2: @tsr.block2d_read_ushort8(
; CHECK: br i1 {{.*}}, label %loop, !llvm.loop
; CHECK: [[WAY:%.*]] = call i1 @tsr.block2d.shares(i32 1)
; CHECK: br i1 [[WAY]], label %{{.*}}, label %loop.preheader
; CHECK: [[AT:%.*]] = call ptr addrspace(1) @tsr.block2d.place(
; CHECK: load <16 x i16>, ptr addrspace(1) [[AT]], align 1
; CHECK-NOT: @tsr.block2d.place(
; CHECK-LABEL: define internal void @k.partial(
; CHECK-NOT: @tsr.block2d.place(
; CHECK-LABEL: define internal void @k.wrapping(
declare <8 x i16> @__tsr_block2d_read_ushort8(ptr addrspace(1), i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) convergent
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
define spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %a, <8 x i32> %b, <8 x i32> %acc) convergent {
  ret <8 x i32> %acc
}
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %n) {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  br label %loop
loop:
  %acc = phi <8 x i32> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %column = shl i32 %i, 5
  %at = zext i32 %i to i64
  %va = call spir_func <8 x i16> @__tsr_block2d_read_ushort8(ptr addrspace(1) %a, i32 256, i32 64, i32 256, i32 %column, i32 0, i32 0, i32 8, i32 8, i32 32, i32 1)
  %q = getelementptr inbounds <8 x i32>, ptr addrspace(1) %b, i64 %at
  %vb = load <8 x i32>, ptr addrspace(1) %q, align 32
  %sum = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %va, <8 x i32> %vb, <8 x i32> %acc)
  %j = add i32 %i, 1
  %go = icmp ult i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  %r = getelementptr inbounds <8 x i32>, ptr addrspace(1) %c, i64 %l
  store <8 x i32> %sum, ptr addrspace(1) %r, align 32
  ret void
}
