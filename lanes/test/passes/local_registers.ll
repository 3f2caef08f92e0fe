; SPDX-License-Identifier: Apache-2.0
; Local memory whose places are all known is in registers.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=local_registers %s | FileCheck %s
declare <8 x i32> @llvm.masked.load.v8i32.p3(ptr addrspace(3), <8 x i1>, <8 x i32>)
declare void @llvm.masked.store.v8i32.p3(<8 x i32>, ptr addrspace(3), <8 x i1>)
declare <8 x i32> @llvm.masked.gather.v8i32.v8p3(<8 x ptr addrspace(3)>, <8 x i1>, <8 x i32>)

; Neighbours: a register begins where the store does. What is on the left is the register before, of which one element alone is read.
; CHECK-LABEL: define <8 x i32> @neighbours(
; CHECK-NOT: store
; CHECK: shufflevector <8 x i32> {{.*}}, <8 x i32> %v, <8 x i32> <i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14>
; CHECK: ret
define <8 x i32> @neighbours(ptr %group, <8 x i32> %v) {
  %base = load ptr addrspace(3), ptr %group, align 8, !invariant.load !0
  %one = getelementptr i8, ptr addrspace(3) %base, i64 4
  store <8 x i32> %v, ptr addrspace(3) %one, align 4
  store i32 7, ptr addrspace(3) %base, align 4
  %left = load <8 x i32>, ptr addrspace(3) %base, align 4
  ret <8 x i32> %left
}

; Masks: some lanes keep what is there.
; CHECK-LABEL: define <8 x i32> @masked(
; CHECK: %[[some:.*]] = shufflevector <8 x i32> %w, <8 x i32> %v, <8 x i32> <i32 8, i32 1, i32 2, i32 11, i32 12, i32 13, i32 14, i32 15>
; CHECK: %[[data:.*]] = select <8 x i1> %m, <8 x i32> %u, <8 x i32> %[[some]]
; CHECK: shufflevector <8 x i32> %[[data]], <8 x i32> poison, <8 x i32> <i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
define <8 x i32> @masked(ptr %group, <8 x i32> %v, <8 x i32> %w, <8 x i32> %u, <8 x i1> %m) {
  %base = load ptr addrspace(3), ptr %group, align 8, !invariant.load !0
  store <8 x i32> %v, ptr addrspace(3) %base, align 4
  call void @llvm.masked.store.v8i32.p3(<8 x i32> %w, ptr addrspace(3) align 4 %base, <8 x i1> <i1 false, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>)
  call void @llvm.masked.store.v8i32.p3(<8 x i32> %u, ptr addrspace(3) align 4 %base, <8 x i1> %m)
  %a = getelementptr i8, ptr addrspace(3) %base, <8 x i64> <i64 28, i64 24, i64 20, i64 16, i64 12, i64 8, i64 4, i64 0>
  %turned = call <8 x i32> @llvm.masked.gather.v8i32.v8p3(<8 x ptr addrspace(3)> align 4 %a, <8 x i1> splat (i1 true), <8 x i32> poison)
  ret <8 x i32> %turned
}

; A place that is not known, an address that leaves, a number as an index that is no argument's beginning.
; CHECK-LABEL: define <8 x i32> @unknown(
; CHECK: store <8 x i32>
define <8 x i32> @unknown(ptr %group, <8 x i32> %v, i64 %n) {
  %base = load ptr addrspace(3), ptr %group, align 8, !invariant.load !0
  store <8 x i32> %v, ptr addrspace(3) %base, align 4
  %far = getelementptr i32, ptr addrspace(3) %base, i64 %n
  store i32 1, ptr addrspace(3) %far, align 4
  %x = load <8 x i32>, ptr addrspace(3) %base, align 4
  ret <8 x i32> %x
}
; CHECK-LABEL: define <8 x i32> @leaves(
; CHECK: store <8 x i32>
define <8 x i32> @leaves(ptr %group, <8 x i32> %v, ptr %to) {
  %base = load ptr addrspace(3), ptr %group, align 8, !invariant.load !0
  store <8 x i32> %v, ptr addrspace(3) %base, align 4
  store ptr addrspace(3) %base, ptr %to, align 8
  %x = load <8 x i32>, ptr addrspace(3) %base, align 4
  ret <8 x i32> %x
}
; CHECK-LABEL: define <8 x i32> @number(
; CHECK: store <8 x i32>
define <8 x i32> @number(ptr %group, <8 x i32> %v, ptr %args) {
  %base = load ptr addrspace(3), ptr %group, align 8, !invariant.load !0
  store <8 x i32> %v, ptr addrspace(3) %base, align 4
  %n = load i64, ptr %args, align 8, !invariant.load !0
  %there = getelementptr i8, ptr addrspace(3) %base, i64 %n
  store i32 1, ptr addrspace(3) %there, align 4
  %x = load <8 x i32>, ptr addrspace(3) %base, align 4
  ret <8 x i32> %x
}

; The local memory of an argument is another array than the variables.
; CHECK-LABEL: define <8 x i32> @argument(
; CHECK-NOT: store
; CHECK: ret <8 x i32> %v
define <8 x i32> @argument(ptr %group, <8 x i32> %v, <8 x i32> %w, ptr %args) {
  %base = load ptr addrspace(3), ptr %group, align 8, !invariant.load !0
  store <8 x i32> %v, ptr addrspace(3) %base, align 4
  %n = load i64, ptr %args, align 8, !invariant.load !0, !tessera.local_argument !0
  %there = getelementptr i8, ptr addrspace(3) %base, i64 %n
  store <8 x i32> %w, ptr addrspace(3) %there, align 4
  %y = load <8 x i32>, ptr addrspace(3) %there, align 4
  %x = load <8 x i32>, ptr addrspace(3) %base, align 4
  ret <8 x i32> %x
}

; Numbers of two sizes in one place, and what is read and never written, stay.
; CHECK-LABEL: define i64 @two_sizes(
; CHECK: store <8 x i32>
; CHECK: load i64
define i64 @two_sizes(ptr %group, <8 x i32> %v) {
  %base = load ptr addrspace(3), ptr %group, align 8, !invariant.load !0
  store <8 x i32> %v, ptr addrspace(3) %base, align 4
  %x = load i64, ptr addrspace(3) %base, align 8
  ret i64 %x
}

!0 = !{}
