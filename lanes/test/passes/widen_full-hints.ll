; SPDX-License-Identifier: Apache-2.0
; A hint that is the same for all lanes is given once. A loop that is not to be unrolled is not.
; RUN: tessera-opt -packets=8 -passes=..widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"
declare spir_func i64 @_Z13get_global_idj(i32)
declare void @llvm.prefetch.p1(ptr addrspace(1), i32, i32, i32)

; CHECK-LABEL: define {{.*}}@k.whole(
; CHECK: call void @llvm.prefetch.p1(ptr addrspace(1) {{.*}}, i32 0, i32 3, i32 1)
; CHECK-NEXT: load <8 x i64>
; CHECK-NOT: llvm.prefetch
; CHECK: br {{.*}} !llvm.loop ![[LOOP:[0-9]+]]
; CHECK: ![[HINT:[0-9]+]] = !{!"llvm.loop.unroll.disable"}
; CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[HINT]]}
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %n) {
entry:
  %g = call spir_func i64 @_Z13get_global_idj(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  call void @llvm.prefetch.p1(ptr addrspace(1) %p, i32 0, i32 3, i32 1)
  %at = add i64 %g, %i
  %from = getelementptr float, ptr addrspace(1) %a, i64 %at
  %to = getelementptr float, ptr addrspace(1) %o, i64 %at
  %x = load float, ptr addrspace(1) %from
  store float %x, ptr addrspace(1) %to
  %next = add i64 %i, 64
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
