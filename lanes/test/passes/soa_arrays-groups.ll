; SPDX-License-Identifier: Apache-2.0
; Which lane has a part of an array is nothing that the kernel asks: its packets may have lanes of several work-groups.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,soa_arrays %s | FileCheck %s --check-prefix=ARRAY
; RUN-SAME: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,soa_arrays,widen_full,widen_partial -info %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; ARRAY: alloca [256 x i8]
; CHECK: kernel k
; CHECK-NEXT: flags {{.*}}GLOBAL_IDS_ONLY MIXED_GROUPS IGNORES_SUB_GROUPS
define spir_kernel void @k(ptr addrspace(1) %a, i64 %i, float %x) {
  %t = alloca [4 x float]
  %p = getelementptr inbounds [4 x float], ptr %t, i64 0, i64 %i
  store float %x, ptr %p
  %q = getelementptr inbounds [4 x float], ptr %t, i64 0, i64 1
  %y = load float, ptr %q
  store float %y, ptr addrspace(1) %a
  ret void
}
