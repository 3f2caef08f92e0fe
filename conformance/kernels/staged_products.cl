// SPDX-License-Identifier: Apache-2.0
// kernel: staged
// options: -cl-std=CL3.0 -DWAY=LINEAR
// options: -cl-std=CL3.0 -DWAY=TWO_LOOPS
// options: -cl-std=CL3.0 -DWAY=VECTORS
// options: -cl-std=CL3.0 -DWAY=SUB_GROUPS
// options: -cl-std=CL3.0 -DWAY=TRANSPOSED
// options: -cl-std=CL3.0 -DWAY=TURNED
// options: -cl-std=CL3.0 -DWAY=PADDED
// options: -cl-std=CL3.0 -DWAY=HALF
// options: -cl-std=CL3.0 -DWAY=GUARDED
// options: -cl-std=CL3.0 -DWAY=TWO_SLOTS
// options: -cl-std=CL3.0 -DWAY=LATE
// options: -cl-std=CL3.0 -DWAY=BEHIND
// options: -cl-std=CL3.0 -DWAY=CHANGED
// options: -cl-std=CL3.0 -DWAY=TWO_COPIES
// options: -cl-std=CL3.0 -DWAY=STEP_BEFORE
// options: -cl-std=CL3.0 -DWAY=LINEAR -cl-opt-disable
// global: 64 8
// local: 32 4
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: short 2048 = ((i/32)*37 + (i%32*2)*11) % 127 | (((i/32)*37 + (i%32*2+1)*11) % 127) << 8
// buffer: uint 1024 = ((i%64*5+3)%64/4 == i/64) << ((i%64*5+3)%64%4*8)
// buffer: int 4096 = -1
// local-buffer: 2048
// buffer: int 4 = 64 0 1 32
// expect: 2 = ((i/64)*37 + ((i%64*5+3)%64)*11) % 127

/* C = A·B of 64 x 64 bytes, where each column of B has a single 1, in work-groups that stage parts of A and B in local memory in many ways. Some
 * of these copies the compiler reads where they come from; others it must leave alone. */
enum { LINEAR, TWO_LOOPS, VECTORS, SUB_GROUPS, TRANSPOSED, TURNED, PADDED, HALF, GUARDED, TWO_SLOTS, LATE, BEHIND, CHANGED, TWO_COPIES, STEP_BEFORE };
enum { ROWS = 32, PAIRS = 16, WORDS = 8, COLUMNS = 32, N = 64, PITCH = WAY == PADDED ? 18 : 16 };

/* Where the pair at (row, column) of A's part lies. */
int place(int row, int column)
{
    return WAY == TRANSPOSED ? column * ROWS + row : row * PITCH + (WAY == TURNED ? column ^ row & 15 : column);
}

void copy_a(local short *la, global const short *a, int l, int x, int y)
{
    if (WAY == TWO_LOOPS) {
        for (int row = y; row < ROWS; row += 4)
            for (int column = x; column < PAIRS; column += 32)
                la[place(row, column)] = a[row * 32 + column];
    } else if (WAY == VECTORS) {
        for (int i = l; i < ROWS * PAIRS / 4; i += 128)
            vstore4(vload4(0, a + i / 4 * 32 + i % 4 * 4), 0, la + i * 4);
    } else if (WAY == SUB_GROUPS) {
        for (int i = 0; i < 4; i++)
            la[place(get_sub_group_id() * 4 + i, get_sub_group_local_id())] = a[(get_sub_group_id() * 4 + i) * 32 + get_sub_group_local_id()];
    } else if (WAY == HALF) {
        if (l < 64)
            for (int i = l; i < ROWS * PAIRS; i += 64)
                la[place(i / PAIRS, i % PAIRS)] = a[i / PAIRS * 32 + i % PAIRS];
    } else if (WAY == TWO_COPIES) {
        for (int i = l; i < ROWS * PAIRS / 2; i += 128)
            la[place(i / PAIRS, i % PAIRS)] = a[i / PAIRS * 32 + i % PAIRS];
        for (int i = l + ROWS * PAIRS / 2; i < ROWS * PAIRS; i += 128)
            la[place(i / PAIRS, i % PAIRS)] = a[i / PAIRS * 32 + i % PAIRS];
    } else {
        for (int i = l; i < ROWS * PAIRS; i += 128)
            la[place(i / PAIRS, i % PAIRS)] = WAY == CHANGED ? (short)(a[i / PAIRS * 32 + i % PAIRS] ^ 0x0101) : a[i / PAIRS * 32 + i % PAIRS];
    }
}

void copy_b(local uint *lb, global const uint *b, int l)
{
    for (int i = l; i < WORDS * COLUMNS; i += 128)
        lb[i] = b[i / COLUMNS * N + i % COLUMNS];
}

int8 add_product(local const short *la, local const uint *lb, int8 sum)
{
    int sub_group = get_sub_group_id(), lane = get_sub_group_local_id();
    short8 a;
    int8 b;
    for (int r = 0; r < 8; r++) {
        a[r] = la[place(sub_group / 2 * 8 + r, lane)] ^ (WAY == CHANGED ? 0x0101 : 0);
        b[r] = lb[r * COLUMNS + sub_group % 2 * 16 + lane];
    }
    return intel_sub_group_i8_i8_matrix_mad_k32(a, b, sum);
}

__attribute__((reqd_work_group_size(32, 4, 1), intel_reqd_sub_group_size(16))) kernel void
staged(global const short *restrict a, global const uint *restrict b, global int *restrict c, local uint *lent, global const int *n)
{
    local short la[2 * ROWS * PITCH];
    local uint own[2 * WORDS * COLUMNS];
    local uint *lb = WAY == TRANSPOSED ? lent : own;
    int x = get_local_id(0), y = get_local_id(1), l = y * 32 + x, row = get_group_id(1) * ROWS, column = get_group_id(0) * COLUMNS;
    int8 sum = 0;
    a += row * 32;
    b += column;
    if (WAY == TWO_SLOTS) {
        copy_a(la, a, l, x, y);
        copy_b(lb, b, l);
        for (int k = 0; k < n[0]; k += 32) {
            int now = k / 32 & 1;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (k + 32 < n[0]) {
                copy_a(la + (now ^ 1) * ROWS * PITCH, a + (k + 32) / 2, l, x, y);
                copy_b(lb + (now ^ 1) * WORDS * COLUMNS, b + (k + 32) / 4 * N, l);
            }
            sum = add_product(la + now * ROWS * PITCH, lb + now * WORDS * COLUMNS, sum);
        }
    } else if (WAY == LATE) { /* what is multiplied was copied in the round before */
        for (int k = 0; k <= n[0]; k += 32) {
            if (k)
                sum = add_product(la, lb, sum);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (k < n[0]) {
                copy_a(la, a + k / 2, l, x, y);
                copy_b(lb, b + k / 4 * N, l);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    } else if (WAY == STEP_BEFORE) { /* each step of a known number has memory of its own, and is multiplied a round later */
        for (int k = 0; k < 64; k += 32) {
            copy_a(la + k / 32 * ROWS * PITCH, a + k / 2, l, x, y);
            copy_b(lb + k / 32 * WORDS * COLUMNS, b + k / 4 * N, l);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (k)
                sum = add_product(la + (k / 32 - 1) * ROWS * PITCH, lb + (k / 32 - 1) * WORDS * COLUMNS, sum);
        }
        sum = add_product(la + ROWS * PITCH, lb + WORDS * COLUMNS, sum);
    } else if (WAY == BEHIND) { /* the last copy is multiplied behind the loop */
        int k = 0;
        do {
            copy_a(la, a + k / 2, l, x, y);
            copy_b(lb, b + k / 4 * N, l);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (k + 32 < n[0])
                sum = add_product(la, lb, sum);
            barrier(CLK_LOCAL_MEM_FENCE);
            k += 32;
        } while (k < n[0]);
        sum = add_product(la, lb, sum);
    } else {
        for (int k = 0; k < n[0]; k += 32) {
            if (WAY != GUARDED || k < n[0] * n[2])
                copy_a(la, a + k / 2, l, x, y);
            copy_b(lb, b + k / 4 * N, l);
            barrier(CLK_LOCAL_MEM_FENCE);
            sum = add_product(la, lb, sum);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    int sub_group = get_sub_group_id();
    for (int r = 0; r < 8; r++)
        c[(row + sub_group / 2 * 8 + r) * N + column + sub_group % 2 * 16 + get_sub_group_local_id()] = sum[r];
}
