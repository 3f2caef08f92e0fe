; SPDX-License-Identifier: Apache-2.0
; A dot product of bytes is one VPDPBUSD, which takes signed and unsigned bytes; where both sides have the same sign, another one corrects
; it.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,dot_idiom,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none)
; CHECK-LABEL: define internal void @signed_unsigned.whole(
; CHECK-COUNT-1: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(
; CHECK-NOT: vpdpbusd
; CHECK: ret void
define spir_kernel void @signed_unsigned(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %u = load <4 x i8>, ptr addrspace(1) %a
  %kpx = extractelement <4 x i8> %p, i64 0
  %kp = sext i8 %kpx to i32
  %kqx = extractelement <4 x i8> %q, i64 0
  %kq = zext i8 %kqx to i32
  %k = mul i32 %kp, %kq
  %lpx = extractelement <4 x i8> %p, i64 1
  %lp = sext i8 %lpx to i32
  %lqx = extractelement <4 x i8> %q, i64 1
  %lq = zext i8 %lqx to i32
  %l = mul i32 %lp, %lq
  %mpx = extractelement <4 x i8> %p, i64 2
  %mp = sext i8 %mpx to i32
  %mqx = extractelement <4 x i8> %q, i64 2
  %mq = zext i8 %mqx to i32
  %m = mul i32 %mp, %mq
  %npx = extractelement <4 x i8> %p, i64 3
  %np = sext i8 %npx to i32
  %nqx = extractelement <4 x i8> %q, i64 3
  %nq = zext i8 %nqx to i32
  %n = mul i32 %np, %nq
  %kl = add i32 %k, %l
  %mn = add i32 %m, %n
  %s = add i32 %kl, %mn
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %to
  ret void
}
; CHECK-LABEL: define internal void @signed_signed.whole(
; CHECK-COUNT-2: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(
; CHECK-NOT: vpdpbusd
; CHECK: ret void
define spir_kernel void @signed_signed(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %u = load <4 x i8>, ptr addrspace(1) %a
  %kpx = extractelement <4 x i8> %p, i64 0
  %kp = sext i8 %kpx to i32
  %kqx = extractelement <4 x i8> %q, i64 0
  %kq = sext i8 %kqx to i32
  %k = mul i32 %kp, %kq
  %lpx = extractelement <4 x i8> %p, i64 1
  %lp = sext i8 %lpx to i32
  %lqx = extractelement <4 x i8> %q, i64 1
  %lq = sext i8 %lqx to i32
  %l = mul i32 %lp, %lq
  %mpx = extractelement <4 x i8> %p, i64 2
  %mp = sext i8 %mpx to i32
  %mqx = extractelement <4 x i8> %q, i64 2
  %mq = sext i8 %mqx to i32
  %m = mul i32 %mp, %mq
  %npx = extractelement <4 x i8> %p, i64 3
  %np = sext i8 %npx to i32
  %nqx = extractelement <4 x i8> %q, i64 3
  %nq = sext i8 %nqx to i32
  %n = mul i32 %np, %nq
  %kl = add i32 %k, %l
  %mn = add i32 %m, %n
  %s = add i32 %kl, %mn
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %to
  ret void
}
; CHECK-LABEL: define internal void @unsigned_unsigned.whole(
; CHECK-COUNT-2: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(
; CHECK-NOT: vpdpbusd
; CHECK: ret void
define spir_kernel void @unsigned_unsigned(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %u = load <4 x i8>, ptr addrspace(1) %a
  %kpx = extractelement <4 x i8> %p, i64 0
  %kp = zext i8 %kpx to i32
  %kqx = extractelement <4 x i8> %q, i64 0
  %kq = zext i8 %kqx to i32
  %k = mul i32 %kp, %kq
  %lpx = extractelement <4 x i8> %p, i64 1
  %lp = zext i8 %lpx to i32
  %lqx = extractelement <4 x i8> %q, i64 1
  %lq = zext i8 %lqx to i32
  %l = mul i32 %lp, %lq
  %mpx = extractelement <4 x i8> %p, i64 2
  %mp = zext i8 %mpx to i32
  %mqx = extractelement <4 x i8> %q, i64 2
  %mq = zext i8 %mqx to i32
  %m = mul i32 %mp, %mq
  %npx = extractelement <4 x i8> %p, i64 3
  %np = zext i8 %npx to i32
  %nqx = extractelement <4 x i8> %q, i64 3
  %nq = zext i8 %nqx to i32
  %n = mul i32 %np, %nq
  %kl = add i32 %k, %l
  %mn = add i32 %m, %n
  %s = add i32 %kl, %mn
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %to
  ret void
}
; CHECK-LABEL: define internal void @one_side_uniform.whole(
; CHECK-COUNT-1: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(
; CHECK-NOT: vpdpbusd
; CHECK: ret void
define spir_kernel void @one_side_uniform(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %u = load <4 x i8>, ptr addrspace(1) %a
  %kpx = extractelement <4 x i8> %p, i64 0
  %kp = sext i8 %kpx to i32
  %kqx = extractelement <4 x i8> %u, i64 0
  %kq = zext i8 %kqx to i32
  %k = mul i32 %kp, %kq
  %lpx = extractelement <4 x i8> %p, i64 1
  %lp = sext i8 %lpx to i32
  %lqx = extractelement <4 x i8> %u, i64 1
  %lq = zext i8 %lqx to i32
  %l = mul i32 %lp, %lq
  %mpx = extractelement <4 x i8> %p, i64 2
  %mp = sext i8 %mpx to i32
  %mqx = extractelement <4 x i8> %u, i64 2
  %mq = zext i8 %mqx to i32
  %m = mul i32 %mp, %mq
  %npx = extractelement <4 x i8> %p, i64 3
  %np = sext i8 %npx to i32
  %nqx = extractelement <4 x i8> %u, i64 3
  %nq = zext i8 %nqx to i32
  %n = mul i32 %np, %nq
  %kl = add i32 %k, %l
  %mn = add i32 %m, %n
  %s = add i32 %kl, %mn
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %to
  ret void
}

; A word that is taken for four bytes stays a word: nothing is taken apart.
; CHECK-LABEL: define internal void @words.whole(
; CHECK: [[X:%.*]] = load <16 x i32>
; CHECK: [[B:%.*]] = bitcast <16 x i32> [[X]] to <64 x i8>
; CHECK: [[C:%.*]] = bitcast <16 x i32> [[X]] to <64 x i8>
; CHECK-NOT: shufflevector
; CHECK: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> {{.*}}, <64 x i8> [[B]], <64 x i8> [[C]])
; CHECK: ret void
declare i32 @_Z3dotDv4_hDv4_c(<4 x i8>, <4 x i8>)
define spir_kernel void @words(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p
  %b = bitcast i32 %x to <4 x i8>
  %s = call i32 @_Z3dotDv4_hDv4_c(<4 x i8> %b, <4 x i8> %b)
  %q = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %q
  ret void
}

; A sum that wraps goes on from the third argument.
; CHECK-LABEL: define internal void @sum.whole(
; CHECK: [[X:%.*]] = load <16 x i32>
; CHECK: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> [[X]], <64 x i8> {{%.*}}, <64 x i8> {{%.*}})
; CHECK-NOT: vpdpbusd
; CHECK: ret void
declare i32 @_Z18tessera_dot_add_usjji(i32, i32, i32)
define spir_kernel void @sum(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p
  %u = load i32, ptr addrspace(1) %a
  %s = call i32 @_Z18tessera_dot_add_usjji(i32 %u, i32 %x, i32 %x)
  %q = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %q
  ret void
}
