// SPDX-License-Identifier: Apache-2.0
// kernel: part_in_loop
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -cl-opt-disable
// global: 40
// local: 20
// buffer: int 40 = -1
// buffer: uint 40 = -1
// buffer: uint 40 = i%5
// buffer: ushort 80 = 1000*i
// buffer: ushort 80 = i
// expect: 0 = ((i%5 > 0)*1000*i + (i%5 > 1)*1000*(i+1) + (i%5 > 2)*1000*(i+2) + (i%5 > 3)*1000*(i+3)) & 255
// expect: 1 = (i%5 > 0)*1000*i + (i%5 > 1)*1000*(i+1) + (i%5 > 2)*1000*(i+2) + (i%5 > 3)*1000*(i+3)

/* A loop that each work-item runs for itself changes a variable whose first byte is read alone: LLVM makes 24 bits of the rest. */
__attribute__((intel_reqd_sub_group_size(8))) kernel void part_in_loop(global int *out, global uint *variables, global const uint *count,
                                                                       global const ushort *in, global const ushort *other)
{
    uint i = get_global_id(0), variable = 0, n = count[i];
    uchar *byte = (uchar *)&variable;
    global const ushort *from = (n & 8 ? other : in) + i;
    for (uint c = 0; c < (rotate(n, n * 32) & 7); c++)
        variable += *from++;
    variables[i] = variable;
    out[i] = *byte;
}
