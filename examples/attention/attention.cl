/* SPDX-License-Identifier: Apache-2.0
 * O = softmax(Q·Kᵀ / √d)·V of one head after another, in bfloat16, without ever writing down the scores.
 *
 * A sub-group of 16 takes 16 queries through all keys, KEYS of them a round: it makes their scores with matrix functions, turns these into
 * weights, and adds the weighted values to its outputs. The weights are e^(score - m) for the largest score m so far; when m
 * grows, what was summed before is scaled down. Work-items hold the columns of the scores, that is, keys, and the columns of the outputs.
 *
 * Q, K, V and O lie as rows of D numbers. The matrix functions want their second matrix packed: pairs of numbers that follow each other in a
 * column, 16 columns side by side. `pack` brings K and V into that form first. */
enum {
    D = 64,     /* numbers in a query, key or value */
    BLOCKS = 2, /* of 8 queries */
    KEYS = 32,  /* a round */
    N = 16      /* columns of a matrix function */
};

/* ---- packing ---- */

/* One work-item for each pair of numbers. Kᵀ has a column for each key: panels of 16 keys, in which row i has the numbers 2i and 2i + 1 of
 * each. V has D columns: for each pair of keys a row of D pairs, one from each key. */
kernel void pack(global const ushort *k, global const ushort *v, global uint *packed_k, global uint *packed_v)
{
    size_t word = get_global_id(0), pairs = D / 2, head = get_global_id(1) * get_global_size(0);
    size_t key = word / pairs, pair = word % pairs;
    packed_k[head + (key / N * pairs + pair) * N + key % N] = ((global const uint *)k)[head + word];
    size_t row = word / D, column = word % D;
    global const ushort *from = v + 2 * (head + row * D) + column;
    packed_v[head + word] = from[0] | (uint)from[D] << 16;
}

/* ---- attention ---- */

/* To bfloat16: to nearest, ties to even. There are no NaNs. */
short8 bf16_of(float8 x)
{
    uint8 bits = as_uint8(x);
    return convert_short8(as_int8((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
}

/* `scale`: log2(e) / √d, since powers of two cost less than those of e. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void attention(global const ushort *restrict q, global const uint *restrict packed_k, global const uint *restrict packed_v,
                      global ushort *restrict o, int keys, float scale)
{
    size_t head = get_global_id(1) * keys * D;
    int query = get_global_id(0) / N * BLOCKS * 8;
    q += head + query * D;
    o += head + query * D;
    packed_k += head / 2;
    packed_v += head / 2;

    float8 sum[BLOCKS][D / N], largest[BLOCKS], weights[BLOCKS]; /* outputs; m; each work-item's share of the sum of all weights */
    for (int i = 0; i < BLOCKS; i++) {
        largest[i] = -INFINITY;
        weights[i] = 0;
        for (int t = 0; t < D / N; t++)
            sum[i][t] = 0;
    }

    for (int key = 0; key < keys; key += KEYS) {
        float8 score[BLOCKS][KEYS / N];
        for (int i = 0; i < BLOCKS; i++)
            for (int j = 0; j < KEYS / N; j++)
                score[i][j] = 0;
#pragma unroll 1 /* a loop like any other product's, whose sums stay where the matrix unit has them */
        for (int t = 0; t < D / N; t += 2) {
#pragma unroll
            for (int step = t; step < t + 2; step++) {
                short8 a[BLOCKS];
                int8 b[KEYS / N];
                for (int i = 0; i < BLOCKS; i++)
                    for (int r = 0; r < 8; r++)
                        a[i][r] = as_short(intel_sub_group_block_read_us(q + (i * 8 + r) * D + step * N));
                for (int j = 0; j < KEYS / N; j++)
                    b[j] = as_int8(intel_sub_group_block_read8(packed_k + key * (D / 2) + (j * (D / 2) + step * 8) * N));
                for (int i = 0; i < BLOCKS; i++)
                    for (int j = 0; j < KEYS / N; j++)
                        score[i][j] = intel_sub_group_bf16_bf16_matrix_mad_k16(a[i], b[j], score[i][j]);
            }
        }

        short8 p[BLOCKS][KEYS / N]; /* the weights: A of the second product lies as C of the first */
        float8 most[BLOCKS];
        int grows = 0;
        for (int i = 0; i < BLOCKS; i++) {
            most[i] = score[i][0];
            for (int j = 1; j < KEYS / N; j++)
                most[i] = fmax(most[i], score[i][j]);
            most[i] *= scale;
            for (int r = 0; r < 8; r++)
                grows |= most[i][r] > largest[i][r];
        }
        if (sub_group_any(grows)) /* later rarely; both blocks at once, so that their sums can lie in one tile */
            for (int i = 0; i < BLOCKS; i++) {
                for (int r = 0; r < 8; r++)
                    most[i][r] = fmax(largest[i][r], sub_group_reduce_max(most[i][r]));
                float8 shrink = native_exp2(largest[i] - most[i]);
                largest[i] = most[i];
                weights[i] *= shrink;
                for (int t = 0; t < D / N; t++)
                    sum[i][t] *= shrink;
            }
        for (int i = 0; i < BLOCKS; i++)
            for (int j = 0; j < KEYS / N; j++) {
                float8 weight = native_exp2(fma(score[i][j], scale, -largest[i]));
                weights[i] += weight;
                p[i][j] = bf16_of(weight);
            }

#pragma unroll
        for (int j = 0; j < KEYS / N; j++) {
            int8 b[D / N];
            for (int t = 0; t < D / N; t++)
                for (int r = 0; r < 8; r++)
                    b[t][r] = as_int(intel_sub_group_block_read(packed_v + (key / 2 + j * 8 + r) * D + t * N));
            for (int i = 0; i < BLOCKS; i++)
                for (int t = 0; t < D / N; t++)
                    sum[i][t] = intel_sub_group_bf16_bf16_matrix_mad_k16(p[i][j], b[t], sum[i][t]);
        }
    }

    for (int i = 0; i < BLOCKS; i++) {
        float8 all;
        for (int r = 0; r < 8; r++)
            all[r] = 1 / sub_group_reduce_add(weights[i][r]);
        for (int t = 0; t < D / N; t++) {
            short8 out = bf16_of(sum[i][t] * all);
            for (int r = 0; r < 8; r++)
                intel_sub_group_block_write_us(o + (i * 8 + r) * D + t * N, as_ushort(out[r]));
        }
    }
}
