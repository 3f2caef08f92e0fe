; SPDX-License-Identifier: Apache-2.0
; The size of sub-groups becomes a constant. A kernel that sees neither sub-groups nor work-groups may run in packets of any width.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=sub_group_size %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i32 @__tsr_max_sub_group_size() memory(none)
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK: define spir_kernel void @asks(ptr addrspace(1) %a) [[ASKS:#[0-9]+]]
; CHECK-NEXT: store i32 16,
define spir_kernel void @asks(ptr addrspace(1) %a) {
  %w = call i32 @__tsr_max_sub_group_size()
  store i32 %w, ptr addrspace(1) %a
  ret void
}
; CHECK: define spir_kernel void @any(ptr addrspace(1) %a) [[ANY:#[0-9]+]]
define spir_kernel void @any(ptr addrspace(1) %a) {
  %i = call i64 @__tsr_global_id(i32 0)
  store i64 %i, ptr addrspace(1) %a
  ret void
}
; CHECK: attributes [[ASKS]] = { "tsr-user" }
; CHECK: attributes [[ANY]] = { "tsr-any-width" "tsr-user" }
