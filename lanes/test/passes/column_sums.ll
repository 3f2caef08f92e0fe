; SPDX-License-Identifier: Apache-2.0
; Sums of all four bytes of all words of B, which is a column, are a product with ones; those of some of the words stay.
; RUN: TESSERA_TILES=model tessera-opt -packets=8 -cpu=avx512 -passes=column_sums %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"
declare { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } @tsr.mad16.43.43.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16>, <16 x i16>, <16 x i16>, <16 x i16>, <16 x i16>, <16 x i16>, <16 x i16>, <16 x i16>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32>, <64 x i8>, <64 x i8>)

; CHECK-LABEL: define void @columns(
; CHECK-NOT: vpdpbusd
; CHECK: [[ONES:%.*]] = call {{.*}} @tsr.mad16.43.43.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> splat (i16 257), {{.*}} %y0, {{.*}} %y7,
; CHECK: [[SUMS:%.*]] = extractvalue {{.*}} [[ONES]], 0
; CHECK: %product = call
; CHECK: store <16 x i32> [[SUMS]], ptr addrspace(1) %behind
define void @columns(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %to, i64 %n) {
entry:
  br label %loop
loop:
  %c0 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d0, %loop ]
  %c1 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d1, %loop ]
  %c2 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d2, %loop ]
  %c3 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d3, %loop ]
  %c4 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d4, %loop ]
  %c5 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d5, %loop ]
  %c6 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d6, %loop ]
  %c7 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d7, %loop ]
  %sums = phi <16 x i32> [ zeroinitializer, %entry ], [ %all, %loop ]
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %p0 = getelementptr [1 x i16], ptr addrspace(1) %a, i64 %i
  %x0 = load <16 x i16>, ptr addrspace(1) %p0, align 2
  %q0 = getelementptr [1 x i32], ptr addrspace(1) %b, i64 %i
  %y0 = load <16 x i32>, ptr addrspace(1) %q0, align 4
  %p1 = getelementptr [2 x i16], ptr addrspace(1) %a, i64 %i
  %x1 = load <16 x i16>, ptr addrspace(1) %p1, align 2
  %q1 = getelementptr [2 x i32], ptr addrspace(1) %b, i64 %i
  %y1 = load <16 x i32>, ptr addrspace(1) %q1, align 4
  %p2 = getelementptr [3 x i16], ptr addrspace(1) %a, i64 %i
  %x2 = load <16 x i16>, ptr addrspace(1) %p2, align 2
  %q2 = getelementptr [3 x i32], ptr addrspace(1) %b, i64 %i
  %y2 = load <16 x i32>, ptr addrspace(1) %q2, align 4
  %p3 = getelementptr [4 x i16], ptr addrspace(1) %a, i64 %i
  %x3 = load <16 x i16>, ptr addrspace(1) %p3, align 2
  %q3 = getelementptr [4 x i32], ptr addrspace(1) %b, i64 %i
  %y3 = load <16 x i32>, ptr addrspace(1) %q3, align 4
  %p4 = getelementptr [5 x i16], ptr addrspace(1) %a, i64 %i
  %x4 = load <16 x i16>, ptr addrspace(1) %p4, align 2
  %q4 = getelementptr [5 x i32], ptr addrspace(1) %b, i64 %i
  %y4 = load <16 x i32>, ptr addrspace(1) %q4, align 4
  %p5 = getelementptr [6 x i16], ptr addrspace(1) %a, i64 %i
  %x5 = load <16 x i16>, ptr addrspace(1) %p5, align 2
  %q5 = getelementptr [6 x i32], ptr addrspace(1) %b, i64 %i
  %y5 = load <16 x i32>, ptr addrspace(1) %q5, align 4
  %p6 = getelementptr [7 x i16], ptr addrspace(1) %a, i64 %i
  %x6 = load <16 x i16>, ptr addrspace(1) %p6, align 2
  %q6 = getelementptr [7 x i32], ptr addrspace(1) %b, i64 %i
  %y6 = load <16 x i32>, ptr addrspace(1) %q6, align 4
  %p7 = getelementptr [8 x i16], ptr addrspace(1) %a, i64 %i
  %x7 = load <16 x i16>, ptr addrspace(1) %p7, align 2
  %q7 = getelementptr [8 x i32], ptr addrspace(1) %b, i64 %i
  %y7 = load <16 x i32>, ptr addrspace(1) %q7, align 4
  %bytes3 = bitcast <16 x i32> %y3 to <64 x i8>
  %s3 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes3)
  %t3 = add <16 x i32> %sums, %s3
  %bytes1 = bitcast <16 x i32> %y1 to <64 x i8>
  %s1 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes1)
  %t1 = add <16 x i32> %t3, %s1
  %bytes0 = bitcast <16 x i32> %y0 to <64 x i8>
  %s0 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes0)
  %t0 = add <16 x i32> %t1, %s0
  %bytes2 = bitcast <16 x i32> %y2 to <64 x i8>
  %s2 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes2)
  %t2 = add <16 x i32> %t0, %s2
  %bytes7 = bitcast <16 x i32> %y7 to <64 x i8>
  %s7 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes7)
  %t7 = add <16 x i32> %t2, %s7
  %bytes6 = bitcast <16 x i32> %y6 to <64 x i8>
  %s6 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes6)
  %t6 = add <16 x i32> %t7, %s6
  %bytes5 = bitcast <16 x i32> %y5 to <64 x i8>
  %s5 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes5)
  %t5 = add <16 x i32> %t6, %s5
  %bytes4 = bitcast <16 x i32> %y4 to <64 x i8>
  %s4 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes4)
  %all = add <16 x i32> %t5, %s4
  %product = call { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } @tsr.mad16.43.43.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> %x0, <16 x i16> %x1, <16 x i16> %x2, <16 x i16> %x3, <16 x i16> %x4, <16 x i16> %x5, <16 x i16> %x6, <16 x i16> %x7, <16 x i32> %y0, <16 x i32> %y1, <16 x i32> %y2, <16 x i32> %y3, <16 x i32> %y4, <16 x i32> %y5, <16 x i32> %y6, <16 x i32> %y7, <16 x i32> %c0, <16 x i32> %c1, <16 x i32> %c2, <16 x i32> %c3, <16 x i32> %c4, <16 x i32> %c5, <16 x i32> %c6, <16 x i32> %c7)
  %d0 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 0
  %d1 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 1
  %d2 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 2
  %d3 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 3
  %d4 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 4
  %d5 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 5
  %d6 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 6
  %d7 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 7
  %j = add i64 %i, 32
  %go = icmp ult i64 %j, %n
  br i1 %go, label %loop, label %out
out:
  %at0 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 0
  store <16 x i32> %d0, ptr addrspace(1) %at0
  %at1 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 1
  store <16 x i32> %d1, ptr addrspace(1) %at1
  %at2 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 2
  store <16 x i32> %d2, ptr addrspace(1) %at2
  %at3 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 3
  store <16 x i32> %d3, ptr addrspace(1) %at3
  %at4 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 4
  store <16 x i32> %d4, ptr addrspace(1) %at4
  %at5 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 5
  store <16 x i32> %d5, ptr addrspace(1) %at5
  %at6 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 6
  store <16 x i32> %d6, ptr addrspace(1) %at6
  %at7 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 7
  store <16 x i32> %d7, ptr addrspace(1) %at7
  %behind = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 8
  store <16 x i32> %all, ptr addrspace(1) %behind
  ret void
}

; CHECK-LABEL: define void @some(
; CHECK-NOT: splat (i16 257)
; CHECK: store <16 x i32> %all, ptr addrspace(1) %behind
define void @some(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %to, i64 %n) {
entry:
  br label %loop
loop:
  %c0 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d0, %loop ]
  %c1 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d1, %loop ]
  %c2 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d2, %loop ]
  %c3 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d3, %loop ]
  %c4 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d4, %loop ]
  %c5 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d5, %loop ]
  %c6 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d6, %loop ]
  %c7 = phi <16 x i32> [ zeroinitializer, %entry ], [ %d7, %loop ]
  %sums = phi <16 x i32> [ zeroinitializer, %entry ], [ %all, %loop ]
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %p0 = getelementptr [1 x i16], ptr addrspace(1) %a, i64 %i
  %x0 = load <16 x i16>, ptr addrspace(1) %p0, align 2
  %q0 = getelementptr [1 x i32], ptr addrspace(1) %b, i64 %i
  %y0 = load <16 x i32>, ptr addrspace(1) %q0, align 4
  %p1 = getelementptr [2 x i16], ptr addrspace(1) %a, i64 %i
  %x1 = load <16 x i16>, ptr addrspace(1) %p1, align 2
  %q1 = getelementptr [2 x i32], ptr addrspace(1) %b, i64 %i
  %y1 = load <16 x i32>, ptr addrspace(1) %q1, align 4
  %p2 = getelementptr [3 x i16], ptr addrspace(1) %a, i64 %i
  %x2 = load <16 x i16>, ptr addrspace(1) %p2, align 2
  %q2 = getelementptr [3 x i32], ptr addrspace(1) %b, i64 %i
  %y2 = load <16 x i32>, ptr addrspace(1) %q2, align 4
  %p3 = getelementptr [4 x i16], ptr addrspace(1) %a, i64 %i
  %x3 = load <16 x i16>, ptr addrspace(1) %p3, align 2
  %q3 = getelementptr [4 x i32], ptr addrspace(1) %b, i64 %i
  %y3 = load <16 x i32>, ptr addrspace(1) %q3, align 4
  %p4 = getelementptr [5 x i16], ptr addrspace(1) %a, i64 %i
  %x4 = load <16 x i16>, ptr addrspace(1) %p4, align 2
  %q4 = getelementptr [5 x i32], ptr addrspace(1) %b, i64 %i
  %y4 = load <16 x i32>, ptr addrspace(1) %q4, align 4
  %p5 = getelementptr [6 x i16], ptr addrspace(1) %a, i64 %i
  %x5 = load <16 x i16>, ptr addrspace(1) %p5, align 2
  %q5 = getelementptr [6 x i32], ptr addrspace(1) %b, i64 %i
  %y5 = load <16 x i32>, ptr addrspace(1) %q5, align 4
  %p6 = getelementptr [7 x i16], ptr addrspace(1) %a, i64 %i
  %x6 = load <16 x i16>, ptr addrspace(1) %p6, align 2
  %q6 = getelementptr [7 x i32], ptr addrspace(1) %b, i64 %i
  %y6 = load <16 x i32>, ptr addrspace(1) %q6, align 4
  %p7 = getelementptr [8 x i16], ptr addrspace(1) %a, i64 %i
  %x7 = load <16 x i16>, ptr addrspace(1) %p7, align 2
  %q7 = getelementptr [8 x i32], ptr addrspace(1) %b, i64 %i
  %y7 = load <16 x i32>, ptr addrspace(1) %q7, align 4
  %bytes0 = bitcast <16 x i32> %y0 to <64 x i8>
  %s0 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes0)
  %t0 = add <16 x i32> %sums, %s0
  %bytes1 = bitcast <16 x i32> %y1 to <64 x i8>
  %s1 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes1)
  %t1 = add <16 x i32> %t0, %s1
  %bytes2 = bitcast <16 x i32> %y2 to <64 x i8>
  %s2 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes2)
  %t2 = add <16 x i32> %t1, %s2
  %bytes3 = bitcast <16 x i32> %y3 to <64 x i8>
  %s3 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes3)
  %t3 = add <16 x i32> %t2, %s3
  %bytes4 = bitcast <16 x i32> %y4 to <64 x i8>
  %s4 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes4)
  %t4 = add <16 x i32> %t3, %s4
  %bytes5 = bitcast <16 x i32> %y5 to <64 x i8>
  %s5 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes5)
  %t5 = add <16 x i32> %t4, %s5
  %bytes6 = bitcast <16 x i32> %y6 to <64 x i8>
  %s6 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> splat (i8 1), <64 x i8> %bytes6)
  %all = add <16 x i32> %t5, %s6
  %product = call { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } @tsr.mad16.43.43.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> %x0, <16 x i16> %x1, <16 x i16> %x2, <16 x i16> %x3, <16 x i16> %x4, <16 x i16> %x5, <16 x i16> %x6, <16 x i16> %x7, <16 x i32> %y0, <16 x i32> %y1, <16 x i32> %y2, <16 x i32> %y3, <16 x i32> %y4, <16 x i32> %y5, <16 x i32> %y6, <16 x i32> %y7, <16 x i32> %c0, <16 x i32> %c1, <16 x i32> %c2, <16 x i32> %c3, <16 x i32> %c4, <16 x i32> %c5, <16 x i32> %c6, <16 x i32> %c7)
  %d0 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 0
  %d1 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 1
  %d2 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 2
  %d3 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 3
  %d4 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 4
  %d5 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 5
  %d6 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 6
  %d7 = extractvalue { <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32> } %product, 7
  %j = add i64 %i, 32
  %go = icmp ult i64 %j, %n
  br i1 %go, label %loop, label %out
out:
  %at0 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 0
  store <16 x i32> %d0, ptr addrspace(1) %at0
  %at1 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 1
  store <16 x i32> %d1, ptr addrspace(1) %at1
  %at2 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 2
  store <16 x i32> %d2, ptr addrspace(1) %at2
  %at3 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 3
  store <16 x i32> %d3, ptr addrspace(1) %at3
  %at4 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 4
  store <16 x i32> %d4, ptr addrspace(1) %at4
  %at5 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 5
  store <16 x i32> %d5, ptr addrspace(1) %at5
  %at6 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 6
  store <16 x i32> %d6, ptr addrspace(1) %at6
  %at7 = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 7
  store <16 x i32> %d7, ptr addrspace(1) %at7
  %behind = getelementptr <16 x i32>, ptr addrspace(1) %to, i64 8
  store <16 x i32> %all, ptr addrspace(1) %behind
  ret void
}
