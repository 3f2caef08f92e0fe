; SPDX-License-Identifier: Apache-2.0
; passes: fix-irreducible
; On the way from back to a directly, a reads what the guard had the last time, not %z.
; fault with: br i1 %t, label %a, label %irr.guard
define i32 @f(i32 %n, i1 %c, i1 %d) {
entry:
  br i1 %c, label %a, label %b
a:
  %x = phi i32 [ 1, %entry ], [ %z, %back ]
  %x1 = add i32 %x, %n
  br i1 %d, label %b, label %out
b:
  %y = phi i32 [ 2, %entry ], [ %x1, %a ], [ %w, %back ]
  %y1 = mul i32 %y, 3
  br label %back
back:
  %z = add i32 %y1, 5
  %w = add i32 %y1, 7
  %t = icmp ult i32 %z, 100
  br i1 %t, label %a, label %b
out:
  ret i32 %x1
}
