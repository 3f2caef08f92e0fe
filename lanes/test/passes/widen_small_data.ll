; SPDX-License-Identifier: Apache-2.0
; Kernels of bytes run in packets of 32, those that make words of their bytes do not.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=sub_group_size,widen_small_data %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK: define spir_kernel void @bytes(ptr addrspace(1) %a) [[BYTES:#[0-9]+]]
define spir_kernel void @bytes(ptr addrspace(1) %a) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %x = load i8, ptr addrspace(1) %p
  %y = add i8 %x, 1
  store i8 %y, ptr addrspace(1) %p
  ret void
}
; CHECK: define spir_kernel void @words(ptr addrspace(1) %a) [[WORDS:#[0-9]+]]
define spir_kernel void @words(ptr addrspace(1) %a) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p
  %y = add i32 %x, 1
  store i32 %y, ptr addrspace(1) %p
  ret void
}
; CHECK: attributes [[BYTES]] = { {{.*}}"tsr-wide-packets" }
; CHECK: attributes [[WORDS]] = { "tsr-any-width" "tsr-user" }
