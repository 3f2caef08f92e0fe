/* SPDX-License-Identifier: Apache-2.0
 * C = A·B as people write it for GPUs, one sub-group a work-group: each makes ROWS·M rows and COLUMNS·16 columns of C. A lies row after row.
 * B is a matrix of 32-bit words of K's elements (four bytes or two bfloat16), row after row, or with B_ROWS one of elements. With INT4 each
 * byte is two elements that follow each other along K, and all counts of K are of bytes.
 *
 * M: rows of one matrix function, 1, 2, 4 or 8. INDEX: the type of all indices. BLOCKS: A and B by 2D block reads, of M = 8. INT8, INT4, BF16,
 * F16 or TF32 is the type. n: elements in a row of B and C; deep: in a row of A, which is K. size: rows and columns of C, and K, as 2D blocks see them.
 *
 * LANES: 8 or 16. FROM_C: C = A·B + zero·C, so that the sums begin with numbers in memory. EPILOGUE: a scale, a bias and an activation between
 * loop and store. B_COLUMNS: B is a matrix of elements by columns. STAGED: eight sub-groups under each other stage A and B in local memory.
 * NESTED: K in blocks, each with a loop of its own. WRITES: C by 2D block writes. CHECKED: what is outside of the matrices is zero, and
 * not stored. AHEAD: each round loads what the next one multiplies, with CLAMPED the last step again where there is none. TURNS: with
 * STAGED or AHEAD, two buffers that take turns, of which each round fills one; whose turn it is says the round's number, or with BY_BOOL a
 * bool; with THREE there are three. REGISTERS: with STAGED, a round loads into arrays what the next one multiplies, and stores these behind its
 * products. MAD24: indices by mad24. TWO_SUMS: one of even steps and one of odd ones. WALK: each work-group makes many tiles, one after the
 * other. VIA_LOCAL: four sub-groups beside each other write C by way of local memory. SHARED_K: four sub-groups share K out and add their sums in
 * local memory. `scale` is 1 and `zero` 0, so that the results are those of the plain form. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#ifndef LANES
#define LANES 16
#endif

#if defined(BF16) || defined(F16)
#define IN_WORD 2
#define NUMBER float
#define B_WORD int
typedef ushort element;
#ifdef BF16
#define MAD(a, b, c) intel_sub_group_bf16_bf16_matrix_mad_k16(a, b, c)
#else
#define MAD(a, b, c) intel_sub_group_f16_f16_matrix_mad_k16(a, b, c)
#endif
#define WORD(p) as_int((ushort2)(p[0], p[n]))
#define READ_A intel_sub_group_2d_block_read_16b_8r16x1c
#define READ_B_ROWS intel_sub_group_2d_block_read_transform_16b_16r16x1c
#elif defined(TF32)
#define IN_WORD 1
#define NUMBER float
#define B_WORD float
#define MAD(a, b, c) intel_sub_group_tf32_tf32_matrix_mad_k8(a, b, c)
#define READ_A intel_sub_group_2d_block_read_32b_8r8x1c
#else
#define IN_WORD 4
#define NUMBER int
#define B_WORD int
typedef char element;
#ifdef INT4
#define MAD(a, b, c) intel_sub_group_i4_i4_matrix_mad_k64(a, b, c)
#else
#define MAD(a, b, c) intel_sub_group_i8_i8_matrix_mad_k32(a, b, c)
#endif
#define WORD(p) as_int((char4)(p[0], p[n], p[2 * n], p[3 * n]))
#define READ_A intel_sub_group_2d_block_read_8b_8r32x1c
#define READ_B_ROWS intel_sub_group_2d_block_read_transform_8b_32r16x1c
#endif

/* What a work-item has of A: a part of each row, or with TF32 of every other one. */
#ifdef TF32
#define A_ELEMENT float
#define A_ROW(part) (2 * (part) + (lane >> 3))
#define A_LANE (lane & 7)
#if M == 8
#define A_PARTS 4
#elif M == 4
#define A_PARTS 2
#else
#define A_PARTS 1
#endif
#else
#if LANES == 8
#define A_ELEMENT int
#else
#define A_ELEMENT short
#endif
#define A_ROW(part) (part)
#define A_LANE lane
#define A_PARTS M
#endif

#ifdef MAD24
#define AT(row, pitch, column) mad24(row, pitch, column)
#else
#define AT(row, pitch, column) ((row) * (pitch) + (column))
#endif
#ifdef CHECKED
#define INSIDE(row, rows, column, columns) ((row) < (rows) && (column) < (columns))
#else
#define INSIDE(row, rows, column, columns) true
#endif
#define LOADED(matrix, row, rows, pitch, column, columns) (INSIDE(row, rows, column, columns) ? (matrix)[AT(row, pitch, column)] : 0)

/* What is multiplied, of what is loaded in the round that begins at k. `scale` is 1, and `zero` is 0. */
#if !defined(COMPUTED)
#define OF_PART(part, k) part
#define OF_WORD(word, k) word
#elif defined(BF16)
ushort scaled(ushort element, float scale)
{
    return intel_convert_bfloat16_as_ushort(as_float((uint)element << 16) * scale);
}
#define OF_PART(part, k) scaled(part, scale)
#define OF_WORD(word, k) (scaled((uint)(word) & 0xffff, scale) | (uint)scaled((uint)(word) >> 16, scale) << 16)
#elif defined(TF32)
#define OF_PART(part, k) ((part) * scale)
#define OF_WORD(word, k) ((word) * scale)
#else
#define OF_PART(part, k) ((part) ^ zero * (int)(k))
#define OF_WORD(word, k) ((word) ^ zero * (int)(k))
#endif

/* A part of A, and a word of B, in the round that begins at k. */
#define A_PART(i, r, k) LOADED(a, row + (i) * M + A_ROW(r), size.x, pitch, (k) / A_ELEMENTS + A_LANE, pitch)
#define B_COLUMN(j) (column + (j) * LANES + lane)
#ifdef B_ROWS
#define B_WORD_OF(j, w, k) WORD(((global const element *)b + ((k) + (w) * IN_WORD) * n + B_COLUMN(j)))
#elif defined(B_COLUMNS)
#define B_WORD_OF(j, w, k) ((global const b_word *)b)[B_COLUMN(j) * (deep / IN_WORD) + (k) / IN_WORD + (w)]
#else
#define B_WORD_OF(j, w, k) LOADED((global const b_word *)b, (k) / IN_WORD + (w), deep / IN_WORD, n, B_COLUMN(j), size.y)
#endif
#define READ(x, y, k)                                                                                                                      \
    for (int i = 0; i < ROWS; i++)                                                                                                         \
        for (int r = 0; r < A_PARTS; r++)                                                                                                  \
            ((private a_element *)&x[i])[r] = OF_PART(A_PART(i, r, k), k);                                                                         \
    for (int j = 0; j < COLUMNS; j++)                                                                                                      \
        for (int w = 0; w < 8; w++)                                                                                                        \
            y[j][w] = OF_WORD(B_WORD_OF(j, w, k), k);

typedef NUMBER number;
typedef A_ELEMENT a_element;
typedef B_WORD b_word;
typedef JOIN(B_WORD, 8) b_part;
#if M == 1
typedef NUMBER c_part;
#else
typedef JOIN(NUMBER, M) c_part;
#endif
#if A_PARTS == 1
typedef A_ELEMENT a_part;
#else
typedef JOIN(A_ELEMENT, A_PARTS) a_part;
#endif
enum { DEEP = 8 * IN_WORD /* elements of K in a round */, BYTES = 4 / IN_WORD, A_ELEMENTS = sizeof(a_element) / BYTES };

#ifdef AHEAD
#define X_NOW x[TURN(k)]
#define Y_NOW y[TURN(k)]
#else
#define X_NOW x
#define Y_NOW y
#endif
#if defined(THREE)
#define TURN(k) ((k) / STEP % 3)
enum { BUFFERS = 3 };
#elif defined(BY_BOOL)
#define TURN(k) turn
#define NEXT_TURN(k) !turn
enum { BUFFERS = 2 };
#elif defined(TURNS)
#define TURN(k) ((k) / STEP & 1)
enum { BUFFERS = 2 };
#else
#define TURN(k) 0
enum { BUFFERS = 1 };
#endif
#ifndef NEXT_TURN
#define NEXT_TURN(k) TURN((k) + STEP)
#endif
#ifdef CLAMPED
#define IF_NEXT(k)
#define NEXT(k) min((k) + STEP, deep - STEP)
#else
#define IF_NEXT(k) if ((k) + STEP < deep)
#define NEXT(k) (k) + STEP
#endif
#ifdef STAGED
/* Element i of what the work-group needs in the round that begins at k. */
#define OF_A(i, k) LOADED(a, get_group_id(1) * GROUP * ROWS * M + (i) / IN_STEP, size.x, pitch, (k) / A_ELEMENTS + (i) % IN_STEP, pitch)
#define OF_B(i, k) LOADED((global const b_word *)b, (k) / IN_WORD + (i) / WIDE, deep / IN_WORD, n, column + (i) % WIDE, size.y)
#define COPY(to, k)                                                                                                                        \
    for (int i = get_local_id(0); i < GROUP * ROWS * M * IN_STEP; i += ITEMS)                                                              \
        in_a[to][i / IN_STEP][i % IN_STEP] = OF_A(i, k);                                                                                   \
    for (int i = get_local_id(0); i < 8 * WIDE; i += ITEMS)                                                                                \
        in_b[to][i / WIDE][i % WIDE] = OF_B(i, k);
#define OWN(i) ((int)get_local_id(0) + (i) * ITEMS)
#define LOAD(k)                                                                                                                            \
    for (int i = 0; i < GROUP * ROWS * M * IN_STEP / ITEMS; i++)                                                                           \
        next_a[i] = OF_A(OWN(i), k);                                                                                                       \
    for (int i = 0; i < 8 * WIDE / ITEMS; i++)                                                                                             \
        next_b[i] = OF_B(OWN(i), k);
#define STORE(to)                                                                                                                          \
    for (int i = 0; i < GROUP * ROWS * M * IN_STEP / ITEMS; i++)                                                                           \
        in_a[to][OWN(i) / IN_STEP][OWN(i) % IN_STEP] = next_a[i];                                                                      \
    for (int i = 0; i < 8 * WIDE / ITEMS; i++)                                                                                             \
        in_b[to][OWN(i) / WIDE][OWN(i) % WIDE] = next_b[i];
#define RESTRICT restrict
enum { GROUP = 8, ITEMS = GROUP * LANES, IN_STEP = 32 / sizeof(a_element), WIDE = COLUMNS * LANES };
#define SUB_GROUP (get_group_id(1) * GROUP + get_sub_group_id()) /* from above */
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
#else
#define RESTRICT
#define SUB_GROUP get_global_id(1)
#endif
#if defined(VIA_LOCAL)
#define BESIDE (get_global_id(0) / LANES)
#else
#define BESIDE get_group_id(0)
#endif
#if defined(VIA_LOCAL) || defined(SHARED_K)
#define TOGETHER 4
__attribute__((reqd_work_group_size(TOGETHER * LANES, 1, 1)))
#endif
#ifdef SHARED_K
#define FIRST (get_sub_group_id() * STEP)
#define ROUND (TOGETHER * STEP)
#else
#define FIRST 0
#define ROUND STEP
#endif
__attribute__((intel_reqd_sub_group_size(LANES)))
kernel void gemm(global const a_element *RESTRICT a, global const void *RESTRICT b, global number *RESTRICT c, INDEX n, INDEX deep, int3 size, float scale, int zero)
{
    const INDEX lane = get_sub_group_local_id(), pitch = deep / A_ELEMENTS; /* of A */
#ifdef WALK
    const INDEX across = size.y / (COLUMNS * LANES), tiles = size.x / (ROWS * M) * across;
    for (INDEX tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
    const INDEX row = tile / across * (ROWS * M), column = tile % across * (COLUMNS * LANES);
#else
    const INDEX row = SUB_GROUP * ROWS * M, column = BESIDE * COLUMNS * LANES;
#endif
#if defined(VIA_LOCAL)
    local number part[ROWS * M][TOGETHER * COLUMNS * LANES];
#elif defined(SHARED_K)
    local number part[TOGETHER][ROWS * M][COLUMNS * LANES];
#endif
    c_part sum[ROWS][COLUMNS];
#ifdef TWO_SUMS
    c_part odd[ROWS][COLUMNS] = {0};
    enum { STEP = 2 * DEEP };
#else
    enum { STEP = DEEP };
#endif
#ifdef STAGED
    local a_element in_a[BUFFERS][GROUP * ROWS * M][IN_STEP];
    local b_word in_b[BUFFERS][8][WIDE];
#endif
#ifdef REGISTERS
    a_element next_a[GROUP * ROWS * M * IN_STEP / ITEMS];
    b_word next_b[8 * WIDE / ITEMS];
#endif
#ifdef BY_BOOL
    bool turn = false;
#endif
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int r = 0; r < M; r++)
#ifdef FROM_C
                ((private number *)&sum[i][j])[r] = zero * c[(row + i * M + r) * n + column + j * LANES + lane];
#else
                ((private number *)&sum[i][j])[r] = 0;
#endif
#ifdef AHEAD
    a_part x[BUFFERS][ROWS];
    b_part y[BUFFERS][COLUMNS];
    READ(x[0], y[0], 0)
#elif defined(REGISTERS)
    LOAD(0)
    STORE(0)
#elif defined(STAGED) && defined(TURNS)
    COPY(0, 0)
#endif
#ifdef NESTED
    for (INDEX block = 0; block < deep; block += 256)
        for (INDEX k = block; k < min(block + 256, deep); k += DEEP) {
#else
    for (INDEX k = FIRST; k < deep; k += ROUND) {
#endif
#ifndef AHEAD
        a_part x[ROWS];
        b_part y[COLUMNS];
#endif
#ifdef STAGED
        barrier(CLK_LOCAL_MEM_FENCE);
#if defined(REGISTERS)
        IF_NEXT(k) {
            LOAD(NEXT(k))
        }
#elif defined(TURNS)
        IF_NEXT(k) {
            COPY(NEXT_TURN(k), NEXT(k))
        }
#else
        COPY(0, k)
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        for (int i = 0; i < ROWS; i++)
            for (int r = 0; r < A_PARTS; r++)
                ((private a_element *)&x[i])[r] = in_a[TURN(k)][(get_sub_group_id() * ROWS + i) * M + A_ROW(r)][A_LANE];
        for (int j = 0; j < COLUMNS; j++)
            for (int w = 0; w < 8; w++)
                y[j][w] = in_b[TURN(k)][w][j * LANES + lane];
#elif defined(BLOCKS)
        for (int i = 0; i < ROWS; i++)
            READ_A((global void *)a, size.z * BYTES, size.x, deep * BYTES, (int2)(k, row + i * M), (private void *)&x[i]);
        for (int j = 0; j < COLUMNS; j++)
#ifdef B_ROWS
            READ_B_ROWS((global void *)b, size.y * BYTES, size.z, n * BYTES, (int2)(column + j * LANES, k), (private uint *)&y[j]);
#else
            intel_sub_group_2d_block_read_32b_8r16x1c((global void *)b, size.y * 4, (size.z + IN_WORD - 1) / IN_WORD, n * 4, (int2)(column + j * LANES, k / IN_WORD),
                                                      (private uint *)&y[j]);
#endif
#elif defined(AHEAD) && defined(TURNS)
        if (k + DEEP < deep) {
            READ(x[TURN(k + DEEP)], y[TURN(k + DEEP)], k + DEEP)
        }
#elif defined(AHEAD)
        a_part next_x[ROWS];
        b_part next_y[COLUMNS];
        IF_NEXT(k) {
            READ(next_x, next_y, NEXT(k))
        }
#else
        READ(x, y, k)
#endif
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                sum[i][j] = MAD(X_NOW[i], Y_NOW[j], sum[i][j]);
#ifdef TWO_SUMS
        READ(x, y, k + DEEP)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                odd[i][j] = MAD(x[i], y[j], odd[i][j]);
#endif
#if defined(REGISTERS) && defined(TURNS)
        STORE(NEXT_TURN(k))
#elif defined(REGISTERS)
        barrier(CLK_LOCAL_MEM_FENCE);
        STORE(0)
#endif
#ifdef BY_BOOL
        turn = !turn;
#endif
#if defined(AHEAD) && !defined(TURNS)
        for (int i = 0; i < ROWS; i++)
            x[0][i] = next_x[i];
        for (int j = 0; j < COLUMNS; j++)
            y[0][j] = next_y[j];
#endif
    }
#if defined(VIA_LOCAL) || defined(SHARED_K)
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int r = 0; r < M; r++)
#ifdef VIA_LOCAL
                part[i * M + r][(get_sub_group_id() * COLUMNS + j) * LANES + lane] = ((private number *)&sum[i][j])[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < ROWS * M * TOGETHER * COLUMNS * LANES; i += TOGETHER * LANES)
        c[(row + i / (TOGETHER * COLUMNS * LANES)) * n + get_group_id(0) * (TOGETHER * COLUMNS * LANES) + i % (TOGETHER * COLUMNS * LANES)] =
            part[i / (TOGETHER * COLUMNS * LANES)][i % (TOGETHER * COLUMNS * LANES)];
#else
                part[get_sub_group_id()][i * M + r][j * LANES + lane] = ((private number *)&sum[i][j])[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_sub_group_id(); i < ROWS * M; i += TOGETHER)
        for (int j = 0; j < COLUMNS; j++) {
            number value = 0;
            for (int s = 0; s < TOGETHER; s++)
                value += part[s][i][j * LANES + lane];
            c[(row + i) * n + B_COLUMN(j)] = value;
        }
#endif
#else
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
#ifdef TWO_SUMS
            sum[i][j] += odd[i][j];
#endif
#ifdef WRITES
            intel_sub_group_2d_block_write_32b_8r16x1c(c, size.y * 4, size.x, n * 4, (int2)(column + j * LANES, row + i * M), (private uint *)&sum[i][j]);
#else
            for (int r = 0; r < M; r++) {
                number value = ((private number *)&sum[i][j])[r];
#ifdef EPILOGUE
                float x = (float)value * scale + (float)(zero * (lane + j));
                value = (number)fmax(x, x * (1 + zero));
#endif
                if (INSIDE(row + i * M + r, size.x, B_COLUMN(j), size.y))
                    c[(row + i * M + r) * n + B_COLUMN(j)] = value;
            }
#endif
        }
#endif
#ifdef WALK
    }
#endif
}
