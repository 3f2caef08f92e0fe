// SPDX-License-Identifier: Apache-2.0
// kernel: byte_places
// global: 199
// local: 199
// local: 1
// buffer: uint 199 = i*37%199
// buffer: uchar 199 = i*29+3
// buffer: uchar 607 = 5
// buffer: int 199 = 0
// expect: 3 = 15

/* Bytes that go to places that are computed: every place once, with signs and without, two apart, and some places only. Each work-item then
 * looks after what nobody else writes. */
kernel void byte_places(global const uint *to, global const uchar *in, global uchar *out, global int *ok)
{
    uint i = get_global_id(0), place = to[i];
    int signed_place = (int)place - 5;
    out[place] = in[i];
    int good = out[place] == in[i];
    (out + 5)[signed_place] = in[i] + 1;
    good |= (out[place] == (uchar)(in[i] + 1)) << 1;
    out[2 * place + 210] = in[i] ^ 90;
    good |= (out[2 * place + 210] == (uchar)(in[i] ^ 90)) << 2;
    if (in[i] & 1)
        out[2 * place + 210] = 7;
    good |= (out[2 * place + 210] == (in[i] & 1 ? 7 : (uchar)(in[i] ^ 90))) << 3;
    ok[i] = good;
}
