// SPDX-License-Identifier: Apache-2.0
// kernel: powers
// global: 2048
// needs: cl_khr_fp64
// buffer: int 3 = 0
// expect: 0 = 0 0 0

/* Powers of whole numbers that are doubles come out exactly: programs make integers of them. */
kernel void powers(global int *wrong)
{
    ulong base = get_global_id(0) + 2, power = 1;
    for (int n = 0; power <= (1ul << 53) / base; n++, power *= base) {
        if (pow((double)base, (double)n) != (double)power)
            atomic_inc(wrong + 0);
        if (powr((double)base, (double)n) != (double)power)
            atomic_inc(wrong + 1);
        if (pown((double)base, n) != (double)power)
            atomic_inc(wrong + 2);
    }
}
