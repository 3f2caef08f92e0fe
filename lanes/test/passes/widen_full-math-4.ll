; SPDX-License-Identifier: Apache-2.0
; The same in packets of four: a register of four doubles has a mask of eight bits.
; RUN: tessera-opt -packets=4 -cpu=avx512 -passes=split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none)
declare double @__tsr_ldexp_d(double, i32) "tsr-math-op"

; CHECK-LABEL: define internal void @k.whole(
; CHECK: call <4 x double> @llvm.x86.avx512.mask.scalef.pd.256(<4 x double> {{.*}}, <4 x double> {{.*}}, <4 x double> zeroinitializer, i8 -1)
; CHECK: ret void
define spir_kernel void @k(ptr addrspace(1) %d) {
  %i = call i64 @__tsr_global_id(i32 0)
  %n = trunc i64 %i to i32
  %q = getelementptr double, ptr addrspace(1) %d, i64 %i
  %y = load double, ptr addrspace(1) %q
  %l = call spir_func double @__tsr_ldexp_d(double %y, i32 %n)
  store double %l, ptr addrspace(1) %q
  ret void
}
