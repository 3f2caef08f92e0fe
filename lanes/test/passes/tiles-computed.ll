; SPDX-License-Identifier: Apache-2.0
; B is scaled before it is multiplied: what computes it becomes a function of its own, and the loop waits for those of other work-groups if the
; launch says that C's memory is that of no other argument. Where K begins with a number from memory, no two rows of work-groups have the same B,
; and the packet multiplies by itself.
; RUN: TESSERA_TILES=vectors tessera-opt -packets=16 -cpu=avx512 -passes=..runtime_calls -info %s | FileCheck %s
; RUN: TESSERA_TILES=vectors tessera-opt -packets=16 -cpu=avx512 -passes=..runtime_calls %s | FileCheck --check-prefix=CODE %s
; CHECK-NOT: RUNS_TWICE
; CHECK: SHARES_OPERANDS
; CHECK-NOT: RUNS_TWICE
; CHECK-NOT: SHARES_OPERANDS
; CODE: define internal void @{{.*}}.operand(ptr %0, i64 %1, i64 %2, i32 %3, ptr %4, i64 %5, i64 %6)
; CODE: mul <16 x i32>
; CODE-COUNT-8: store <16 x i32> {{.*}}, align 1
; CODE-NOT: .operand(
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_group_id(i32) memory(none) nounwind willreturn
define spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %a, <8 x i32> %b, <8 x i32> %acc) convergent {
  ret <8 x i32> %acc
}

define spir_kernel void @k(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %c, i64 %n, i64 %depth, ptr addrspace(1) %scale) {
entry:
  %lane = call i64 @__tsr_local_id(i32 0)
  %group.x = call i64 @__tsr_group_id(i32 0)
  %group.y = call i64 @__tsr_group_id(i32 1)
  %first.row = shl i64 %group.y, 3
  %first.column = shl i64 %group.x, 4
  %column = add i64 %first.column, %lane
  %of.column = getelementptr inbounds i32, ptr addrspace(1) %scale, i64 %column
  br label %loop

loop:
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %in.row = add i64 %k, %lane
  %word.row = lshr exact i64 %k, 1
  %row0 = add i64 %first.row, 0
  %begin0 = mul i64 %row0, %depth
  %at0 = add i64 %begin0, %in.row
  %p0 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at0
  %v0 = load i16, ptr addrspace(1) %p0, align 2
  %x0 = insertelement <8 x i16> poison, i16 %v0, i32 0
  %word0 = add i64 %word.row, 0
  %line0 = mul i64 %word0, %n
  %of0 = add i64 %line0, %column
  %q0 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of0
  %l0 = load i32, ptr addrspace(1) %q0, align 4
  %s0 = load i32, ptr addrspace(1) %of.column, align 4
  %w0 = mul i32 %l0, %s0
  %y0 = insertelement <8 x i32> poison, i32 %w0, i32 0
  %row1 = add i64 %first.row, 1
  %begin1 = mul i64 %row1, %depth
  %at1 = add i64 %begin1, %in.row
  %p1 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at1
  %v1 = load i16, ptr addrspace(1) %p1, align 2
  %x1 = insertelement <8 x i16> %x0, i16 %v1, i32 1
  %word1 = add i64 %word.row, 1
  %line1 = mul i64 %word1, %n
  %of1 = add i64 %line1, %column
  %q1 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of1
  %l1 = load i32, ptr addrspace(1) %q1, align 4
  %s1 = load i32, ptr addrspace(1) %of.column, align 4
  %w1 = mul i32 %l1, %s1
  %y1 = insertelement <8 x i32> %y0, i32 %w1, i32 1
  %row2 = add i64 %first.row, 2
  %begin2 = mul i64 %row2, %depth
  %at2 = add i64 %begin2, %in.row
  %p2 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at2
  %v2 = load i16, ptr addrspace(1) %p2, align 2
  %x2 = insertelement <8 x i16> %x1, i16 %v2, i32 2
  %word2 = add i64 %word.row, 2
  %line2 = mul i64 %word2, %n
  %of2 = add i64 %line2, %column
  %q2 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of2
  %l2 = load i32, ptr addrspace(1) %q2, align 4
  %s2 = load i32, ptr addrspace(1) %of.column, align 4
  %w2 = mul i32 %l2, %s2
  %y2 = insertelement <8 x i32> %y1, i32 %w2, i32 2
  %row3 = add i64 %first.row, 3
  %begin3 = mul i64 %row3, %depth
  %at3 = add i64 %begin3, %in.row
  %p3 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at3
  %v3 = load i16, ptr addrspace(1) %p3, align 2
  %x3 = insertelement <8 x i16> %x2, i16 %v3, i32 3
  %word3 = add i64 %word.row, 3
  %line3 = mul i64 %word3, %n
  %of3 = add i64 %line3, %column
  %q3 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of3
  %l3 = load i32, ptr addrspace(1) %q3, align 4
  %s3 = load i32, ptr addrspace(1) %of.column, align 4
  %w3 = mul i32 %l3, %s3
  %y3 = insertelement <8 x i32> %y2, i32 %w3, i32 3
  %row4 = add i64 %first.row, 4
  %begin4 = mul i64 %row4, %depth
  %at4 = add i64 %begin4, %in.row
  %p4 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at4
  %v4 = load i16, ptr addrspace(1) %p4, align 2
  %x4 = insertelement <8 x i16> %x3, i16 %v4, i32 4
  %word4 = add i64 %word.row, 4
  %line4 = mul i64 %word4, %n
  %of4 = add i64 %line4, %column
  %q4 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of4
  %l4 = load i32, ptr addrspace(1) %q4, align 4
  %s4 = load i32, ptr addrspace(1) %of.column, align 4
  %w4 = mul i32 %l4, %s4
  %y4 = insertelement <8 x i32> %y3, i32 %w4, i32 4
  %row5 = add i64 %first.row, 5
  %begin5 = mul i64 %row5, %depth
  %at5 = add i64 %begin5, %in.row
  %p5 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at5
  %v5 = load i16, ptr addrspace(1) %p5, align 2
  %x5 = insertelement <8 x i16> %x4, i16 %v5, i32 5
  %word5 = add i64 %word.row, 5
  %line5 = mul i64 %word5, %n
  %of5 = add i64 %line5, %column
  %q5 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of5
  %l5 = load i32, ptr addrspace(1) %q5, align 4
  %s5 = load i32, ptr addrspace(1) %of.column, align 4
  %w5 = mul i32 %l5, %s5
  %y5 = insertelement <8 x i32> %y4, i32 %w5, i32 5
  %row6 = add i64 %first.row, 6
  %begin6 = mul i64 %row6, %depth
  %at6 = add i64 %begin6, %in.row
  %p6 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at6
  %v6 = load i16, ptr addrspace(1) %p6, align 2
  %x6 = insertelement <8 x i16> %x5, i16 %v6, i32 6
  %word6 = add i64 %word.row, 6
  %line6 = mul i64 %word6, %n
  %of6 = add i64 %line6, %column
  %q6 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of6
  %l6 = load i32, ptr addrspace(1) %q6, align 4
  %s6 = load i32, ptr addrspace(1) %of.column, align 4
  %w6 = mul i32 %l6, %s6
  %y6 = insertelement <8 x i32> %y5, i32 %w6, i32 6
  %row7 = add i64 %first.row, 7
  %begin7 = mul i64 %row7, %depth
  %at7 = add i64 %begin7, %in.row
  %p7 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at7
  %v7 = load i16, ptr addrspace(1) %p7, align 2
  %x7 = insertelement <8 x i16> %x6, i16 %v7, i32 7
  %word7 = add i64 %word.row, 7
  %line7 = mul i64 %word7, %n
  %of7 = add i64 %line7, %column
  %q7 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of7
  %l7 = load i32, ptr addrspace(1) %q7, align 4
  %s7 = load i32, ptr addrspace(1) %of.column, align 4
  %w7 = mul i32 %l7, %s7
  %y7 = insertelement <8 x i32> %y6, i32 %w7, i32 7
  %next = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %x7, <8 x i32> %y7, <8 x i32> %sum)
  %k.next = add nuw nsw i64 %k, 16
  %more = icmp ult i64 %k.next, %depth
  br i1 %more, label %loop, label %out

out:
  %c.line0 = mul i64 %row0, %n
  %c.at0 = add i64 %c.line0, %column
  %d0 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at0
  %e0 = extractelement <8 x i32> %next, i32 0
  store i32 %e0, ptr addrspace(1) %d0, align 4
  %c.line1 = mul i64 %row1, %n
  %c.at1 = add i64 %c.line1, %column
  %d1 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at1
  %e1 = extractelement <8 x i32> %next, i32 1
  store i32 %e1, ptr addrspace(1) %d1, align 4
  %c.line2 = mul i64 %row2, %n
  %c.at2 = add i64 %c.line2, %column
  %d2 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at2
  %e2 = extractelement <8 x i32> %next, i32 2
  store i32 %e2, ptr addrspace(1) %d2, align 4
  %c.line3 = mul i64 %row3, %n
  %c.at3 = add i64 %c.line3, %column
  %d3 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at3
  %e3 = extractelement <8 x i32> %next, i32 3
  store i32 %e3, ptr addrspace(1) %d3, align 4
  %c.line4 = mul i64 %row4, %n
  %c.at4 = add i64 %c.line4, %column
  %d4 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at4
  %e4 = extractelement <8 x i32> %next, i32 4
  store i32 %e4, ptr addrspace(1) %d4, align 4
  %c.line5 = mul i64 %row5, %n
  %c.at5 = add i64 %c.line5, %column
  %d5 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at5
  %e5 = extractelement <8 x i32> %next, i32 5
  store i32 %e5, ptr addrspace(1) %d5, align 4
  %c.line6 = mul i64 %row6, %n
  %c.at6 = add i64 %c.line6, %column
  %d6 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at6
  %e6 = extractelement <8 x i32> %next, i32 6
  store i32 %e6, ptr addrspace(1) %d6, align 4
  %c.line7 = mul i64 %row7, %n
  %c.at7 = add i64 %c.line7, %column
  %d7 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at7
  %e7 = extractelement <8 x i32> %next, i32 7
  store i32 %e7, ptr addrspace(1) %d7, align 4
  ret void
}

define spir_kernel void @k_from_memory(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %c, i64 %n, i64 %depth, ptr addrspace(1) %scale) {
entry:
  %lane = call i64 @__tsr_local_id(i32 0)
  %group.x = call i64 @__tsr_group_id(i32 0)
  %group.y = call i64 @__tsr_group_id(i32 1)
  %first.row = shl i64 %group.y, 3
  %first.column = shl i64 %group.x, 4
  %column = add i64 %first.column, %lane
  %of.column = getelementptr inbounds i32, ptr addrspace(1) %scale, i64 %column
  %begin.at = getelementptr inbounds i64, ptr addrspace(1) %scale, i64 %group.y
  %begin = load i64, ptr addrspace(1) %begin.at, align 8
  br label %loop

loop:
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %next, %loop ]
  %k = phi i64 [ %begin, %entry ], [ %k.next, %loop ]
  %in.row = add i64 %k, %lane
  %word.row = lshr exact i64 %k, 1
  %row0 = add i64 %first.row, 0
  %begin0 = mul i64 %row0, %depth
  %at0 = add i64 %begin0, %in.row
  %p0 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at0
  %v0 = load i16, ptr addrspace(1) %p0, align 2
  %x0 = insertelement <8 x i16> poison, i16 %v0, i32 0
  %word0 = add i64 %word.row, 0
  %line0 = mul i64 %word0, %n
  %of0 = add i64 %line0, %column
  %q0 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of0
  %l0 = load i32, ptr addrspace(1) %q0, align 4
  %s0 = load i32, ptr addrspace(1) %of.column, align 4
  %w0 = mul i32 %l0, %s0
  %y0 = insertelement <8 x i32> poison, i32 %w0, i32 0
  %row1 = add i64 %first.row, 1
  %begin1 = mul i64 %row1, %depth
  %at1 = add i64 %begin1, %in.row
  %p1 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at1
  %v1 = load i16, ptr addrspace(1) %p1, align 2
  %x1 = insertelement <8 x i16> %x0, i16 %v1, i32 1
  %word1 = add i64 %word.row, 1
  %line1 = mul i64 %word1, %n
  %of1 = add i64 %line1, %column
  %q1 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of1
  %l1 = load i32, ptr addrspace(1) %q1, align 4
  %s1 = load i32, ptr addrspace(1) %of.column, align 4
  %w1 = mul i32 %l1, %s1
  %y1 = insertelement <8 x i32> %y0, i32 %w1, i32 1
  %row2 = add i64 %first.row, 2
  %begin2 = mul i64 %row2, %depth
  %at2 = add i64 %begin2, %in.row
  %p2 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at2
  %v2 = load i16, ptr addrspace(1) %p2, align 2
  %x2 = insertelement <8 x i16> %x1, i16 %v2, i32 2
  %word2 = add i64 %word.row, 2
  %line2 = mul i64 %word2, %n
  %of2 = add i64 %line2, %column
  %q2 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of2
  %l2 = load i32, ptr addrspace(1) %q2, align 4
  %s2 = load i32, ptr addrspace(1) %of.column, align 4
  %w2 = mul i32 %l2, %s2
  %y2 = insertelement <8 x i32> %y1, i32 %w2, i32 2
  %row3 = add i64 %first.row, 3
  %begin3 = mul i64 %row3, %depth
  %at3 = add i64 %begin3, %in.row
  %p3 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at3
  %v3 = load i16, ptr addrspace(1) %p3, align 2
  %x3 = insertelement <8 x i16> %x2, i16 %v3, i32 3
  %word3 = add i64 %word.row, 3
  %line3 = mul i64 %word3, %n
  %of3 = add i64 %line3, %column
  %q3 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of3
  %l3 = load i32, ptr addrspace(1) %q3, align 4
  %s3 = load i32, ptr addrspace(1) %of.column, align 4
  %w3 = mul i32 %l3, %s3
  %y3 = insertelement <8 x i32> %y2, i32 %w3, i32 3
  %row4 = add i64 %first.row, 4
  %begin4 = mul i64 %row4, %depth
  %at4 = add i64 %begin4, %in.row
  %p4 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at4
  %v4 = load i16, ptr addrspace(1) %p4, align 2
  %x4 = insertelement <8 x i16> %x3, i16 %v4, i32 4
  %word4 = add i64 %word.row, 4
  %line4 = mul i64 %word4, %n
  %of4 = add i64 %line4, %column
  %q4 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of4
  %l4 = load i32, ptr addrspace(1) %q4, align 4
  %s4 = load i32, ptr addrspace(1) %of.column, align 4
  %w4 = mul i32 %l4, %s4
  %y4 = insertelement <8 x i32> %y3, i32 %w4, i32 4
  %row5 = add i64 %first.row, 5
  %begin5 = mul i64 %row5, %depth
  %at5 = add i64 %begin5, %in.row
  %p5 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at5
  %v5 = load i16, ptr addrspace(1) %p5, align 2
  %x5 = insertelement <8 x i16> %x4, i16 %v5, i32 5
  %word5 = add i64 %word.row, 5
  %line5 = mul i64 %word5, %n
  %of5 = add i64 %line5, %column
  %q5 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of5
  %l5 = load i32, ptr addrspace(1) %q5, align 4
  %s5 = load i32, ptr addrspace(1) %of.column, align 4
  %w5 = mul i32 %l5, %s5
  %y5 = insertelement <8 x i32> %y4, i32 %w5, i32 5
  %row6 = add i64 %first.row, 6
  %begin6 = mul i64 %row6, %depth
  %at6 = add i64 %begin6, %in.row
  %p6 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at6
  %v6 = load i16, ptr addrspace(1) %p6, align 2
  %x6 = insertelement <8 x i16> %x5, i16 %v6, i32 6
  %word6 = add i64 %word.row, 6
  %line6 = mul i64 %word6, %n
  %of6 = add i64 %line6, %column
  %q6 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of6
  %l6 = load i32, ptr addrspace(1) %q6, align 4
  %s6 = load i32, ptr addrspace(1) %of.column, align 4
  %w6 = mul i32 %l6, %s6
  %y6 = insertelement <8 x i32> %y5, i32 %w6, i32 6
  %row7 = add i64 %first.row, 7
  %begin7 = mul i64 %row7, %depth
  %at7 = add i64 %begin7, %in.row
  %p7 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at7
  %v7 = load i16, ptr addrspace(1) %p7, align 2
  %x7 = insertelement <8 x i16> %x6, i16 %v7, i32 7
  %word7 = add i64 %word.row, 7
  %line7 = mul i64 %word7, %n
  %of7 = add i64 %line7, %column
  %q7 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %of7
  %l7 = load i32, ptr addrspace(1) %q7, align 4
  %s7 = load i32, ptr addrspace(1) %of.column, align 4
  %w7 = mul i32 %l7, %s7
  %y7 = insertelement <8 x i32> %y6, i32 %w7, i32 7
  %next = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %x7, <8 x i32> %y7, <8 x i32> %sum)
  %k.next = add nuw nsw i64 %k, 16
  %more = icmp ult i64 %k.next, %depth
  br i1 %more, label %loop, label %out

out:
  %c.line0 = mul i64 %row0, %n
  %c.at0 = add i64 %c.line0, %column
  %d0 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at0
  %e0 = extractelement <8 x i32> %next, i32 0
  store i32 %e0, ptr addrspace(1) %d0, align 4
  %c.line1 = mul i64 %row1, %n
  %c.at1 = add i64 %c.line1, %column
  %d1 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at1
  %e1 = extractelement <8 x i32> %next, i32 1
  store i32 %e1, ptr addrspace(1) %d1, align 4
  %c.line2 = mul i64 %row2, %n
  %c.at2 = add i64 %c.line2, %column
  %d2 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at2
  %e2 = extractelement <8 x i32> %next, i32 2
  store i32 %e2, ptr addrspace(1) %d2, align 4
  %c.line3 = mul i64 %row3, %n
  %c.at3 = add i64 %c.line3, %column
  %d3 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at3
  %e3 = extractelement <8 x i32> %next, i32 3
  store i32 %e3, ptr addrspace(1) %d3, align 4
  %c.line4 = mul i64 %row4, %n
  %c.at4 = add i64 %c.line4, %column
  %d4 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at4
  %e4 = extractelement <8 x i32> %next, i32 4
  store i32 %e4, ptr addrspace(1) %d4, align 4
  %c.line5 = mul i64 %row5, %n
  %c.at5 = add i64 %c.line5, %column
  %d5 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at5
  %e5 = extractelement <8 x i32> %next, i32 5
  store i32 %e5, ptr addrspace(1) %d5, align 4
  %c.line6 = mul i64 %row6, %n
  %c.at6 = add i64 %c.line6, %column
  %d6 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at6
  %e6 = extractelement <8 x i32> %next, i32 6
  store i32 %e6, ptr addrspace(1) %d6, align 4
  %c.line7 = mul i64 %row7, %n
  %c.at7 = add i64 %c.line7, %column
  %d7 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %c.at7
  %e7 = extractelement <8 x i32> %next, i32 7
  store i32 %e7, ptr addrspace(1) %d7, align 4
  ret void
}
