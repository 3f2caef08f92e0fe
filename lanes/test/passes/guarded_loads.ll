; SPDX-License-Identifier: Apache-2.0
; Loads behind branches in a loop with matrix operations are done in any case, from zeros where the program does not load: behind a branch in
; another one, on both ways, and masked. So the loop is one block. What divides there divides by one then. Loads of local memory stay behind
; their branches, and all do where another loop has none, and in short loops over parts of K.
; RUN: TESSERA_TILES=vectors tessera-opt -packets=8 -cpu=avx512 -passes=guarded_loads %s | FileCheck %s
; RUN-SAME: TESSERA_TILES=vectors tessera-opt -packets=8 -cpu=avx512 -passes=guarded_loads %s | FileCheck %s --check-prefix=STAYS
target triple = "x86_64-unknown-linux-gnu"
declare { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>)
declare <16 x i16> @llvm.masked.load.v16i16.p1(ptr addrspace(1), <16 x i1>, <16 x i16>)

; CHECK-LABEL: define void @in_another(
; CHECK: loop:
; CHECK: [[P:%.*]] = getelementptr i8, ptr addrspace(1) %from, i64 %i
; CHECK-NEXT: [[IN:%.*]] = select i1 %second, ptr addrspace(1) [[P]], ptr addrspace(1) @tsr.zeros
; CHECK-NEXT: [[Q:%.*]] = select i1 %first, ptr addrspace(1) [[IN]], ptr addrspace(1) @tsr.zeros
; CHECK-NEXT: [[V:%.*]] = load <16 x i16>, ptr addrspace(1) [[Q]]
; CHECK-NEXT: [[W:%.*]] = select i1 %second, <16 x i16> [[V]], <16 x i16> zeroinitializer
; CHECK-NEXT: select i1 %first, <16 x i16> [[W]], <16 x i16> %pad
; CHECK: br i1 %go, label %loop, label %out
define void @in_another(ptr addrspace(1) %from, ptr addrspace(1) %other, ptr addrspace(3) %near, ptr addrspace(1) %to, i64 %n, i1 %first, i1 %second, <16 x i1> %mask, <16 x i16> %pad, <16 x i32> %b) {
entry:
  br label %loop
loop:
  %acc = phi <16 x i32> [ zeroinitializer, %entry ], [ %sum, %next ]
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  br i1 %first, label %inner, label %next
inner:
  br i1 %second, label %load, label %next
load:
  %p = getelementptr i8, ptr addrspace(1) %from, i64 %i
  %v = load <16 x i16>, ptr addrspace(1) %p, align 2
  br label %next
next:
  %a = phi <16 x i16> [ %pad, %loop ], [ zeroinitializer, %inner ], [ %v, %load ]
  %product = call { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> %a, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %acc)
  %sum = extractvalue { <16 x i32> } %product, 0
  %j = add i64 %i, 32
  %go = icmp ult i64 %j, %n
  br i1 %go, label %loop, label %out
out:
  store <16 x i32> %sum, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: define void @both(
; CHECK: loop:
; CHECK: select i1 %first, ptr addrspace(1) {{.*}}, ptr addrspace(1) @tsr.zeros
; CHECK: select i1 %first, ptr addrspace(1) @tsr.zeros, ptr addrspace(1)
; CHECK: select i1 %first, <16 x i1> zeroinitializer, <16 x i1> %mask
; CHECK: br i1 %go, label %loop, label %out
define void @both(ptr addrspace(1) %from, ptr addrspace(1) %other, ptr addrspace(3) %near, ptr addrspace(1) %to, i64 %n, i1 %first, i1 %second, <16 x i1> %mask, <16 x i16> %pad, <16 x i32> %b) {
entry:
  br label %loop
loop:
  %acc = phi <16 x i32> [ zeroinitializer, %entry ], [ %sum, %next ]
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  br i1 %first, label %one, label %two
one:
  %p = getelementptr i8, ptr addrspace(1) %from, i64 %i
  %v = load <16 x i16>, ptr addrspace(1) %p, align 2
  br label %next
two:
  %q = getelementptr i8, ptr addrspace(1) %other, i64 %i
  %w = call <16 x i16> @llvm.masked.load.v16i16.p1(ptr addrspace(1) %q, <16 x i1> %mask, <16 x i16> %pad)
  br label %next
next:
  %a = phi <16 x i16> [ %v, %one ], [ %w, %two ]
  %product = call { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> %a, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %acc)
  %sum = extractvalue { <16 x i32> } %product, 0
  %j = add i64 %i, 32
  %go = icmp ult i64 %j, %n
  br i1 %go, label %loop, label %out
out:
  store <16 x i32> %sum, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: define void @division(
; CHECK: loop:
; CHECK: [[BY:%.*]] = select i1 %first, i64 %n, i64 1
; CHECK-NEXT: [[D:%.*]] = sdiv i64 %i, [[BY]]
; CHECK-NEXT: [[ONE:%.*]] = select i1 %first, i64 -1, i64 1
; CHECK-NEXT: [[E:%.*]] = srem i64 [[D]], [[ONE]]
; CHECK-NEXT: urem i64 [[E]], 7
; CHECK: br i1 %go, label %loop, label %out
define void @division(ptr addrspace(1) %from, ptr addrspace(1) %other, ptr addrspace(3) %near, ptr addrspace(1) %to, i64 %n, i1 %first, i1 %second, <16 x i1> %mask, <16 x i16> %pad, <16 x i32> %b) {
entry:
  br label %loop
loop:
  %acc = phi <16 x i32> [ zeroinitializer, %entry ], [ %sum, %next ]
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  br i1 %first, label %load, label %next
load:
  %d = sdiv i64 %i, %n
  %e = srem i64 %d, -1
  %f = urem i64 %e, 7
  %p = getelementptr i8, ptr addrspace(1) %from, i64 %f
  %v = load <16 x i16>, ptr addrspace(1) %p, align 2
  br label %next
next:
  %a = phi <16 x i16> [ %pad, %loop ], [ %v, %load ]
  %product = call { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> %a, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %acc)
  %sum = extractvalue { <16 x i32> } %product, 0
  %j = add i64 %i, 32
  %go = icmp ult i64 %j, %n
  br i1 %go, label %loop, label %out
out:
  store <16 x i32> %sum, ptr addrspace(1) %to
  ret void
}

; STAYS-LABEL: define void @local(
; STAYS: br i1 %first
define void @local(ptr addrspace(1) %from, ptr addrspace(1) %other, ptr addrspace(3) %near, ptr addrspace(1) %to, i64 %n, i1 %first, i1 %second, <16 x i1> %mask, <16 x i16> %pad, <16 x i32> %b) {
entry:
  br label %loop
loop:
  %acc = phi <16 x i32> [ zeroinitializer, %entry ], [ %sum, %next ]
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  br i1 %first, label %load, label %next
load:
  %p = getelementptr i8, ptr addrspace(3) %near, i64 %i
  %v = load <16 x i16>, ptr addrspace(3) %p, align 2
  br label %next
next:
  %a = phi <16 x i16> [ %pad, %loop ], [ %v, %load ]
  %product = call { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> %a, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %acc)
  %sum = extractvalue { <16 x i32> } %product, 0
  %j = add i64 %i, 32
  %go = icmp ult i64 %j, %n
  br i1 %go, label %loop, label %out
out:
  store <16 x i32> %sum, ptr addrspace(1) %to
  ret void
}

; STAYS-LABEL: define void @another_loop(
; STAYS: br i1 %first
define void @another_loop(ptr addrspace(1) %from, ptr addrspace(1) %other, ptr addrspace(3) %near, ptr addrspace(1) %to, i64 %n, i1 %first, i1 %second, <16 x i1> %mask, <16 x i16> %pad, <16 x i32> %b) {
entry:
  br label %loop
loop:
  %acc = phi <16 x i32> [ zeroinitializer, %entry ], [ %sum, %next ]
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  br i1 %first, label %load, label %next
load:
  %p = getelementptr i8, ptr addrspace(1) %from, i64 %i
  %v = load <16 x i16>, ptr addrspace(1) %p, align 2
  br label %next
next:
  %a = phi <16 x i16> [ %pad, %loop ], [ %v, %load ]
  %product = call { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> %a, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %acc)
  %sum = extractvalue { <16 x i32> } %product, 0
  %j = add i64 %i, 32
  %go = icmp ult i64 %j, %n
  br i1 %go, label %loop, label %all
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
  store <16 x i32> %sum2, ptr addrspace(1) %to
  ret void
}

; STAYS-LABEL: define void @short_part(
; STAYS: br i1 %first
define void @short_part(ptr addrspace(1) %from, ptr addrspace(1) %other, ptr addrspace(3) %near, ptr addrspace(1) %to, i64 %n, i1 %first, i1 %second, <16 x i1> %mask, <16 x i16> %pad, <16 x i32> %b) {
entry:
  br label %outer
outer:
  %begin = phi <16 x i32> [ zeroinitializer, %entry ], [ %sum, %more ]
  %o = phi i64 [ 0, %entry ], [ %o2, %more ]
  br label %loop
loop:
  %acc = phi <16 x i32> [ %begin, %outer ], [ %sum, %next ]
  %i = phi i64 [ 0, %outer ], [ %j, %next ]
  br i1 %first, label %load, label %next
load:
  %p = getelementptr i8, ptr addrspace(1) %from, i64 %i
  %v = load <16 x i16>, ptr addrspace(1) %p, align 2
  br label %next
next:
  %a = phi <16 x i16> [ %pad, %loop ], [ %v, %load ]
  %product = call { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> %a, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %b, <16 x i32> %acc)
  %sum = extractvalue { <16 x i32> } %product, 0
  %j = add i64 %i, 32
  %go = icmp ult i64 %j, %n
  br i1 %go, label %loop, label %more
more:
  %o2 = add i64 %o, 1
  %again = icmp ult i64 %o2, 9
  br i1 %again, label %outer, label %out
out:
  store <16 x i32> %sum, ptr addrspace(1) %to
  ret void
}
