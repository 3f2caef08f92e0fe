; SPDX-License-Identifier: Apache-2.0
; Atomic updates of places side by side in global memory change 16 bytes at a time, in a loop over those in which a lane is active; the others
; go lane by lane.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full %s | FileCheck %s --check-prefixes=CHECK,WIDE
; RUN: tessera-opt -packets=4 -cpu=sse2 -passes=split_kernels,widen_full %s | FileCheck %s --check-prefixes=CHECK,FOUR
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; The result is not used.
; CHECK-LABEL: define internal void @row.whole(
; WIDE:  [[SLOT:%.*]] = alloca [96 x i8], align 16
; FOUR:  [[SLOT:%.*]] = alloca [48 x i8], align 16
; CHECK: [[ASIDE:%.*]] = and i64 {{.*}}, 15
; CHECK: [[FIRST:%.*]] = sub i64 {{.*}}, [[ASIDE]]
; CHECK: [[PLACES:%.*]] = udiv i64 [[ASIDE]], 4
; CHECK: chunk:
; CHECK: [[AT:%.*]] = phi i64 [ 0,
; CHECK: [[LEFT:%.*]] = phi i32
; CHECK: [[LANES:%.*]] = trunc i32 [[LEFT]] to i4
; CHECK: icmp ne i4 [[LANES]], 0
; CHECK: [[PLACE:%.*]] = add i64 [[FIRST]], [[AT]]
; CHECK: [[CHUNK:%.*]] = inttoptr i64 [[PLACE]] to ptr addrspace(1)
; CHECK: load <4 x float>, ptr {{.*}}, align 4
; CHECK: load atomic i64, ptr addrspace(1) {{.*}} monotonic, align 8
; CHECK: load atomic i64, ptr addrspace(1) {{.*}} monotonic, align 8
; CHECK: lshr i32 [[LEFT]], 4
; CHECK: try:
; CHECK: [[SEEN:%.*]] = phi i128
; CHECK: fadd <4 x float>
; CHECK: select <4 x i1>
; CHECK: cmpxchg ptr addrspace(1) [[CHUNK]], i128 [[SEEN]], i128 {{.*}} monotonic monotonic, align 16
; CHECK-NOT: atomicrmw
; CHECK-LABEL: define internal void @masked.item(
define spir_kernel void @row(ptr addrspace(1) %a, ptr addrspace(1) %b) "tsr-user" {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %q = getelementptr float, ptr addrspace(1) %b, i64 %i
  %x = load float, ptr addrspace(1) %q
  %v = atomicrmw fadd ptr addrspace(1) %p, float %x monotonic
  ret void
}

; 64 bits, under a mask, with a value that is the same in all lanes; what was there is collected.
; CHECK-LABEL: define internal void @masked.whole(
; CHECK: chunk:
; CHECK: trunc i32 {{.*}} to i2
; CHECK: row.done:
; WIDE: load <16 x i64>, ptr {{.*}}, align 16
; FOUR: load <4 x i64>, ptr {{.*}}, align 16
; CHECK: call <2 x i64> @llvm.smax.v2i64(
; CHECK: cmpxchg volatile ptr addrspace(1) {{.*}} seq_cst monotonic, align 16
; CHECK: store <2 x i64> {{.*}}, ptr {{.*}}, align 8
define spir_kernel void @masked(ptr addrspace(1) %a, i64 %x, ptr addrspace(1) %o) "tsr-user" {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %c = icmp slt i64 %i, %x
  br i1 %c, label %some, label %out
some:
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %v = atomicrmw volatile max ptr addrspace(1) %p, i64 %x seq_cst
  %q = getelementptr i64, ptr addrspace(1) %o, i64 %i
  store i64 %v, ptr addrspace(1) %q
  br label %out
out:
  ret void
}

; Compare and exchange: lanes that find something else leave it there.
; CHECK-LABEL: define internal void @exchange.whole(
; CHECK: [[HIT:%.*]] = icmp eq <4 x i32>
; CHECK: select <4 x i1> [[HIT]]
; CHECK: cmpxchg ptr addrspace(1) {{.*}} i128 {{.*}} acq_rel monotonic, align 16
define spir_kernel void @exchange(ptr addrspace(1) %a, i32 %x, i32 %y) "tsr-user" {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = cmpxchg ptr addrspace(1) %p, i32 %x, i32 %y acq_rel monotonic
  ret void
}

; An index that may wrap between lanes: a test at run time, and a loop over the lanes if it fails.
; CHECK-LABEL: define internal void @tested.whole(
; CHECK: icmp eq <{{[0-9]+}} x i32>
; CHECK: cmpxchg ptr addrspace(1) {{.*}} align 16
; CHECK: lane:
; CHECK: atomicrmw add ptr addrspace(1)
; CHECK-NOT: atomicrmw
; CHECK-LABEL: define internal void @others.item(
define spir_kernel void @tested(ptr addrspace(1) %a, i32 %x) "tsr-user" {
  %i = call i64 @__tsr_global_id(i32 0)
  %n = trunc i64 %i to i32
  %r = srem i32 %n, %x
  %k = zext i32 %r to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = atomicrmw add ptr addrspace(1) %p, i32 %x monotonic
  ret void
}

; Every other place; 16 bits; local memory, where atomic operations become plain ones; an operation that there is not as one of vectors.
; CHECK-LABEL: define internal void @others.whole(
; CHECK-NOT: i128
; CHECK: ret void
define spir_kernel void @others(ptr addrspace(1) %a, ptr addrspace(3) %l, i32 %x, i16 %y) "tsr-user" {
  %i = call i64 @__tsr_global_id(i32 0)
  %j = shl i64 %i, 1
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %j
  %u = atomicrmw add ptr addrspace(1) %p, i32 %x monotonic
  %q = getelementptr i16, ptr addrspace(1) %a, i64 %i
  %v = atomicrmw add ptr addrspace(1) %q, i16 %y monotonic
  %m = getelementptr i32, ptr addrspace(3) %l, i64 %i
  %w = atomicrmw add ptr addrspace(3) %m, i32 %x monotonic
  %o = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %z = atomicrmw nand ptr addrspace(1) %o, i32 %x monotonic
  ret void
}
