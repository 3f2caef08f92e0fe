// SPDX-License-Identifier: Apache-2.0
// kernel: nobody
// global: 200
// local: 50
// local: 16
// buffer: int 200 = (i*37+11)&1023
// buffer: int 200 = 0
// expect: 1 = i+10

/* What no work-item comes to must not happen: traps, accesses of memory that is not there, loops that would not end. The bounds are numbers
 * that the compiler does not know. */
kernel void nobody(global const int *in, global int *out)
{
    int i = get_global_id(0), x = in[i], none = in[0] & 0, s = 0;
    global int *far = out + (1l << 40);
    global char *bytes = (global char *)far;
    if (x > 5000)
        __builtin_trap();
    if (none)
        __builtin_trap();
    if (x > 5000) {
        s += far[0] + far[i] + far[x] + far[3 * i] + far[-i] + bytes[0] + bytes[i] + bytes[x];
        far[1] = s;
        far[i + 1] = s;
        far[x + 1] = s;
        bytes[1] = s;
        bytes[i + 1] = s;
        bytes[x + 1] = s;
        atomic_add(far, 1);
        atomic_or(far + i, 1);
        vstore4(vload4(i, far) + 1, i, far);
    }
    for (int k = 0; k < none; k++)
        s += far[0] + far[k];
    for (int k = x; k < 0; k++)
        s += far[0] + far[k] + far[i];
    for (int k = 0; k < 5; k++) {
        if (k + x < 0)
            s += far[0];
        if (k + none > 100)
            s += far[2];
        s += k;
    }
    if (x > 5000) {
        int k = 0;
        do
            s += far[k++];
        while (far[k] != none);
        for (;;)
            s++;
    }
    if (x < 0)
        for (;;)
            ;
    switch (x & 3) {
    case 0:
    case 1:
    case 2:
    case 3:
        break;
    default:
        __builtin_unreachable();
    }
    int zero = none, q = x > 5000 ? x / zero + x % zero : 0;
    out[i] = i + s + q;
}
