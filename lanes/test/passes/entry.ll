; SPDX-License-Identifier: Apache-2.0
; An entry takes the arguments from the argument block, in which each lies at a multiple of its alignment.
; RUN: tessera-opt -passes=entry %s | FileCheck %s
; RUN: tessera-opt -passes=entry -info %s | FileCheck %s --check-prefix=INFO
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

%s = type { i32, <4 x float> }
; CHECK: define void @k.kernel(ptr
; INFO: kernel k entry k.kernel args_size 264
; INFO-NEXT: arg 0 kind 0 size 1 align 1 offset 0 pointee_align 1
; INFO-NEXT: arg 1 kind {{[1-9]}} size 8 align 8 offset 8 pointee_align 4
; INFO-NEXT: arg 2 kind 0 size 32 align 16 offset 16 pointee_align 1
; INFO-NEXT: arg 3 kind 0 size 16 align 16 offset 48 pointee_align 1
; INFO-NEXT: arg 4 kind {{[1-9]}} size 8 align 8 offset 64 pointee_align 16
; INFO-NEXT: arg 5 kind 0 size 128 align 128 offset 128 pointee_align 1
; INFO-NEXT: arg 6 kind {{[1-9]}} size 8 align 8 offset 256 pointee_align 1
define spir_kernel void @k(i8 %a, ptr addrspace(1) align 4 %b, ptr byval(%s) align 16 %c, <3 x float> %d,
                           ptr addrspace(3) align 16 %e, <16 x double> %f, ptr addrspace(2) %g) {
  ret void
}
