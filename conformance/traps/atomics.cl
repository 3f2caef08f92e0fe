// SPDX-License-Identifier: Apache-2.0
// Atomic updates of places side by side, also of some of them, at the ends of memory. (Numbers in the names: run_traps.c.)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define K(name) kernel void name(global const int *in, global int *out, int n)
#define ID int i = get_global_id(0); if (i >= n) return
#define AS(T, p) ((global T *)(p))
#define SOME if (in[i] & 0x0400)
#define ONE if (i % 23 == 5)

/* Each operation: its result is not used; it is, under a mask; one lane in some packets. */
#define THREE(name, bytes, T, update)                                                                                                      \
    kernel void name##_##bytes##_##bytes(global const T *in, global T *out, int n) { ID; update; }                                         \
    kernel void name##m_##bytes##_##bytes(global const T *in, global T *out, int n)                                                        \
    {                                                                                                                                      \
        ID;                                                                                                                                \
        if (AS(const int, in)[i] & 0x0400) {                                                                                               \
            T old = update;                                                                                                                \
            out[i] = old * 3 + out[i];                                                                                                     \
        }                                                                                                                                  \
    }                                                                                                                                      \
    kernel void name##o_##bytes##_##bytes(global const T *in, global T *out, int n) { ID; ONE update; }
THREE(add, 4, int, atomic_add(&out[i], in[i]))
THREE(sub, 4, int, atomic_sub(&out[i], in[i]))
THREE(inc, 4, int, atomic_inc(&out[i]))
THREE(dec, 4, int, atomic_dec(&out[i]))
THREE(and, 4, int, atomic_and(&out[i], in[i]))
THREE(or, 4, int, atomic_or(&out[i], in[i]))
THREE(xor, 4, int, atomic_xor(&out[i], in[i]))
THREE(min, 4, int, atomic_min(&out[i], in[i] << 4))
THREE(max, 4, int, atomic_max(&out[i], in[i] << 4))
THREE(umin, 4, uint, atomic_min(&out[i], in[i] << 4))
THREE(umax, 4, uint, atomic_max(&out[i], in[i] << 4))
THREE(xchg, 4, int, atomic_xchg(&out[i], in[i]))
THREE(cas, 4, int, atomic_cmpxchg(&out[i], 0x5a5a5a5a + (in[i] & 1), in[i]))
THREE(ladd, 8, long, atom_add(&out[i], in[i]))
THREE(lsub, 8, long, atom_sub(&out[i], in[i]))
THREE(land, 8, long, atom_and(&out[i], in[i]))
THREE(lor, 8, long, atom_or(&out[i], in[i]))
THREE(lxor, 8, long, atom_xor(&out[i], in[i]))
THREE(lmin, 8, long, atom_min(&out[i], in[i] << 4))
THREE(lmax, 8, long, atom_max(&out[i], in[i] << 4))
THREE(ulmin, 8, ulong, atom_min(&out[i], in[i] << 4))
THREE(ulmax, 8, ulong, atom_max(&out[i], in[i] << 4))
THREE(lxchg, 8, long, atom_xchg(&out[i], in[i]))
THREE(lcas, 8, long, atom_cmpxchg(&out[i], 0x5a5a5a5a5a5a5a5a + (in[i] & 1), in[i]))

/* Finite numbers, as the bits of a result that is none need not be the same. */
#define FLOATS(name, bytes, T, U, call)                                                                                                    \
    kernel void name##_##bytes##_##bytes(global const U *in, global U *out, int n)                                                         \
    {                                                                                                                                      \
        ID;                                                                                                                                \
        T x = as_##T(in[i] & ~((U)1 << (8 * bytes - 4)));                                                                                  \
        call((volatile global atomic_##T *)&out[i], x);                                                                                    \
    }                                                                                                                                      \
    kernel void name##m_##bytes##_##bytes(global const U *in, global U *out, int n)                                                        \
    {                                                                                                                                      \
        ID;                                                                                                                                \
        T x = as_##T(in[i] & ~((U)1 << (8 * bytes - 4)));                                                                                  \
        if (in[i] & 1)                                                                                                                     \
            out[i] ^= as_##U(call((volatile global atomic_##T *)&out[i], x)) >> 3;                                                         \
    }
FLOATS(fadd, 4, float, uint, atomic_fetch_add)
FLOATS(fsub, 4, float, uint, atomic_fetch_sub)
FLOATS(fmin, 4, float, uint, atomic_fetch_min)
FLOATS(fmax, 4, float, uint, atomic_fetch_max)
FLOATS(fxchg, 4, float, uint, atomic_exchange)
#ifdef cl_khr_fp64
FLOATS(dadd, 8, double, ulong, atomic_fetch_add)
FLOATS(dsub, 8, double, ulong, atomic_fetch_sub)
FLOATS(dmin, 8, double, ulong, atomic_fetch_min)
FLOATS(dmax, 8, double, ulong, atomic_fetch_max)
FLOATS(dxchg, 8, double, ulong, atomic_exchange)
#endif

K(denormal_4_4)
{
    ID;
    out[i] = in[i] & 0x007fffff;
    atomic_fetch_add((volatile global atomic_float *)&out[i], as_float(in[i] >> 4 & 0x007fffff));
}

/* Addresses that are known to be side by side at run time only, or are so in some packets; of generic memory; the same value for all. */
K(uint_4_4) { uint i = get_global_id(0); if (i >= n) return; uint at = i + (uint)in[0] - (uint)in[0]; out[at] += atomic_add(&out[at], in[i]); }
K(clamped_4_4) { ID; int at = min(i, n - 9); atomic_add(&out[at], in[i] & 0xffff); }
K(generic_4_4) { ID; volatile atomic_int *p = (volatile atomic_int *)&out[i]; atomic_fetch_add_explicit(p, in[i], memory_order_acq_rel, memory_scope_device); }
K(uniform_4_4) { ID; SOME atomic_xor(&out[i], n); }
K(backwards_4_4) { ID; atomic_add(&out[n - 1 - i], in[i]); }
K(apart_4_8) { ID; atomic_add(&out[2 * i], in[i]); }
K(later_4_4) { ID; if (i >= 3) atomic_add(&out[i - 3], in[i]); if (i < n - 2) atomic_sub(&out[i + 2], 7); }
K(rounds_4_4) { ID; for (int k = 0; k < (in[i] & 15); k++) atomic_add(&out[i], k); }
kernel void restrict_4_4(global const int *restrict in, global int *restrict out, int n)
{
    ID;
    int before = out[i];
    atomic_fetch_add_explicit((volatile global atomic_int *)&out[i], in[i], memory_order_relaxed, memory_scope_work_item);
    out[i] = out[i] * 3 - before;
}
K(loop_4_4)
{
    ID;
    int old = out[i], now;
    while ((now = atomic_cmpxchg(&out[i], old, old * 3 + in[i])) != old)
        old = now;
}
/* More updates than lanes have copies of. */
#define FOUR(x) x x x x
K(many_4_4) { ID; FOUR(FOUR(FOUR(atomic_add(&out[i], in[i]); atomic_xor(&out[i], i);))) }
