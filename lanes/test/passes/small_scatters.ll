; SPDX-License-Identifier: Apache-2.0
; Scatters of bytes by indices of 32 bits take pieces of 64 bits out of both vectors, and store in the order of lanes.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=small_scatters %s | FileCheck %s
declare void @llvm.masked.scatter.v16i8.v16p1(<16 x i8>, <16 x ptr addrspace(1)>, <16 x i1>)
declare void @llvm.masked.scatter.v16i16.v16p1(<16 x i16>, <16 x ptr addrspace(1)>, <16 x i1>)

; CHECK-LABEL: define void @bytes(
; CHECK: %[[places:.*]] = bitcast <16 x i32> %x to <8 x i64>
; CHECK: %[[values:.*]] = bitcast <16 x i8> %v to <2 x i64>
; CHECK: extractelement <8 x i64> %[[places]], i32 0
; CHECK: extractelement <2 x i64> %[[values]], i32 0
; CHECK-COUNT-16: store i8
; CHECK-NOT: masked.scatter
; CHECK: ret
define void @bytes(ptr addrspace(1) %p, <16 x i32> %x, <16 x i8> %v) {
  %i = sext <16 x i32> %x to <16 x i64>
  %a = getelementptr i8, ptr addrspace(1) %p, <16 x i64> %i
  call void @llvm.masked.scatter.v16i8.v16p1(<16 x i8> %v, <16 x ptr addrspace(1)> align 1 %a, <16 x i1> splat (i1 true))
  ret void
}

; Some lanes, longer indices, longer numbers.
; CHECK-LABEL: define void @others(
; CHECK-COUNT-3: call void @llvm.masked.scatter
define void @others(ptr addrspace(1) %p, <16 x i32> %x, <16 x i64> %y, <16 x i8> %v, <16 x i16> %w, <16 x i1> %m) {
  %i = zext <16 x i32> %x to <16 x i64>
  %a = getelementptr i8, ptr addrspace(1) %p, <16 x i64> %i
  call void @llvm.masked.scatter.v16i8.v16p1(<16 x i8> %v, <16 x ptr addrspace(1)> align 1 %a, <16 x i1> %m)
  %b = getelementptr i8, ptr addrspace(1) %p, <16 x i64> %y
  call void @llvm.masked.scatter.v16i8.v16p1(<16 x i8> %v, <16 x ptr addrspace(1)> align 1 %b, <16 x i1> splat (i1 true))
  %c = getelementptr i16, ptr addrspace(1) %p, <16 x i64> %i
  call void @llvm.masked.scatter.v16i16.v16p1(<16 x i16> %w, <16 x ptr addrspace(1)> align 2 %c, <16 x i1> splat (i1 true))
  ret void
}
