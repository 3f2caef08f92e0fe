; SPDX-License-Identifier: Apache-2.0
; With tile registers a loop with branches that is run in place of one without is made one block, too: gathers behind its branches have no lanes
; where the program does not load. One that comes before that loop stays. What lanes of a mask would take where the mask has none is dropped.
; RUN: TESSERA_TILES=cpu tessera-opt -packets=8 -cpu=avx512 -amx -passes=guarded_loads %s | FileCheck %s
; RUN-SAME: TESSERA_TILES=vectors tessera-opt -packets=8 -cpu=avx512 -passes=guarded_loads %s | FileCheck %s --check-prefix=STAYS
target triple = "x86_64-unknown-linux-gnu"
declare { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>)
declare <16 x i16> @llvm.masked.gather.v16i16.v16p1(<16 x ptr addrspace(1)>, <16 x i1>, <16 x i16>)

; CHECK-LABEL: define void @ways(
; CHECK: edge:
; CHECK: [[MASK:%.*]] = select i1 %first, <16 x i1> %mask, <16 x i1> zeroinitializer
; CHECK: call <16 x i16> @llvm.masked.gather.v16i16.v16p1(<16 x ptr addrspace(1)> %places, <16 x i1> [[MASK]], <16 x i16> zeroinitializer)
; CHECK: br i1 %go, label %edge, label %out
; CHECK-LABEL: define void @one_after_the_other(
; CHECK: br i1 %first

; CHECK-LABEL: define void @untaken(
; CHECK: [[TAKEN:%.*]] = select i1 %any, <16 x i16> %{{.*}}, <16 x i16> %pad
; CHECK: call { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> [[TAKEN]]

; STAYS-LABEL: define void @ways(
; STAYS: br i1 %first

define void @ways(ptr addrspace(1) %other, ptr addrspace(1) %to, i64 %n, i1 %first, i1 %way, <16 x ptr addrspace(1)> %places, <16 x i1> %mask, <16 x i16> %pad, <16 x i32> %b) {
entry:
  br i1 %way, label %edge, label %all
edge:
  %acc = phi <16 x i32> [ zeroinitializer, %entry ], [ %sum, %next ]
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  br i1 %first, label %load, label %next
load:
  %v = call <16 x i16> @llvm.masked.gather.v16i16.v16p1(<16 x ptr addrspace(1)> %places, <16 x i1> %mask, <16 x i16> zeroinitializer)
  br label %next
next:
  %a = phi <16 x i16> [ %pad, %edge ], [ %v, %load ]
  %product = call { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> %a, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %acc)
  %sum = extractvalue { <16 x i32> } %product, 0
  %j = add i64 %i, 32
  %go = icmp ult i64 %j, %n
  br i1 %go, label %edge, label %out
all:
  %acc2 = phi <16 x i32> [ zeroinitializer, %entry ], [ %sum2, %all ]
  %k = phi i64 [ 0, %entry ], [ %k2, %all ]
  %q = getelementptr i8, ptr addrspace(1) %other, i64 %k
  %w = load <16 x i16>, ptr addrspace(1) %q, align 2
  %product2 = call { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> %w, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %acc2)
  %sum2 = extractvalue { <16 x i32> } %product2, 0
  %k2 = add i64 %k, 32
  %go2 = icmp ult i64 %k2, %n
  br i1 %go2, label %all, label %out
out:
  %result = phi <16 x i32> [ %sum2, %all ], [ %sum, %next ]
  store <16 x i32> %result, ptr addrspace(1) %to
  ret void
}

define void @one_after_the_other(ptr addrspace(1) %other, ptr addrspace(1) %to, i64 %n, i1 %first, i1 %way, <16 x ptr addrspace(1)> %places, <16 x i1> %mask, <16 x i16> %pad, <16 x i32> %b) {
entry:
  br label %edge
edge:
  %acc = phi <16 x i32> [ zeroinitializer, %entry ], [ %sum, %next ]
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  br i1 %first, label %load, label %next
load:
  %v = call <16 x i16> @llvm.masked.gather.v16i16.v16p1(<16 x ptr addrspace(1)> %places, <16 x i1> %mask, <16 x i16> zeroinitializer)
  br label %next
next:
  %a = phi <16 x i16> [ %pad, %edge ], [ %v, %load ]
  %product = call { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> %a, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %acc)
  %sum = extractvalue { <16 x i32> } %product, 0
  %j = add i64 %i, 32
  %go = icmp ult i64 %j, %n
  br i1 %go, label %edge, label %all
all:
  %acc2 = phi <16 x i32> [ %sum, %next ], [ %sum2, %all ]
  %k = phi i64 [ 0, %next ], [ %k2, %all ]
  %q = getelementptr i8, ptr addrspace(1) %other, i64 %k
  %w = load <16 x i16>, ptr addrspace(1) %q, align 2
  %product2 = call { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> %w, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %acc2)
  %sum2 = extractvalue { <16 x i32> } %product2, 0
  %k2 = add i64 %k, 32
  %go2 = icmp ult i64 %k2, %n
  br i1 %go2, label %all, label %out
out:
  %result = phi <16 x i32> [ %sum2, %all ]
  store <16 x i32> %result, ptr addrspace(1) %to
  ret void
}

define void @untaken(ptr addrspace(1) %to, i64 %n, i32 %row, i32 %rows, <16 x ptr addrspace(1)> %places, <16 x i16> %pad, <16 x i32> %b) {
entry:
  %one = insertelement <16 x i32> poison, i32 %row, i64 0
  %splat = shufflevector <16 x i32> %one, <16 x i32> poison, <16 x i32> zeroinitializer
  %all = insertelement <16 x i32> poison, i32 %rows, i64 0
  %bound = shufflevector <16 x i32> %all, <16 x i32> poison, <16 x i32> zeroinitializer
  %each = add nsw <16 x i32> %splat, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %mask = icmp slt <16 x i32> %each, %bound
  %any = icmp slt i32 %row, %rows
  br label %edge
edge:
  %acc = phi <16 x i32> [ zeroinitializer, %entry ], [ %sum, %next ]
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  %before = phi <16 x i16> [ poison, %entry ], [ %a, %next ]
  %skipped = select <16 x i1> %mask, <16 x i16> %before, <16 x i16> %pad
  br i1 %any, label %load, label %next
load:
  %v = call <16 x i16> @llvm.masked.gather.v16i16.v16p1(<16 x ptr addrspace(1)> %places, <16 x i1> %mask, <16 x i16> zeroinitializer)
  br label %next
next:
  %a = phi <16 x i16> [ %skipped, %edge ], [ %v, %load ]
  %product = call { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> %a, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %acc)
  %sum = extractvalue { <16 x i32> } %product, 0
  %j = add i64 %i, 32
  %go = icmp ult i64 %j, %n
  br i1 %go, label %edge, label %out
out:
  store <16 x i32> %sum, ptr addrspace(1) %to
  ret void
}
