// SPDX-License-Identifier: Apache-2.0
// kernel: spread
// global: 200
// local: 40
// local: 100
// local: 8
// buffer: float 1024 = i
// buffer: float 8192 = -1
// buffer: int 200 = 0
// buffer: int 8 = 1 2 3 4 8 16 64 256
// expect: 2 = 1

/* Addresses with two parts that vary: the lanes lie side by side in some rounds, and not in others. */
kernel void spread(global const float *in, global float *out, global int *ok, global const int *spans)
{
    local float x[8][256];
    int id = get_global_id(0), l = get_local_id(0);
    bool good = true;
    for (int k = 0; k < 8; k++) {
        int span = spans[k], within = id % span, to = (id - within) * 3 + within;
        out[k * 1024 + to] = in[to];
        if (id & 4)
            out[k * 1024 + to + span] = in[to + span];
        int near = (l - l % span) * 2 + l % span;
        x[k][near] = id;
        good = good && x[k][near] == id && out[k * 1024 + to] == to;
        good = good && out[k * 1024 + to + span] == (id & 4 ? to + span : -1);
    }
    ok[id] = good;
}
