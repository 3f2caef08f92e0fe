// SPDX-License-Identifier: Apache-2.0
// kernel: in_turns
// global: 64
// buffer: uint 64 = 8
// buffer: uint 64 = 0
// buffer: uint 1 = 1
// expect: 1 = 65533

/* Parts of an array that overlap, chosen by the number of the round: a load behind a store to the same element gets what was stored. */
kernel void in_turns(global const uint *in, global uint *out, global const uint *rounds)
{
    const size_t i = get_global_id(0);
    ushort parts[3] = {1, (ushort)in[i], 1};
    for (uint round = 0; round < (rounds[0] & 7); round++) {
        parts[1] = parts[round & 1] * 3u + (ushort)in[i];
        parts[2] -= parts[(round & 1) + 1] + 1;
        parts[(round & 1) + 1] ^= parts[2] + 1;
        parts[round & 1] += parts[1] * 5u + 1;
        if (!(in[7] & 8))
            break;
    }
    out[i] = parts[1];
}
