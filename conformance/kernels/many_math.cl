// SPDX-License-Identifier: Apache-2.0
// kernel: many_math
// global: 1000
// local: 100
// needs: cl_khr_fp64
// buffer: float 1000 = i%23+1
// buffer: int 6 = 0
// expect: 1 = 0 0 0 0 0 0

/* So many calls of large functions that they are functions of the packet: by all work-items, by some, in a loop, and with the same numbers for
 * all. The results are known exactly. */
#define EACH(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15) M(16) M(17) M(18) M(19) M(20) M(21) M(22) M(23)
#define POW(k) +(pow(x + k, one) != x + k)
#define POWD(k) +(pow(dx + k, done) != dx + k)
#define POWN(k) +(pow(x + k, none) != 1)
#define GAMMA(k) +(tgamma(1 + one + (k & 1)) != 1 + (k & 1)) + (lgamma(two - (k & 1)) != 0)
#define SAME(k) +(pow(same + k, one) != same + k)

kernel void many_math(global const float *in, global int *wrong)
{
    size_t i = get_global_id(0);
    float x = in[i], one = x / x, two = one + one, none = x - x, same = in[6];
    double dx = x, done = one;
    int bad = EACH(POW);
    if (bad)
        atomic_inc(wrong + 0);
    bad = EACH(POWD);
    if (bad)
        atomic_inc(wrong + 1);
    if (i % 3 == 1) {
        bad = EACH(POWN);
        if (bad)
            atomic_inc(wrong + 2);
    }
    for (int round = 0; round < (int)(i & 3); round++) {
        bad = EACH(GAMMA);
        if (bad)
            atomic_inc(wrong + 3);
    }
    bad = EACH(SAME);
    if (bad)
        atomic_inc(wrong + 4);
    double most = tgamma(done * 171), least = tgamma(done * 0.5);
    if (fabs(most / 7.257415615307994e306 - 1) > 1e-14 || fabs(least * least - M_PI) > 1e-14)
        atomic_inc(wrong + 5);
}
