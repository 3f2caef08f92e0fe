/* SPDX-License-Identifier: Apache-2.0
 * Shapes of kernels that programs of others have, as different people would write them. All have the same arguments: buffers of floats, or of
 * `int` or `uint` where a row of shapes.def says so, two numbers, and local memory if they need some. */
#define ARGS(T) global T *a, global T *b, global T *c, int n, int m

/* ---- few work-items in x: sums of what lies before ---- */
kernel void prefix_memory(ARGS(uint))
{
    int x = get_global_id(0), y = get_global_id(1);
    int at = y * n + x;
    c[at] = 0;
    if (x > 0)
        for (int k = 0; k < x; k++)
            c[at] += a[y * n + k];
    if (x == n - 1)
        b[y] = c[at] + a[y * n + n - 1];
}

kernel void prefix_register(ARGS(uint))
{
    size_t x = get_global_id(0), y = get_global_id(1);
    uint sum = 0;
    for (size_t k = 0; k < x; k++)
        sum += a[y * get_global_size(0) + k];
    c[y * get_global_size(0) + x] = sum;
}

kernel void add_column(ARGS(float))
{
    int at = get_global_id(1) * n + get_global_id(0);
    c[at] = a[at] + b[get_global_id(1)];
}

/* ---- steps of elimination: most work-items have nothing to do ---- */
kernel void factors(ARGS(float))
{
    int row = get_global_id(0);
    if (row < n - 1 - m)
        b[n * (row + m + 1) + m] = a[n * (row + m + 1) + m] / (a[n * m + m] + 1);
}

kernel void eliminate_down(ARGS(float))
{
    int row = get_global_id(0), column = get_global_id(1);
    if (row < n - 1 - m && column < n - m) {
        a[n * (row + 1 + m) + column + m] -= b[n * (row + 1 + m) + m] * a[n * m + column + m] * 1e-6f;
        if (column == 0)
            c[row + 1 + m] -= b[n * (row + 1 + m) + m] * c[m] * 1e-6f;
    }
}

kernel void eliminate_across(ARGS(float))
{
    int row = get_global_id(1), column = get_global_id(0);
    if (row <= m || column < m)
        return;
    a[row * n + column] -= b[row * n + m] * a[m * n + column] * 1e-6f;
}

kernel void eliminate_skip(ARGS(float))
{
    size_t i = get_global_id(0) + m + 1, j = get_global_id(1) + m;
    if (i >= n || j >= n)
        return;
    a[i * n + j] = a[i * n + j] - b[i * n + m] * a[m * n + j] * 1e-6f;
}

/* ---- small groups in two dimensions with a column in local memory ---- */
kernel void lu_row(ARGS(float), local float *t)
{
    int x = get_global_id(0), y = get_global_id(1), l = get_local_id(1);
    if (get_local_id(0) == 0)
        t[l] = a[y * n + m] / (a[m * n + m] + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y > m && x >= m)
        c[y * n + x] = a[y * n + x] - t[l] * a[m * n + x];
}

kernel void lu_row4(global float4 *a, global float4 *b, global float4 *c, int n, int m, local float *t)
{
    int x = get_global_id(0), y = get_global_id(1), l = get_local_id(1), width = n / 4, part = m % 4;
    if (get_local_id(0) == 0) {
        float4 head = a[y * width + m / 4], top = a[m * width + m / 4];
        t[l] = part == 0 ? head.x / top.x : part == 1 ? head.y / top.y : part == 2 ? head.z / top.z : head.w / top.w;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y > m && (x + 1) * 4 > m)
        c[y * width + x] = a[y * width + x] - t[l] * a[m * width + x];
}

/* ---- products of small tiles, groups of n x n ---- */
kernel void cosine(ARGS(float), local float *t)
{
    uint i = get_local_id(0), j = get_local_id(1), width = get_global_size(0), w = n;
    float sum = 0;
    for (uint k = 0; k < w; k++) {
        uint at = m ? i * w + k : k * w + i;
        sum += b[at] * a[(get_group_id(1) * w + k) * width + get_group_id(0) * w + j];
    }
    t[j * w + i] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (uint k = 0; k < w; k++) {
        uint at = m ? j * w + k : k * w + j;
        sum += t[i * w + k] * b[at];
    }
    c[get_global_id(1) * width + get_global_id(0)] = sum;
}

kernel void cosine_fixed(ARGS(float))
{
    local float tile[8][8], rows[8][8];
    int x = get_local_id(0), y = get_local_id(1), at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    tile[y][x] = a[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += tile[y][k] * b[k * 8 + x];
    rows[y][x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (int k = 0; k < 8; k++)
        sum += b[k * 8 + y] * rows[k][x];
    c[at] = sum;
}

/* ---- levels in local memory ---- */
kernel void haar(ARGS(float), local float *t)
{
    size_t l = get_local_id(0), size = get_local_size(0), group = get_group_id(0);
    t[l] = a[group * size * 2 + l];
    t[size + l] = a[group * size * 2 + size + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint active = size, middle = n / 2;
    for (int level = 0; level < m; level++) {
        float even, odd;
        if (l < active) {
            even = t[2 * l];
            odd = t[2 * l + 1];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < active) {
            t[l] = (even + odd) * 0.70710678f;
            c[middle + group * active + l] = (even - odd) * 0.70710678f;
            middle >>= 1;
        }
        active >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        b[group] = t[0];
}

/* ---- a graph ---- */
kernel void frontier_warp(ARGS(uint))
{
    int id = get_global_id(0), offset = id % 32, first = id / 32 * 32;
    int end = min(first + 32, n);
    for (int v = first; v < end; v++)
        if (a[v] % 16 == m)
            for (uint k = b[v] % 64 + offset; k < b[v] % 64 + 8; k += 32)
                c[k] = m + 1;
}

kernel void sparse(global float *a, global uint *b, global float *c, int n, int m)
{
    int row = get_global_id(0);
    if (row < n) {
        float sum = 0;
        for (int k = row * m; k < (row + 1) * m; k++)
            sum += a[k] * a[b[k] % 4096];
        c[row] = sum;
    }
}

/* ---- lanes along rows of their own ---- */
kernel void product_of_rows(ARGS(float))
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < n && y < n) {
        c[y * n + x] *= 0.5f;
        for (int k = 0; k < m; k++)
            c[y * n + x] += 2.0f * a[y * m + k] * a[x * m + k];
    }
}

kernel void product_of_rows_register(ARGS(float))
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < m; k++)
        sum += a[y * m + k] * a[x * m + k];
    c[y * n + x] = sum;
}

/* Rows of n, with each way of counting. */
kernel void row_dot(ARGS(float))
{
    int row = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k];
    c[row] = sum;
}

kernel void row_dot_unsigned(global const float *a, global const float *b, global float *c, uint n, uint m)
{
    uint row = get_global_id(0);
    float sum = 0;
    for (uint k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k];
    c[row] = sum;
}

kernel void row_dot_pointers(global const float *a, global const float *b, global float *c, uint n, uint m)
{
    global const float *p = a + get_global_id(0) * n, *end = p + n;
    float sum = 0;
    while (p < end)
        sum += *p++ * *b++;
    c[get_global_id(0)] = sum;
}

kernel void row_dot_range(ARGS(float))
{
    size_t row = get_global_id(0);
    for (size_t k = row * n; k < (row + 1) * n; k++)
        c[row] += a[k] * b[k - row * n];
}

kernel void row_distance(global const int *a, global const int *b, global int *c, int n, int m)
{
    int row = get_global_id(0), other = get_global_id(1), sum = 0;
    for (int k = 0; k < n; k++)
        sum += abs(a[row * n + k] - b[other * n + k]);
    c[other * get_global_size(0) + row] = sum;
}

kernel void row_scale(ARGS(float))
{
    int row = get_global_id(0);
    float most = a[row * n];
    for (int k = 1; k < n; k++)
        most = fmax(most, a[row * n + k]);
    for (int k = 0; k < n; k++)
        c[row * n + k] = a[row * n + k] / most;
}

kernel void quotient(ARGS(float))
{
    int x = get_global_id(0);
    if (x < n)
        c[(m - 1) * n + x] = c[(m - 1) * n + x] / a[(m - 1) * n + x];
}

/* ---- sums of neighbours n apart that end early ---- */
kernel void sums_apart(global uint4 *a, global uint4 *b, global uint4 *c, int n, int m)
{
    int x = get_global_id(0), y = get_global_id(1), at = y * get_global_size(0) + x;
    uint4 sum = 0;
    for (int k = 0; k < n; k++) {
        if (x - k * m < 0) {
            c[at] = sum;
            return;
        }
        sum += a[at - k * m];
    }
    c[at] = sum;
}

/* ---- neighbours by tables of indices ---- */
kernel void neighbours(global float *a, global int *b, global float *c, int n, int m)
{
    int i = get_group_id(0) * 256 + get_local_id(0);
    int row = (i + 1) % n - 1, column = (i + 1) / n;
    if ((i + 1) % n == 0) {
        row = n - 1;
        column--;
    }
    if (i < n * m)
        c[i] += 0.25f * (a[i] * 2 + a[b[row] % n + n * column] + a[row + n * (b[column] % m)]);
}

/* ---- by people who did not know the project ---- */
kernel void transposed(ARGS(float))
{
    int x = get_global_id(0), y = get_global_id(1);
    c[x * m + y] = a[y * n + x];
}

/* Groups of one, each with a private table. */
kernel void private_histogram(ARGS(uint))
{
    int id = get_global_id(0);
    uint bins[256];
    for (int i = 0; i < 256; i++)
        bins[i] = 0;
    for (int k = 0; k < n; k++)
        bins[a[id * n + k] % 256]++;
    for (int i = 0; i < 256; i++)
        if (bins[i])
            atomic_add(&c[i], bins[i]);
}

kernel void row_count(ARGS(uint))
{
    int row = get_global_id(0);
    uint count = 0;
    for (int k = 0; k < n; k++)
        if (a[row * n + k] == m)
            count++;
    c[row] = count;
}

kernel void row_plus(ARGS(float))
{
    int first = get_global_id(0) * n;
    for (int k = first; k < first + n; k++)
        c[k] = a[k] + 1;
}

/* Every sixteenth node has edges to go along; few places have not been reached. */
kernel void frontier(ARGS(uint))
{
    int node = get_global_id(0);
    if (a[node] % 16 == m)
        for (uint k = b[node] % 64; k < b[node] % 64 + 8; k++) {
            uint to = (a[node] * 97 + k * 61) % n;
            if (c[to] > m)
                c[to] = m + 1;
        }
}

kernel void insert(ARGS(uint))
{
    uint key = get_global_id(0) * 2654435761u | 1, at = key >> 12 & (n - 1);
    for (int i = 0; i < 64; i++) {
        uint old = a[at] % 4 ? 0 : c[at];
        if (old && atomic_cmpxchg(&c[at], old, key % 1024 + 1) == old)
            return;
        at = (at + 1) & (n - 1);
    }
}
