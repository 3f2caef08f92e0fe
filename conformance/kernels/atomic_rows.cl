// SPDX-License-Identifier: Apache-2.0
// kernel: rows
// global: 65536
// local: 64
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -DLANES=8
// options: -cl-std=CL3.0 -DLANES=32
// options: -cl-std=CL3.0 -DTESTED
// buffer: int 72 = 0
// buffer: long 72 = 0
// buffer: float 72 = 0
// buffer: double 72 = 0
// buffer: float 72 = 0
// buffer: int 72 = 0
// buffer: long 72 = 0
// buffer: int 72 = 0
// buffer: long 72 = 0
// buffer: int 2 = 0
// expect: 0 = i*0+20*128*((i<7)*(i+1)+(i>=7)*(i<64)*8+(i>=64)*(71-i))
// expect: 1 = i*0+20*128*((i<7)*(i+1)+(i>=7)*(i<64)*8+(i>=64)*(71-i))
// expect: 2 = i*0+20*128*((i<7)*(i+1)+(i>=7)*(i<64)*8+(i>=64)*(71-i))
// expect: 3 = i*0+20*128*((i<7)*(i+1)+(i>=7)*(i<64)*8+(i>=64)*(71-i))
// expect: 4 = i*0+20*128*((i<7)*(i+1)+(i>=7)*(i<64)*8+(i>=64)*(71-i))
// expect: 9 = 65536 1
// needs: cl_khr_fp64
// needs: cl_ext_float_atomics

/* Packets, on several threads, update rows that overlap and begin anywhere: nothing is lost, and every update finds another number there.
 * The sums are exact in any order. Whether the lanes lie side by side is known, or found out at run time. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define GLOBAL(T) volatile global atomic_##T *
enum { ROUNDS = 20, PLACES = 71 };

#ifdef TESTED
#define ROW (int)get_global_id(0) / 64
#define PLACE (int)get_global_id(0) % 64
#else
#define ROW (int)get_group_id(0)
#define PLACE (int)get_local_id(0)
#endif
#ifdef LANES
__attribute__((intel_reqd_sub_group_size(LANES)))
#endif
kernel void rows(global int *counts, global long *wide, global float *floats, global double *doubles, global float *exchanged,
                 global int *tickets, global long *found, global int *owner, global long *balance, global int *done)
{
    int l = PLACE, at = l + (ROW & 7), own = (int)get_global_id(0) + 1;
    for (int k = 0; k < ROUNDS; k++) {
        atomic_add(&counts[at], 1);
        atom_add(&wide[at], 1L);
        atomic_fetch_add_explicit((GLOBAL(float))&floats[at], 1.0f, memory_order_relaxed, memory_scope_device);
        atomic_fetch_add_explicit((GLOBAL(double))&doubles[at], 1.0, memory_order_relaxed, memory_scope_device);
        volatile global int *word = (volatile global int *)&exchanged[at];
        for (int old = *word, now; (now = atomic_cmpxchg(word, old, as_int(as_float(old) + 1.0f))) != old;)
            old = now;
        if ((l + k) % 3) {
            int ticket = atomic_inc(&tickets[at]);
            atom_add(&found[at], (long)ticket);
            int before = atomic_xchg(&owner[at], own + k * 65536);
            atom_add(&balance[at], (long)(own + k * 65536) - before);
        }
    }
    if (atomic_fetch_add_explicit((GLOBAL(int))&done[0], 1, memory_order_acq_rel, memory_scope_device) != (int)get_global_size(0) - 1)
        return;
    bool good = true;
    for (int i = 0; i < PLACES; i++) {
        long n = tickets[i];
        good = good && found[i] == n * (n - 1) / 2 && balance[i] == owner[i];
    }
    done[1] = good;
}
