; SPDX-License-Identifier: Apache-2.0
; Work-items whose vectors fill the registers are chains of operations, of which several run side by side: as many as the CPU could run meanwhile.
; Not those of independent operations, whose code would be too much for the registers, which see local memory, or print.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=one_lane,split_kernels,widen_full,interleave,packet_loop %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn
declare void @__tsr_print(ptr, ptr)

; They part where one leaves the loop: each goes on alone until it has left it, too. What counts the rounds is needed once.
; CHECK-LABEL: define internal void @chain.whole(
; CHECK: round:
; CHECK: fmul <16 x float>
; CHECK-NOT: fmul
; CHECK: items:
; CHECK: phi i64
; CHECK: [[ENOUGH:%.*]] = icmp uge i64 {{.*}}, 4
; CHECK: [[MANY:%.*]] = and i1 [[ENOUGH]]
; CHECK: br i1 [[MANY]], label %together, label %alone
; CHECK: {{^}}together:
; CHECK-COUNT-4: load <16 x float>, ptr addrspace(1)
; CHECK: fmul <16 x float>
; CHECK-NEXT: fmul <16 x float>
; CHECK-NEXT: fmul <16 x float>
; CHECK-NEXT: fmul <16 x float>
; CHECK: add i32
; CHECK-NOT: add i32
; CHECK: [[A:%.*]] = and i1
; CHECK-NEXT: [[B:%.*]] = and i1 [[A]]
; CHECK-NEXT: [[ALL:%.*]] = and i1 [[B]]
; CHECK-NEXT: or i1
; CHECK-NEXT: or i1
; CHECK-NEXT: [[ANY:%.*]] = or i1
; CHECK-NEXT: br i1 [[ALL]], label %{{.*}}, label %{{.*}}
; CHECK: br i1 {{.*}}, label %apart, label %part
; CHECK: {{^}}apart:
; CHECK: fmul <16 x float>
; CHECK-NOT: fmul
; CHECK: br i1 {{.*}}, label %apart, label %part
; CHECK: br i1 [[ANY]], label %part, label %together
define spir_kernel void @chain(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr <16 x float>, ptr addrspace(1) %a, i64 %i
  %x = load <16 x float>, ptr addrspace(1) %p
  %q = getelementptr <16 x float>, ptr addrspace(1) %a, i64 %i
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %u = phi <16 x float> [ %x, %entry ], [ %v, %round ]
  %w = phi <16 x float> [ %x, %entry ], [ %u, %round ]
  %y = phi <16 x float> [ %x, %entry ], [ %w, %round ]
  %s = fmul <16 x float> %u, %y
  %v = fadd <16 x float> %s, %x
  %k1 = add i32 %k, 1
  %e = extractelement <16 x float> %v, i32 0
  %c = fcmp olt float %e, 4.0
  br i1 %c, label %round, label %out
out:
  %f = uitofp i32 %k1 to float
  %g = insertelement <16 x float> %v, float %f, i32 1
  store <16 x float> %g, ptr addrspace(1) %p
  ret void
}

; Each adds to numbers that no other operation waits for.
; CHECK-LABEL: define internal void @independent.whole(
; CHECK-NOT: items:
; CHECK: ret void
define spir_kernel void @independent(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr <16 x i32>, ptr addrspace(1) %a, i64 %i
  %x = load <16 x i32>, ptr addrspace(1) %p
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %u0 = phi <16 x i32> [ %x, %entry ], [ %v0, %round ]
  %u1 = phi <16 x i32> [ %x, %entry ], [ %v1, %round ]
  %u2 = phi <16 x i32> [ %x, %entry ], [ %v2, %round ]
  %u3 = phi <16 x i32> [ %x, %entry ], [ %v3, %round ]
  %v0 = add <16 x i32> %u0, %x
  %v1 = add <16 x i32> %u1, %x
  %v2 = xor <16 x i32> %u2, %x
  %v3 = xor <16 x i32> %u3, %x
  %k1 = add i32 %k, 1
  %c = icmp ult i32 %k1, %n
  br i1 %c, label %round, label %out
out:
  %s0 = add <16 x i32> %v0, %v1
  %s1 = add <16 x i32> %v2, %v3
  %s = mul <16 x i32> %s0, %s1
  store <16 x i32> %s, ptr addrspace(1) %p
  ret void
}

; Text comes in the order of work-items.
; CHECK-LABEL: define internal void @prints.whole(
; CHECK-NOT: items:
; CHECK: ret void
define spir_kernel void @prints(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr <16 x float>, ptr addrspace(1) %a, i64 %i
  %x = load <16 x float>, ptr addrspace(1) %p
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %u = phi <16 x float> [ %x, %entry ], [ %v, %round ]
  %w = phi <16 x float> [ %x, %entry ], [ %u, %round ]
  %s = fmul <16 x float> %u, %w
  %v = fadd <16 x float> %s, %x
  %k1 = add i32 %k, 1
  %c = icmp ult i32 %k1, %n
  br i1 %c, label %round, label %out
out:
  call void @__tsr_print(ptr null, ptr null)
  store <16 x float> %v, ptr addrspace(1) %p
  ret void
}

; One that has found something begins again, alone: what it does then is not there for several.
; CHECK-LABEL: define internal void @search.whole(
; CHECK: atomicrmw add
; CHECK: br i1 {{.*}}, label %together, label %alone
; CHECK: {{^}}give_up:
; CHECK-NEXT: br label %alone
; CHECK: {{^}}alone:
; CHECK-NEXT: phi i64 {{.*}}[ 4, %give_up ]
; CHECK-NEXT: br label %entry
; CHECK: {{^}}together
; CHECK: or i1
; CHECK-NEXT: or i1
; CHECK-NEXT: [[ANY:%.*]] = or i1
; CHECK-NEXT: br i1 [[ANY]], label %give_up, label %together
; CHECK-NOT: atomicrmw
; CHECK: {{^}}}
define spir_kernel void @search(ptr addrspace(1) %a, ptr addrspace(1) %found, i32 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr <16 x float>, ptr addrspace(1) %a, i64 %i
  %x = load <16 x float>, ptr addrspace(1) %p
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %u = phi <16 x float> [ %x, %entry ], [ %v, %next ]
  %w = phi <16 x float> [ %x, %entry ], [ %u, %next ]
  %y = phi <16 x float> [ %x, %entry ], [ %w, %next ]
  %s = fmul <16 x float> %u, %y
  %v = fadd <16 x float> %s, %x
  %e = extractelement <16 x float> %v, i32 0
  %f = fcmp oeq float %e, 4.0
  br i1 %f, label %tell, label %next
tell:
  %old = atomicrmw add ptr addrspace(1) %found, i32 1 monotonic
  br label %next
next:
  %k1 = add i32 %k, 1
  %c = icmp ult i32 %k1, %n
  br i1 %c, label %round, label %out
out:
  store <16 x float> %v, ptr addrspace(1) %p
  ret void
}

; Those of a column read the same vectors in each round, those of a row the same number: of a column, so that fewer bytes are read. The device runs
; many rows before the next packet.
; CHECK-LABEL: define internal void @product.whole(
; CHECK: {{^}}together
; CHECK: load <16 x float>, ptr addrspace(1)
; CHECK-NOT: load <16 x float>, ptr addrspace(1)
; CHECK: fmul <16 x float>
; CHECK-NEXT: fmul <16 x float>
; CHECK-NEXT: fmul <16 x float>
; CHECK-NEXT: fmul <16 x float>
; CHECK: {{^}}}
define spir_kernel void @product(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %n) {
entry:
  %x = call i64 @__tsr_global_id(i32 0)
  %y = call i64 @__tsr_global_id(i32 1)
  %n64 = zext i32 %n to i64
  %row = mul i64 %y, %n64
  br label %round
round:
  %k = phi i64 [ 0, %entry ], [ %k1, %round ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %more, %round ]
  %ai = add i64 %row, %k
  %ap = getelementptr float, ptr addrspace(1) %a, i64 %ai
  %av = load float, ptr addrspace(1) %ap
  %one = insertelement <16 x float> poison, float %av, i32 0
  %all = shufflevector <16 x float> %one, <16 x float> poison, <16 x i32> zeroinitializer
  %krow = mul i64 %k, %n64
  %bi = add i64 %krow, %x
  %bp = getelementptr <16 x float>, ptr addrspace(1) %b, i64 %bi
  %bv = load <16 x float>, ptr addrspace(1) %bp
  %s = fmul <16 x float> %all, %bv
  %more = fadd <16 x float> %sum, %s
  %k1 = add i64 %k, 1
  %again = icmp ult i64 %k1, %n64
  br i1 %again, label %round, label %out
out:
  %ci = add i64 %row, %x
  %cp = getelementptr <16 x float>, ptr addrspace(1) %c, i64 %ci
  store <16 x float> %more, ptr addrspace(1) %cp
  ret void
}
