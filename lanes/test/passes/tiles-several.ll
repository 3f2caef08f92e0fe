; SPDX-License-Identifier: Apache-2.0
; Two sums in one loop over K, of even and of odd steps, are a call each. AMX's registers are the device's in each call, so the accumulator that
; goes on behind the loop is loaded behind the last one.
; RUN: tessera-opt -packets=16 -cpu=avx512 -amx -bodies=full -passes=..tiles %s | FileCheck %s
; RUN: TESSERA_TILES=vectors tessera-opt -packets=16 -cpu=avx512 -bodies=full -passes=..runtime_calls -info %s | FileCheck --check-prefix=FLAGS %s
; CHECK: define void @k.kernel(
; CHECK: call void @llvm.x86.tileloadd64(i8 0, ptr %slot
; CHECK: call i32 @__tsr_rt_tile_loop(
; CHECK-NOT: call void @llvm.x86.tileloadd64
; CHECK: call i32 @__tsr_rt_tile_loop(
; FLAGS: RUNS_TWICE
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_group_id(i32) memory(none) nounwind willreturn
define spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %a, <8 x i32> %b, <8 x i32> %acc) convergent {
  ret <8 x i32> %acc
}

define spir_kernel void @k(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %c, i64 %n, i64 %depth) {
entry:
  %lane = call i64 @__tsr_local_id(i32 0)
  %group.x = call i64 @__tsr_group_id(i32 0)
  %group.y = call i64 @__tsr_group_id(i32 1)
  %first.row = shl i64 %group.y, 3
  %first.column = shl i64 %group.x, 4
  %column = add i64 %first.column, %lane
  br label %loop

loop:
  %even = phi <8 x i32> [ zeroinitializer, %entry ], [ %even.next, %loop ]
  %odd = phi <8 x i32> [ zeroinitializer, %entry ], [ %odd.next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %in.rowa = add i64 %k, %lane
  %word.rowa = lshr exact i64 %k, 1
  %rowa0 = add i64 %first.row, 0
  %begina0 = mul i64 %rowa0, %depth
  %ata0 = add i64 %begina0, %in.rowa
  %pa0 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %ata0
  %va0 = load i16, ptr addrspace(1) %pa0, align 2
  %xa0 = insertelement <8 x i16> poison, i16 %va0, i32 0
  %worda0 = add i64 %word.rowa, 0
  %linea0 = mul i64 %worda0, %n
  %ofa0 = add i64 %linea0, %column
  %qa0 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofa0
  %wa0 = load i32, ptr addrspace(1) %qa0, align 4
  %ya0 = insertelement <8 x i32> poison, i32 %wa0, i32 0
  %rowa1 = add i64 %first.row, 1
  %begina1 = mul i64 %rowa1, %depth
  %ata1 = add i64 %begina1, %in.rowa
  %pa1 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %ata1
  %va1 = load i16, ptr addrspace(1) %pa1, align 2
  %xa1 = insertelement <8 x i16> %xa0, i16 %va1, i32 1
  %worda1 = add i64 %word.rowa, 1
  %linea1 = mul i64 %worda1, %n
  %ofa1 = add i64 %linea1, %column
  %qa1 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofa1
  %wa1 = load i32, ptr addrspace(1) %qa1, align 4
  %ya1 = insertelement <8 x i32> %ya0, i32 %wa1, i32 1
  %rowa2 = add i64 %first.row, 2
  %begina2 = mul i64 %rowa2, %depth
  %ata2 = add i64 %begina2, %in.rowa
  %pa2 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %ata2
  %va2 = load i16, ptr addrspace(1) %pa2, align 2
  %xa2 = insertelement <8 x i16> %xa1, i16 %va2, i32 2
  %worda2 = add i64 %word.rowa, 2
  %linea2 = mul i64 %worda2, %n
  %ofa2 = add i64 %linea2, %column
  %qa2 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofa2
  %wa2 = load i32, ptr addrspace(1) %qa2, align 4
  %ya2 = insertelement <8 x i32> %ya1, i32 %wa2, i32 2
  %rowa3 = add i64 %first.row, 3
  %begina3 = mul i64 %rowa3, %depth
  %ata3 = add i64 %begina3, %in.rowa
  %pa3 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %ata3
  %va3 = load i16, ptr addrspace(1) %pa3, align 2
  %xa3 = insertelement <8 x i16> %xa2, i16 %va3, i32 3
  %worda3 = add i64 %word.rowa, 3
  %linea3 = mul i64 %worda3, %n
  %ofa3 = add i64 %linea3, %column
  %qa3 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofa3
  %wa3 = load i32, ptr addrspace(1) %qa3, align 4
  %ya3 = insertelement <8 x i32> %ya2, i32 %wa3, i32 3
  %rowa4 = add i64 %first.row, 4
  %begina4 = mul i64 %rowa4, %depth
  %ata4 = add i64 %begina4, %in.rowa
  %pa4 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %ata4
  %va4 = load i16, ptr addrspace(1) %pa4, align 2
  %xa4 = insertelement <8 x i16> %xa3, i16 %va4, i32 4
  %worda4 = add i64 %word.rowa, 4
  %linea4 = mul i64 %worda4, %n
  %ofa4 = add i64 %linea4, %column
  %qa4 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofa4
  %wa4 = load i32, ptr addrspace(1) %qa4, align 4
  %ya4 = insertelement <8 x i32> %ya3, i32 %wa4, i32 4
  %rowa5 = add i64 %first.row, 5
  %begina5 = mul i64 %rowa5, %depth
  %ata5 = add i64 %begina5, %in.rowa
  %pa5 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %ata5
  %va5 = load i16, ptr addrspace(1) %pa5, align 2
  %xa5 = insertelement <8 x i16> %xa4, i16 %va5, i32 5
  %worda5 = add i64 %word.rowa, 5
  %linea5 = mul i64 %worda5, %n
  %ofa5 = add i64 %linea5, %column
  %qa5 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofa5
  %wa5 = load i32, ptr addrspace(1) %qa5, align 4
  %ya5 = insertelement <8 x i32> %ya4, i32 %wa5, i32 5
  %rowa6 = add i64 %first.row, 6
  %begina6 = mul i64 %rowa6, %depth
  %ata6 = add i64 %begina6, %in.rowa
  %pa6 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %ata6
  %va6 = load i16, ptr addrspace(1) %pa6, align 2
  %xa6 = insertelement <8 x i16> %xa5, i16 %va6, i32 6
  %worda6 = add i64 %word.rowa, 6
  %linea6 = mul i64 %worda6, %n
  %ofa6 = add i64 %linea6, %column
  %qa6 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofa6
  %wa6 = load i32, ptr addrspace(1) %qa6, align 4
  %ya6 = insertelement <8 x i32> %ya5, i32 %wa6, i32 6
  %rowa7 = add i64 %first.row, 7
  %begina7 = mul i64 %rowa7, %depth
  %ata7 = add i64 %begina7, %in.rowa
  %pa7 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %ata7
  %va7 = load i16, ptr addrspace(1) %pa7, align 2
  %xa7 = insertelement <8 x i16> %xa6, i16 %va7, i32 7
  %worda7 = add i64 %word.rowa, 7
  %linea7 = mul i64 %worda7, %n
  %ofa7 = add i64 %linea7, %column
  %qa7 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofa7
  %wa7 = load i32, ptr addrspace(1) %qa7, align 4
  %ya7 = insertelement <8 x i32> %ya6, i32 %wa7, i32 7
  %even.next = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %xa7, <8 x i32> %ya7, <8 x i32> %even)
  %k.odd = add nuw nsw i64 %k, 16
  %in.rowb = add i64 %k.odd, %lane
  %word.rowb = lshr exact i64 %k.odd, 1
  %rowb0 = add i64 %first.row, 0
  %beginb0 = mul i64 %rowb0, %depth
  %atb0 = add i64 %beginb0, %in.rowb
  %pb0 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atb0
  %vb0 = load i16, ptr addrspace(1) %pb0, align 2
  %xb0 = insertelement <8 x i16> poison, i16 %vb0, i32 0
  %wordb0 = add i64 %word.rowb, 0
  %lineb0 = mul i64 %wordb0, %n
  %ofb0 = add i64 %lineb0, %column
  %qb0 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofb0
  %wb0 = load i32, ptr addrspace(1) %qb0, align 4
  %yb0 = insertelement <8 x i32> poison, i32 %wb0, i32 0
  %rowb1 = add i64 %first.row, 1
  %beginb1 = mul i64 %rowb1, %depth
  %atb1 = add i64 %beginb1, %in.rowb
  %pb1 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atb1
  %vb1 = load i16, ptr addrspace(1) %pb1, align 2
  %xb1 = insertelement <8 x i16> %xb0, i16 %vb1, i32 1
  %wordb1 = add i64 %word.rowb, 1
  %lineb1 = mul i64 %wordb1, %n
  %ofb1 = add i64 %lineb1, %column
  %qb1 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofb1
  %wb1 = load i32, ptr addrspace(1) %qb1, align 4
  %yb1 = insertelement <8 x i32> %yb0, i32 %wb1, i32 1
  %rowb2 = add i64 %first.row, 2
  %beginb2 = mul i64 %rowb2, %depth
  %atb2 = add i64 %beginb2, %in.rowb
  %pb2 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atb2
  %vb2 = load i16, ptr addrspace(1) %pb2, align 2
  %xb2 = insertelement <8 x i16> %xb1, i16 %vb2, i32 2
  %wordb2 = add i64 %word.rowb, 2
  %lineb2 = mul i64 %wordb2, %n
  %ofb2 = add i64 %lineb2, %column
  %qb2 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofb2
  %wb2 = load i32, ptr addrspace(1) %qb2, align 4
  %yb2 = insertelement <8 x i32> %yb1, i32 %wb2, i32 2
  %rowb3 = add i64 %first.row, 3
  %beginb3 = mul i64 %rowb3, %depth
  %atb3 = add i64 %beginb3, %in.rowb
  %pb3 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atb3
  %vb3 = load i16, ptr addrspace(1) %pb3, align 2
  %xb3 = insertelement <8 x i16> %xb2, i16 %vb3, i32 3
  %wordb3 = add i64 %word.rowb, 3
  %lineb3 = mul i64 %wordb3, %n
  %ofb3 = add i64 %lineb3, %column
  %qb3 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofb3
  %wb3 = load i32, ptr addrspace(1) %qb3, align 4
  %yb3 = insertelement <8 x i32> %yb2, i32 %wb3, i32 3
  %rowb4 = add i64 %first.row, 4
  %beginb4 = mul i64 %rowb4, %depth
  %atb4 = add i64 %beginb4, %in.rowb
  %pb4 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atb4
  %vb4 = load i16, ptr addrspace(1) %pb4, align 2
  %xb4 = insertelement <8 x i16> %xb3, i16 %vb4, i32 4
  %wordb4 = add i64 %word.rowb, 4
  %lineb4 = mul i64 %wordb4, %n
  %ofb4 = add i64 %lineb4, %column
  %qb4 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofb4
  %wb4 = load i32, ptr addrspace(1) %qb4, align 4
  %yb4 = insertelement <8 x i32> %yb3, i32 %wb4, i32 4
  %rowb5 = add i64 %first.row, 5
  %beginb5 = mul i64 %rowb5, %depth
  %atb5 = add i64 %beginb5, %in.rowb
  %pb5 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atb5
  %vb5 = load i16, ptr addrspace(1) %pb5, align 2
  %xb5 = insertelement <8 x i16> %xb4, i16 %vb5, i32 5
  %wordb5 = add i64 %word.rowb, 5
  %lineb5 = mul i64 %wordb5, %n
  %ofb5 = add i64 %lineb5, %column
  %qb5 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofb5
  %wb5 = load i32, ptr addrspace(1) %qb5, align 4
  %yb5 = insertelement <8 x i32> %yb4, i32 %wb5, i32 5
  %rowb6 = add i64 %first.row, 6
  %beginb6 = mul i64 %rowb6, %depth
  %atb6 = add i64 %beginb6, %in.rowb
  %pb6 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atb6
  %vb6 = load i16, ptr addrspace(1) %pb6, align 2
  %xb6 = insertelement <8 x i16> %xb5, i16 %vb6, i32 6
  %wordb6 = add i64 %word.rowb, 6
  %lineb6 = mul i64 %wordb6, %n
  %ofb6 = add i64 %lineb6, %column
  %qb6 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofb6
  %wb6 = load i32, ptr addrspace(1) %qb6, align 4
  %yb6 = insertelement <8 x i32> %yb5, i32 %wb6, i32 6
  %rowb7 = add i64 %first.row, 7
  %beginb7 = mul i64 %rowb7, %depth
  %atb7 = add i64 %beginb7, %in.rowb
  %pb7 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atb7
  %vb7 = load i16, ptr addrspace(1) %pb7, align 2
  %xb7 = insertelement <8 x i16> %xb6, i16 %vb7, i32 7
  %wordb7 = add i64 %word.rowb, 7
  %lineb7 = mul i64 %wordb7, %n
  %ofb7 = add i64 %lineb7, %column
  %qb7 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofb7
  %wb7 = load i32, ptr addrspace(1) %qb7, align 4
  %yb7 = insertelement <8 x i32> %yb6, i32 %wb7, i32 7
  %odd.next = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %xb7, <8 x i32> %yb7, <8 x i32> %odd)
  %k.next = add nuw nsw i64 %k, 32
  %more = icmp ult i64 %k.next, %depth
  br i1 %more, label %loop, label %last

last:
  %rest = phi <8 x i32> [ %even.next, %loop ], [ %rest.next, %last ]
  %j = phi i64 [ %k.next, %loop ], [ %j.next, %last ]
  %other = xor i64 %j, 3
  %in.rowc = add i64 %other, %lane
  %word.rowc = lshr exact i64 %other, 1
  %rowc0 = add i64 %first.row, 0
  %beginc0 = mul i64 %rowc0, %depth
  %atc0 = add i64 %beginc0, %in.rowc
  %pc0 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atc0
  %vc0 = load i16, ptr addrspace(1) %pc0, align 2
  %xc0 = insertelement <8 x i16> poison, i16 %vc0, i32 0
  %wordc0 = add i64 %word.rowc, 0
  %linec0 = mul i64 %wordc0, %n
  %ofc0 = add i64 %linec0, %column
  %qc0 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofc0
  %wc0 = load i32, ptr addrspace(1) %qc0, align 4
  %yc0 = insertelement <8 x i32> poison, i32 %wc0, i32 0
  %rowc1 = add i64 %first.row, 1
  %beginc1 = mul i64 %rowc1, %depth
  %atc1 = add i64 %beginc1, %in.rowc
  %pc1 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atc1
  %vc1 = load i16, ptr addrspace(1) %pc1, align 2
  %xc1 = insertelement <8 x i16> %xc0, i16 %vc1, i32 1
  %wordc1 = add i64 %word.rowc, 1
  %linec1 = mul i64 %wordc1, %n
  %ofc1 = add i64 %linec1, %column
  %qc1 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofc1
  %wc1 = load i32, ptr addrspace(1) %qc1, align 4
  %yc1 = insertelement <8 x i32> %yc0, i32 %wc1, i32 1
  %rowc2 = add i64 %first.row, 2
  %beginc2 = mul i64 %rowc2, %depth
  %atc2 = add i64 %beginc2, %in.rowc
  %pc2 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atc2
  %vc2 = load i16, ptr addrspace(1) %pc2, align 2
  %xc2 = insertelement <8 x i16> %xc1, i16 %vc2, i32 2
  %wordc2 = add i64 %word.rowc, 2
  %linec2 = mul i64 %wordc2, %n
  %ofc2 = add i64 %linec2, %column
  %qc2 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofc2
  %wc2 = load i32, ptr addrspace(1) %qc2, align 4
  %yc2 = insertelement <8 x i32> %yc1, i32 %wc2, i32 2
  %rowc3 = add i64 %first.row, 3
  %beginc3 = mul i64 %rowc3, %depth
  %atc3 = add i64 %beginc3, %in.rowc
  %pc3 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atc3
  %vc3 = load i16, ptr addrspace(1) %pc3, align 2
  %xc3 = insertelement <8 x i16> %xc2, i16 %vc3, i32 3
  %wordc3 = add i64 %word.rowc, 3
  %linec3 = mul i64 %wordc3, %n
  %ofc3 = add i64 %linec3, %column
  %qc3 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofc3
  %wc3 = load i32, ptr addrspace(1) %qc3, align 4
  %yc3 = insertelement <8 x i32> %yc2, i32 %wc3, i32 3
  %rowc4 = add i64 %first.row, 4
  %beginc4 = mul i64 %rowc4, %depth
  %atc4 = add i64 %beginc4, %in.rowc
  %pc4 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atc4
  %vc4 = load i16, ptr addrspace(1) %pc4, align 2
  %xc4 = insertelement <8 x i16> %xc3, i16 %vc4, i32 4
  %wordc4 = add i64 %word.rowc, 4
  %linec4 = mul i64 %wordc4, %n
  %ofc4 = add i64 %linec4, %column
  %qc4 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofc4
  %wc4 = load i32, ptr addrspace(1) %qc4, align 4
  %yc4 = insertelement <8 x i32> %yc3, i32 %wc4, i32 4
  %rowc5 = add i64 %first.row, 5
  %beginc5 = mul i64 %rowc5, %depth
  %atc5 = add i64 %beginc5, %in.rowc
  %pc5 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atc5
  %vc5 = load i16, ptr addrspace(1) %pc5, align 2
  %xc5 = insertelement <8 x i16> %xc4, i16 %vc5, i32 5
  %wordc5 = add i64 %word.rowc, 5
  %linec5 = mul i64 %wordc5, %n
  %ofc5 = add i64 %linec5, %column
  %qc5 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofc5
  %wc5 = load i32, ptr addrspace(1) %qc5, align 4
  %yc5 = insertelement <8 x i32> %yc4, i32 %wc5, i32 5
  %rowc6 = add i64 %first.row, 6
  %beginc6 = mul i64 %rowc6, %depth
  %atc6 = add i64 %beginc6, %in.rowc
  %pc6 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atc6
  %vc6 = load i16, ptr addrspace(1) %pc6, align 2
  %xc6 = insertelement <8 x i16> %xc5, i16 %vc6, i32 6
  %wordc6 = add i64 %word.rowc, 6
  %linec6 = mul i64 %wordc6, %n
  %ofc6 = add i64 %linec6, %column
  %qc6 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofc6
  %wc6 = load i32, ptr addrspace(1) %qc6, align 4
  %yc6 = insertelement <8 x i32> %yc5, i32 %wc6, i32 6
  %rowc7 = add i64 %first.row, 7
  %beginc7 = mul i64 %rowc7, %depth
  %atc7 = add i64 %beginc7, %in.rowc
  %pc7 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %atc7
  %vc7 = load i16, ptr addrspace(1) %pc7, align 2
  %xc7 = insertelement <8 x i16> %xc6, i16 %vc7, i32 7
  %wordc7 = add i64 %word.rowc, 7
  %linec7 = mul i64 %wordc7, %n
  %ofc7 = add i64 %linec7, %column
  %qc7 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %ofc7
  %wc7 = load i32, ptr addrspace(1) %qc7, align 4
  %yc7 = insertelement <8 x i32> %yc6, i32 %wc7, i32 7
  %rest.next = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %xc7, <8 x i32> %yc7, <8 x i32> %rest)
  %j.next = add nuw nsw i64 %j, 16
  %again = icmp ult i64 %j.next, %n
  br i1 %again, label %last, label %done

done:
  %sum = add <8 x i32> %rest.next, %odd.next
  %row.c0 = add i64 %first.row, 0
  %line.c0 = mul i64 %row.c0, %n
  %at.c0 = add i64 %line.c0, %column
  %to0 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %at.c0
  %s0 = extractelement <8 x i32> %sum, i32 0
  store i32 %s0, ptr addrspace(1) %to0, align 4
  %row.c1 = add i64 %first.row, 1
  %line.c1 = mul i64 %row.c1, %n
  %at.c1 = add i64 %line.c1, %column
  %to1 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %at.c1
  %s1 = extractelement <8 x i32> %sum, i32 1
  store i32 %s1, ptr addrspace(1) %to1, align 4
  %row.c2 = add i64 %first.row, 2
  %line.c2 = mul i64 %row.c2, %n
  %at.c2 = add i64 %line.c2, %column
  %to2 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %at.c2
  %s2 = extractelement <8 x i32> %sum, i32 2
  store i32 %s2, ptr addrspace(1) %to2, align 4
  %row.c3 = add i64 %first.row, 3
  %line.c3 = mul i64 %row.c3, %n
  %at.c3 = add i64 %line.c3, %column
  %to3 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %at.c3
  %s3 = extractelement <8 x i32> %sum, i32 3
  store i32 %s3, ptr addrspace(1) %to3, align 4
  %row.c4 = add i64 %first.row, 4
  %line.c4 = mul i64 %row.c4, %n
  %at.c4 = add i64 %line.c4, %column
  %to4 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %at.c4
  %s4 = extractelement <8 x i32> %sum, i32 4
  store i32 %s4, ptr addrspace(1) %to4, align 4
  %row.c5 = add i64 %first.row, 5
  %line.c5 = mul i64 %row.c5, %n
  %at.c5 = add i64 %line.c5, %column
  %to5 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %at.c5
  %s5 = extractelement <8 x i32> %sum, i32 5
  store i32 %s5, ptr addrspace(1) %to5, align 4
  %row.c6 = add i64 %first.row, 6
  %line.c6 = mul i64 %row.c6, %n
  %at.c6 = add i64 %line.c6, %column
  %to6 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %at.c6
  %s6 = extractelement <8 x i32> %sum, i32 6
  store i32 %s6, ptr addrspace(1) %to6, align 4
  %row.c7 = add i64 %first.row, 7
  %line.c7 = mul i64 %row.c7, %n
  %at.c7 = add i64 %line.c7, %column
  %to7 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %at.c7
  %s7 = extractelement <8 x i32> %sum, i32 7
  store i32 %s7, ptr addrspace(1) %to7, align 4
  ret void
}
