; SPDX-License-Identifier: Apache-2.0
; A program that compares with infinity gets comparisons that may find one, in all of its functions.
; RUN: tessera-opt -passes=..infinities %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define {{.*}}float @half(float %x)
; CHECK: fmul reassoc float
; CHECK-LABEL: define spir_kernel void @k(
; CHECK: call float @half(float %x)
; CHECK: fcmp olt float
define float @half(float nofpclass(nan inf) %x) noinline {
  %y = fmul reassoc nnan ninf float %x, 0.5
  ret float %y
}
define spir_kernel void @k(ptr addrspace(1) %a) {
  %x = load float, ptr addrspace(1) %a
  %y = call nnan ninf float @half(float nofpclass(nan inf) %x)
  %c = fcmp nnan ninf olt float %y, 0x7FF0000000000000
  %s = select i1 %c, float %y, float -1.0
  store float %s, ptr addrspace(1) %a
  ret void
}
