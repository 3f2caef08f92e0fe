/* SPDX-License-Identifier: Apache-2.0
 * The layers of the digits network. A work-group computes 8 samples by all outputs of a layer: local size (outputs, 1), global size
 * (outputs, samples / 8); outputs are a multiple of 16, and inputs one of 32 (16 for bfloat16). Rows of A are samples, columns of B
 * outputs. */

/* ---- int8: pairs of sub-groups of 8 share the 8 samples, of which each loads 4 ---- */

/* x: samples by inputs. w: four inputs packed in an int, inputs / 4 by outputs. */
int8 sums_int8(global const int *x, global const int *w, global const int *bias, int inputs)
{
    int lane = get_sub_group_local_id(), column = get_local_id(0), outputs = get_local_size(0);
    int row = get_group_id(1) * 8 + (get_sub_group_id() & 1) * 4;
    int8 sums = bias[column];

    for (int k = 0; k < inputs / 4; k += 8) {
        global const int *from = x + row * (inputs / 4) + k + lane;
        int4 a = (int4)(from[0], from[inputs / 4], from[2 * (inputs / 4)], from[3 * (inputs / 4)]);
        int8 b;
        for (int i = 0; i < 8; i++)
            ((int *)&b)[i] = w[(k + i) * outputs + column];
        sums = intel_sub_group_i8_i8_split_matrix_mad_k32(a, b, sums);
    }
    return sums;
}

__attribute__((intel_reqd_sub_group_size(8))) kernel void layer_int8(global const int *x, global const int *w, global const int *bias,
                                                                     int inputs, int multiplier, global char *y)
{
    int8 sums = sums_int8(x, w, bias, inputs);
    global char *to = y + get_group_id(1) * 8 * get_local_size(0) + get_local_id(0);

    for (int r = 0; r < 8; r++) {
        long scaled = ((long)((int *)&sums)[r] * multiplier + (1 << 23)) >> 24;
        to[r * get_local_size(0)] = (char)clamp(scaled, 0L, 127L); /* ReLU and saturation at once */
    }
}

__attribute__((intel_reqd_sub_group_size(8))) kernel void last_int8(global const int *x, global const int *w, global const int *bias,
                                                                    int inputs, global int *y)
{
    int8 sums = sums_int8(x, w, bias, inputs);
    global int *to = y + get_group_id(1) * 8 * get_local_size(0) + get_local_id(0);

    for (int r = 0; r < 8; r++)
        to[r * get_local_size(0)] = ((int *)&sums)[r];
}

/* ---- bfloat16: sub-groups of 16 ---- */

/* x: samples by inputs. w: two inputs packed in an int, inputs / 2 by outputs. */
float8 sums_bf16(global const short *x, global const int *w, global const float *bias, int inputs)
{
    int lane = get_sub_group_local_id(), column = get_local_id(0), outputs = get_local_size(0), row = get_group_id(1) * 8;
    float8 sums = bias[column];

    for (int k = 0; k < inputs; k += 16) {
        short8 a;
        int8 b;
        for (int r = 0; r < 8; r++)
            ((short *)&a)[r] = x[(row + r) * inputs + k + lane];
        for (int i = 0; i < 8; i++)
            ((int *)&b)[i] = w[(k / 2 + i) * outputs + column];
        sums = intel_sub_group_bf16_bf16_matrix_mad_k16(a, b, sums);
    }
    return sums;
}

__attribute__((intel_reqd_sub_group_size(16))) kernel void layer_bf16(global const short *x, global const int *w, global const float *bias,
                                                                      int inputs, global short *y)
{
    float8 sums = sums_bf16(x, w, bias, inputs);
    global short *to = y + get_group_id(1) * 8 * get_local_size(0) + get_local_id(0);

    for (int r = 0; r < 8; r++) {
        uint bits = as_uint(fmax(((float *)&sums)[r], 0.0f)); /* ReLU, then to nearest, ties to even */
        to[r * get_local_size(0)] = (short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
}

__attribute__((intel_reqd_sub_group_size(16))) kernel void last_bf16(global const short *x, global const int *w, global const float *bias,
                                                                     int inputs, global float *y)
{
    float8 sums = sums_bf16(x, w, bias, inputs);
    global float *to = y + get_group_id(1) * 8 * get_local_size(0) + get_local_id(0);

    for (int r = 0; r < 8; r++)
        to[r * get_local_size(0)] = ((float *)&sums)[r];
}
