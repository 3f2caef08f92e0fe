; SPDX-License-Identifier: Apache-2.0
; There is no way to pass an argument of a type that the engine does not know.
; RUN: not tessera-opt -passes=entry %s 2>&1 | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK: spirv.Sampler
define spir_kernel void @k(target("spirv.Sampler") %s) {
  ret void
}
