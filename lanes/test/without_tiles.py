#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels with products that no loop of the device makes have the code that they have without tiles: what passes do for tiles is undone.
without_tiles.py TESSERA-CC"""
import os
import subprocess
import sys
import tempfile

HEAD = """__attribute__((intel_reqd_sub_group_size(16)))
kernel void k(global const %s *a, global const int *b, global %s *c, int m, int n, int deep, int wide)
{
    int lane = get_sub_group_local_id(), row = get_group_id(1) * 8, column = get_group_id(0) * 16 + lane;
"""
BYTES = HEAD % ("short", "int")
PRODUCT = "sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);"
LOAD_B = "for (int i = 0; i < 8; i++) y[i] = b[(k / 4 + i) * n + column];"
STORE = "for (int i = 0; i < 8; i++) c[(row + i) * n + column] = sum[i];"

# Name, source, and whether the device makes the loop.
KERNELS = [
    ("plain", BYTES + f"""
    int8 sum = 0;
    for (int k = 0; k < deep; k += 32) {{
        short8 x; int8 y;
        for (int i = 0; i < 8; i++) x[i] = a[(row + i) * (deep / 2) + k / 2 + lane];
        {LOAD_B} {PRODUCT}
    }}
    {STORE}
}}""", True),
    ("window with edges", BYTES + f"""
    int8 sum = 0;
    for (int k = 0; k < 9 * deep; k += 32) {{
        int part = k / deep, in_part = k % deep, down = part / 3 - 1, right = part % 3 - 1;
        short8 x; int8 y;
        for (int i = 0; i < 8; i++) {{
            int at_x = (row + i) % wide + right, at_y = (row + i) / wide + down;
            bool inside = at_x >= 0 && at_x < wide && at_y >= 0 && at_y < m;
            x[i] = inside ? a[(at_y * wide + at_x) * (deep / 2) + in_part / 2 + lane] : 0;
        }}
        {LOAD_B} {PRODUCT}
    }}
    {STORE}
}}""", True),
    ("window with edges, in loops around", BYTES + f"""
    int8 sum = 0;
    for (int part = 0; part < 9; part++)
        for (int k = 0; k < deep; k += 32) {{
            int down = part / 3 - 1, right = part % 3 - 1;
            short8 x; int8 y;
            for (int i = 0; i < 8; i++) {{
                int at_x = (row + i) % wide + right, at_y = (row + i) / wide + down;
                bool inside = at_x >= 0 && at_x < wide && at_y >= 0 && at_y < m;
                x[i] = inside ? a[(at_y * wide + at_x) * (deep / 2) + k / 2 + lane] : 0;
            }}
            for (int i = 0; i < 8; i++) y[i] = b[((part * deep + k) / 4 + i) * n + column];
            {PRODUCT}
        }}
    {STORE}
}}""", False),
    ("tiles in a loop, with an activation", BYTES.replace("row = get_group_id(1) * 8, column = get_group_id(0) * 16 + lane", "tiles = m / 8 * (n / 16)") + f"""
    for (int tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {{
        int row = tile / (n / 16) * 8, column = tile % (n / 16) * 16 + lane;
        int8 sum = 0;
        for (int k = 0; k < deep; k += 32) {{
            short8 x; int8 y;
            for (int i = 0; i < 8; i++) x[i] = a[(row + i) * (deep / 2) + k / 2 + lane];
            {LOAD_B} {PRODUCT}
        }}
        for (int i = 0; i < 8; i++) c[(row + i) * n + column] = max(sum[i] * wide, 0);
    }}
}}""", False),
]


def code_of(compiler, folder, source, tiles):
    path = os.path.join(folder, "k.cl")
    made = os.path.join(folder, "k.so")
    with open(path, "w", encoding="ascii") as file:
        file.write(source)
    subprocess.run([compiler, "--code", "-c", path, "-o", made], check=True, env={**os.environ, "TESSERA_TILES": tiles})
    with open(made, "rb") as file:
        return file.read()


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, source, is_made in KERNELS:
            same = code_of(sys.argv[1], folder, source, "vectors") == code_of(sys.argv[1], folder, source, "none")
            if same == is_made:
                failed += 1
                print(f"{name}: the code with tiles is {'the same as' if same else 'another than'} that without")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
