; SPDX-License-Identifier: Apache-2.0
; Code for a range of one work-item, of a kernel without local memory and barriers: its packets are one work-item. Not for two, which fill less of a
; packet than a row must.
; RUN: tessera-opt -packets=16 -group-size=1 -cpu=avx512 -passes=sub_group_size %s | FileCheck %s --check-prefix=IDS
; IDS-NOT: call i64 @__tsr_local_id(
; IDS: call i64 @__tsr_group_id(i32 0)
; IDS: ret void
; RUN: not tessera-opt -packets=16 -group-size=2 -cpu=avx512 -passes=sub_group_size %s 2>&1 | FileCheck %s --check-prefix=TWO
; TWO: kernel k: no code for one size of work-groups
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn

define spir_kernel void @k(ptr addrspace(1) %a) {
  %i = call i64 @__tsr_global_id(i32 0)
  %l = call i64 @__tsr_local_id(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  store i64 %l, ptr addrspace(1) %p
  ret void
}
