; SPDX-License-Identifier: Apache-2.0
; The placeholder of an array in local memory becomes its address; the local memory's address is one value in each function.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=local_memory,place_local_arrays %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

@a = internal addrspace(3) global [4 x i64] undef
@t = internal addrspace(3) global [16 x [16 x float]] undef
; CHECK-NOT: __tsr_local_array
; CHECK: entry:
; CHECK-NEXT: call ptr addrspace(3) @__tsr_local_base()
; CHECK-NOT: @__tsr_local_base
; CHECK: getelementptr inbounds i8, ptr addrspace(3) {{.*}}, i64 32
define spir_kernel void @k(i64 %x, i64 %y, float %v) {
entry:
  store i64 1, ptr addrspace(3) @a
  %p = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @t, i64 0, i64 %x, i64 %y
  store float %v, ptr addrspace(3) %p
  ret void
}
; CHECK: declare ptr addrspace(3) @__tsr_local_base()
