; SPDX-License-Identifier: Apache-2.0
; Machine code, and the bytes of stack that a kernel needs with all that it calls.
; RUN: tessera-opt -cpu=sse2 -passes=entry,retarget,emit -info %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK: private_bytes 1{{[0-9][0-9][0-9][0-9]}} 
define spir_kernel void @k(i64 %i) {
  %a = alloca [10000 x i8]
  %p = getelementptr i8, ptr %a, i64 %i
  store volatile i8 1, ptr %p
  ret void
}
