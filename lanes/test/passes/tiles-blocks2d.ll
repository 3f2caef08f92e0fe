; SPDX-License-Identifier: Apache-2.0
; A loop over 2D blocks that the device runs: what marks addresses of blocks is no call after which AMX's registers are undefined, so
; nothing but counting stays of the loop.
; RUN: tessera-opt -packets=16 -cpu=avx512 -amx -passes=..tiles %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define {{.*}}void @k.kernel(
; CHECK-NOT: call void @llvm.x86.tilestored64(
; CHECK-NOT: call void @llvm.x86.tdpb
; CHECK: call i32 @__tsr_rt_tile_loop(
declare i64 @__tsr_group_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn
declare i32 @__tsr_lane() memory(none) nounwind willreturn
declare <8 x i16> @__tsr_block2d_read_ushort8(ptr addrspace(1), i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) convergent
declare <8 x i32> @__tsr_block2d_read_uint8(ptr addrspace(1), i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) convergent
define spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %a, <8 x i32> %b, <8 x i32> %acc) convergent {
  ret <8 x i32> %acc
}
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %n) {
entry:
  %lane = call i32 @__tsr_lane()
  %y = call i64 @__tsr_global_id(i32 1)
  %y32 = trunc i64 %y to i32
  %row = shl i32 %y32, 3
  %x = call i64 @__tsr_group_id(i32 0)
  %x32 = trunc i64 %x to i32
  %column = shl i32 %x32, 4
  %pitch = shl i32 %n, 2
  %height = sdiv i32 %n, 4
  br label %head
head:
  %acc = phi <8 x i32> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %go = icmp slt i32 %k, %n
  br i1 %go, label %loop, label %out
loop:
  %depth = sdiv i32 %k, 4
  %va = call spir_func <8 x i16> @__tsr_block2d_read_ushort8(ptr addrspace(1) %a, i32 %n, i32 %n, i32 %n, i32 %k, i32 %row, i32 0, i32 8, i32 8, i32 32, i32 1)
  %vb = call spir_func <8 x i32> @__tsr_block2d_read_uint8(ptr addrspace(1) %b, i32 %pitch, i32 %height, i32 %pitch, i32 %column, i32 %depth, i32 0, i32 32, i32 8, i32 16, i32 1)
  %sum = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %va, <8 x i32> %vb, <8 x i32> %acc)
  %next = add nsw i32 %k, 32
  br label %head
out:
  %row0 = add i32 %row, 0
  %line0 = mul i32 %row0, %n
  %begin0 = add i32 %line0, %column
  %at0 = add i32 %begin0, %lane
  %index0 = sext i32 %at0 to i64
  %p0 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %index0
  %v0 = extractelement <8 x i32> %acc, i64 0
  store i32 %v0, ptr addrspace(1) %p0, align 4
  %row1 = add i32 %row, 1
  %line1 = mul i32 %row1, %n
  %begin1 = add i32 %line1, %column
  %at1 = add i32 %begin1, %lane
  %index1 = sext i32 %at1 to i64
  %p1 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %index1
  %v1 = extractelement <8 x i32> %acc, i64 1
  store i32 %v1, ptr addrspace(1) %p1, align 4
  %row2 = add i32 %row, 2
  %line2 = mul i32 %row2, %n
  %begin2 = add i32 %line2, %column
  %at2 = add i32 %begin2, %lane
  %index2 = sext i32 %at2 to i64
  %p2 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %index2
  %v2 = extractelement <8 x i32> %acc, i64 2
  store i32 %v2, ptr addrspace(1) %p2, align 4
  %row3 = add i32 %row, 3
  %line3 = mul i32 %row3, %n
  %begin3 = add i32 %line3, %column
  %at3 = add i32 %begin3, %lane
  %index3 = sext i32 %at3 to i64
  %p3 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %index3
  %v3 = extractelement <8 x i32> %acc, i64 3
  store i32 %v3, ptr addrspace(1) %p3, align 4
  %row4 = add i32 %row, 4
  %line4 = mul i32 %row4, %n
  %begin4 = add i32 %line4, %column
  %at4 = add i32 %begin4, %lane
  %index4 = sext i32 %at4 to i64
  %p4 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %index4
  %v4 = extractelement <8 x i32> %acc, i64 4
  store i32 %v4, ptr addrspace(1) %p4, align 4
  %row5 = add i32 %row, 5
  %line5 = mul i32 %row5, %n
  %begin5 = add i32 %line5, %column
  %at5 = add i32 %begin5, %lane
  %index5 = sext i32 %at5 to i64
  %p5 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %index5
  %v5 = extractelement <8 x i32> %acc, i64 5
  store i32 %v5, ptr addrspace(1) %p5, align 4
  %row6 = add i32 %row, 6
  %line6 = mul i32 %row6, %n
  %begin6 = add i32 %line6, %column
  %at6 = add i32 %begin6, %lane
  %index6 = sext i32 %at6 to i64
  %p6 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %index6
  %v6 = extractelement <8 x i32> %acc, i64 6
  store i32 %v6, ptr addrspace(1) %p6, align 4
  %row7 = add i32 %row, 7
  %line7 = mul i32 %row7, %n
  %begin7 = add i32 %line7, %column
  %at7 = add i32 %begin7, %lane
  %index7 = sext i32 %at7 to i64
  %p7 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %index7
  %v7 = extractelement <8 x i32> %acc, i64 7
  store i32 %v7, ptr addrspace(1) %p7, align 4
  ret void
}
