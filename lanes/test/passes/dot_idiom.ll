; SPDX-License-Identifier: Apache-2.0
; Sums of four products of bytes become calls of the dot product of the library, if each product is of the same place of the same two
; vectors, exact, and used in the sum alone. So do sums of four bytes, with ones. What all lanes have in common is computed once, by scalars, and a loop that lanes leave
; at different times stays as it is, so that they can go through it one by one.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,dot_idiom %s | FileCheck %s
; RUN-SAME: tessera-opt -packets=16 -cpu=avx2 -passes=split_kernels,dot_idiom %s | FileCheck %s --check-prefix=AVX2
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; AVX2-NOT: call {{.*}}dot
declare i64 @__tsr_global_id(i32) memory(none)
; CHECK-LABEL: define internal void @signed_unsigned.item(
; CHECK: call {{.*}}i32 @{{.*}}dot{{.*}}(
define spir_kernel void @signed_unsigned(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %rg = getelementptr i8, ptr addrspace(1) %a, i64 128
  %ra = getelementptr <4 x i8>, ptr addrspace(1) %rg, i64 %i
  %r = load <4 x i8>, ptr addrspace(1) %ra
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
; CHECK-LABEL: define internal void @unsigned_signed.item(
; CHECK: call {{.*}}i32 @{{.*}}dot{{.*}}(
define spir_kernel void @unsigned_signed(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %rg = getelementptr i8, ptr addrspace(1) %a, i64 128
  %ra = getelementptr <4 x i8>, ptr addrspace(1) %rg, i64 %i
  %r = load <4 x i8>, ptr addrspace(1) %ra
  %u = load <4 x i8>, ptr addrspace(1) %a
  %kpx = extractelement <4 x i8> %p, i64 0
  %kp = zext i8 %kpx to i32
  %kqx = extractelement <4 x i8> %q, i64 0
  %kq = sext i8 %kqx to i32
  %k = mul i32 %kp, %kq
  %lpx = extractelement <4 x i8> %p, i64 1
  %lp = zext i8 %lpx to i32
  %lqx = extractelement <4 x i8> %q, i64 1
  %lq = sext i8 %lqx to i32
  %l = mul i32 %lp, %lq
  %mpx = extractelement <4 x i8> %p, i64 2
  %mp = zext i8 %mpx to i32
  %mqx = extractelement <4 x i8> %q, i64 2
  %mq = sext i8 %mqx to i32
  %m = mul i32 %mp, %mq
  %npx = extractelement <4 x i8> %p, i64 3
  %np = zext i8 %npx to i32
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
; CHECK-LABEL: define internal void @signed_signed.item(
; CHECK: call {{.*}}i32 @{{.*}}dot{{.*}}(
define spir_kernel void @signed_signed(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %rg = getelementptr i8, ptr addrspace(1) %a, i64 128
  %ra = getelementptr <4 x i8>, ptr addrspace(1) %rg, i64 %i
  %r = load <4 x i8>, ptr addrspace(1) %ra
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
; CHECK-LABEL: define internal void @unsigned_unsigned.item(
; CHECK: call {{.*}}i32 @{{.*}}dot{{.*}}(
define spir_kernel void @unsigned_unsigned(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %rg = getelementptr i8, ptr addrspace(1) %a, i64 128
  %ra = getelementptr <4 x i8>, ptr addrspace(1) %rg, i64 %i
  %r = load <4 x i8>, ptr addrspace(1) %ra
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
; CHECK-LABEL: define internal void @other_order.item(
; CHECK: call {{.*}}i32 @{{.*}}dot{{.*}}(
define spir_kernel void @other_order(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %rg = getelementptr i8, ptr addrspace(1) %a, i64 128
  %ra = getelementptr <4 x i8>, ptr addrspace(1) %rg, i64 %i
  %r = load <4 x i8>, ptr addrspace(1) %ra
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
  %npx = extractelement <4 x i8> %q, i64 3
  %np = zext i8 %npx to i32
  %nqx = extractelement <4 x i8> %p, i64 3
  %nq = sext i8 %nqx to i32
  %n = mul i32 %np, %nq
  %kl = add i32 %k, %l
  %mn = add i32 %m, %n
  %s = add i32 %kl, %mn
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %to
  ret void
}
; CHECK-LABEL: define internal void @element_twice.item(
; CHECK-NOT: call {{.*}}dot
; CHECK: ret void
define spir_kernel void @element_twice(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %rg = getelementptr i8, ptr addrspace(1) %a, i64 128
  %ra = getelementptr <4 x i8>, ptr addrspace(1) %rg, i64 %i
  %r = load <4 x i8>, ptr addrspace(1) %ra
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
  %npx = extractelement <4 x i8> %p, i64 2
  %np = sext i8 %npx to i32
  %nqx = extractelement <4 x i8> %q, i64 2
  %nq = zext i8 %nqx to i32
  %n = mul i32 %np, %nq
  %kl = add i32 %k, %l
  %mn = add i32 %m, %n
  %s = add i32 %kl, %mn
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %to
  ret void
}
; CHECK-LABEL: define internal void @other_vector.item(
; CHECK-NOT: call {{.*}}dot
; CHECK: ret void
define spir_kernel void @other_vector(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %rg = getelementptr i8, ptr addrspace(1) %a, i64 128
  %ra = getelementptr <4 x i8>, ptr addrspace(1) %rg, i64 %i
  %r = load <4 x i8>, ptr addrspace(1) %ra
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
  %nqx = extractelement <4 x i8> %r, i64 3
  %nq = zext i8 %nqx to i32
  %n = mul i32 %np, %nq
  %kl = add i32 %k, %l
  %mn = add i32 %m, %n
  %s = add i32 %kl, %mn
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %to
  ret void
}
; CHECK-LABEL: define internal void @other_sign.item(
; CHECK-NOT: call {{.*}}dot
; CHECK: ret void
define spir_kernel void @other_sign(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %rg = getelementptr i8, ptr addrspace(1) %a, i64 128
  %ra = getelementptr <4 x i8>, ptr addrspace(1) %rg, i64 %i
  %r = load <4 x i8>, ptr addrspace(1) %ra
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
  %nq = sext i8 %nqx to i32
  %n = mul i32 %np, %nq
  %kl = add i32 %k, %l
  %mn = add i32 %m, %n
  %s = add i32 %kl, %mn
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %to
  ret void
}
; CHECK-LABEL: define internal void @used_elsewhere.item(
; CHECK-NOT: call {{.*}}dot
; CHECK: ret void
define spir_kernel void @used_elsewhere(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %rg = getelementptr i8, ptr addrspace(1) %a, i64 128
  %ra = getelementptr <4 x i8>, ptr addrspace(1) %rg, i64 %i
  %r = load <4 x i8>, ptr addrspace(1) %ra
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
  store i32 %n, ptr addrspace(1) %o
  %kl = add i32 %k, %l
  %mn = add i32 %m, %n
  %s = add i32 %kl, %mn
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %to
  ret void
}
; CHECK-LABEL: define internal void @crossed.item(
; CHECK-NOT: call {{.*}}dot
; CHECK: ret void
define spir_kernel void @crossed(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %rg = getelementptr i8, ptr addrspace(1) %a, i64 128
  %ra = getelementptr <4 x i8>, ptr addrspace(1) %rg, i64 %i
  %r = load <4 x i8>, ptr addrspace(1) %ra
  %u = load <4 x i8>, ptr addrspace(1) %a
  %kpx = extractelement <4 x i8> %p, i64 0
  %kp = sext i8 %kpx to i32
  %kqx = extractelement <4 x i8> %q, i64 1
  %kq = zext i8 %kqx to i32
  %k = mul i32 %kp, %kq
  %lpx = extractelement <4 x i8> %p, i64 1
  %lp = sext i8 %lpx to i32
  %lqx = extractelement <4 x i8> %q, i64 0
  %lq = zext i8 %lqx to i32
  %l = mul i32 %lp, %lq
  %mpx = extractelement <4 x i8> %p, i64 2
  %mp = sext i8 %mpx to i32
  %mqx = extractelement <4 x i8> %q, i64 3
  %mq = zext i8 %mqx to i32
  %m = mul i32 %mp, %mq
  %npx = extractelement <4 x i8> %p, i64 3
  %np = sext i8 %npx to i32
  %nqx = extractelement <4 x i8> %q, i64 2
  %nq = zext i8 %nqx to i32
  %n = mul i32 %np, %nq
  %kl = add i32 %k, %l
  %mn = add i32 %m, %n
  %s = add i32 %kl, %mn
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %to
  ret void
}
; CHECK-LABEL: define internal void @narrow_product.item(
; CHECK-NOT: call {{.*}}dot
; CHECK: ret void
define spir_kernel void @narrow_product(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %rg = getelementptr i8, ptr addrspace(1) %a, i64 128
  %ra = getelementptr <4 x i8>, ptr addrspace(1) %rg, i64 %i
  %r = load <4 x i8>, ptr addrspace(1) %ra
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
  %np = sext i8 %npx to i16
  %nqx = extractelement <4 x i8> %q, i64 3
  %nq = zext i8 %nqx to i16
  %nm = mul i16 %np, %nq
  %n = zext i16 %nm to i32
  %kl = add i32 %k, %l
  %mn = add i32 %m, %n
  %s = add i32 %kl, %mn
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %to
  ret void
}
; CHECK-LABEL: define internal void @all_uniform.item(
; CHECK-NOT: call {{.*}}dot
; CHECK: ret void
define spir_kernel void @all_uniform(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %rg = getelementptr i8, ptr addrspace(1) %a, i64 128
  %ra = getelementptr <4 x i8>, ptr addrspace(1) %rg, i64 %i
  %r = load <4 x i8>, ptr addrspace(1) %ra
  %u = load <4 x i8>, ptr addrspace(1) %a
  %kpx = extractelement <4 x i8> %u, i64 0
  %kp = sext i8 %kpx to i32
  %kqx = extractelement <4 x i8> %u, i64 0
  %kq = zext i8 %kqx to i32
  %k = mul i32 %kp, %kq
  %lpx = extractelement <4 x i8> %u, i64 1
  %lp = sext i8 %lpx to i32
  %lqx = extractelement <4 x i8> %u, i64 1
  %lq = zext i8 %lqx to i32
  %l = mul i32 %lp, %lq
  %mpx = extractelement <4 x i8> %u, i64 2
  %mp = sext i8 %mpx to i32
  %mqx = extractelement <4 x i8> %u, i64 2
  %mq = zext i8 %mqx to i32
  %m = mul i32 %mp, %mq
  %npx = extractelement <4 x i8> %u, i64 3
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
; CHECK-LABEL: define internal void @left_together.item(
; CHECK: call {{.*}}i32 @{{.*}}dot{{.*}}(
define spir_kernel void @left_together(ptr addrspace(1) %a, ptr addrspace(1) %o) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %u = load <4 x i8>, ptr addrspace(1) %a
  %endx = extractelement <4 x i8> %u, i64 0
  %end = zext i8 %endx to i32
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %j1, %loop ]
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
  store i32 %s, ptr addrspace(1) %o
  %j1 = add i32 %j, 1
  %c = icmp ult i32 %j1, %end
  br i1 %c, label %loop, label %out
out:
  ret void
}
; CHECK-LABEL: define internal void @left_apart.item(
; CHECK-NOT: call {{.*}}dot
; CHECK: ret void
define spir_kernel void @left_apart(ptr addrspace(1) %a, ptr addrspace(1) %o) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %pg = getelementptr i8, ptr addrspace(1) %a, i64 0
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %pg, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %qg = getelementptr i8, ptr addrspace(1) %a, i64 64
  %qa = getelementptr <4 x i8>, ptr addrspace(1) %qg, i64 %i
  %q = load <4 x i8>, ptr addrspace(1) %qa
  %u = load <4 x i8>, ptr addrspace(1) %a
  %endx = extractelement <4 x i8> %p, i64 0
  %end = zext i8 %endx to i32
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %j1, %loop ]
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
  store i32 %s, ptr addrspace(1) %o
  %j1 = add i32 %j, 1
  %c = icmp ult i32 %j1, %end
  br i1 %c, label %loop, label %out
out:
  ret void
}
; CHECK-LABEL: define internal void @bytes_alone.item(
; CHECK: call {{.*}}i32 @{{.*}}dot{{.*}}splat (i8 1)
define spir_kernel void @bytes_alone(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %a, i64 %i
  %p = load <4 x i8>, ptr addrspace(1) %pa
  %kpx = extractelement <4 x i8> %p, i64 0
  %k = sext i8 %kpx to i32
  %lpx = extractelement <4 x i8> %p, i64 1
  %l = sext i8 %lpx to i32
  %mpx = extractelement <4 x i8> %p, i64 2
  %m = sext i8 %mpx to i32
  %npx = extractelement <4 x i8> %p, i64 3
  %n = sext i8 %npx to i32
  %kl = add i32 %k, %l
  %mn = add i32 %m, %n
  %s = add i32 %kl, %mn
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %to
  ret void
}
