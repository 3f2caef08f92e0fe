; SPDX-License-Identifier: Apache-2.0
; The accumulator that goes round in the loop stays in a tile; here the model of one, 8 rows of
; 64 bytes. Operands are loaded as tiles, too.
; RUN: TESSERA_TILES=model tessera-opt -packets=8 -cpu=avx512 -passes=..tiles %s | FileCheck %s
; RUN: TESSERA_TILES=model tessera-opt -packets=8 -cpu=avx512 -passes=..runtime_calls -info %s | FileCheck %s --check-prefix=INFO
; INFO: kernel k {{.*}} device_stack_bytes 40960
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK: [[TILE:%.*]] = alloca [1024 x i8], align 64
; CHECK: call void @__tsr_rt_tile_operand(ptr {{.*}}, i64 64, i32 8388628)
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
define spir_func <8 x float> @_Z40intel_sub_group_bf16_bf16_matrix_mad_k16Dv8_iS_Dv8_f(<8 x i32> %a, <8 x i32> %b, <8 x float> %acc) convergent {
  ret <8 x float> %acc
}
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %n) {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %lane = trunc i64 %l to i32
  br label %loop
loop:
  %acc = phi <8 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %row = shl i32 %i, 4
  %at = add i32 %row, %lane
  %x = zext i32 %at to i64
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %x
  %va = load <8 x i32>, ptr addrspace(1) %p, align 32
  %q = getelementptr inbounds <8 x i32>, ptr addrspace(1) %b, i64 %x
  %vb = load <8 x i32>, ptr addrspace(1) %q, align 32
  %sum = call spir_func <8 x float> @_Z40intel_sub_group_bf16_bf16_matrix_mad_k16Dv8_iS_Dv8_f(<8 x i32> %va, <8 x i32> %vb, <8 x float> %acc)
  %j = add i32 %i, 1
  %go = icmp ult i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  %r = getelementptr inbounds <8 x i32>, ptr addrspace(1) %c, i64 %l
  store <8 x float> %sum, ptr addrspace(1) %r, align 32
  ret void
}
