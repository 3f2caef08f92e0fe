// SPDX-License-Identifier: Apache-2.0
// kernel: part_of_variable
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -cl-opt-disable
// global: 40
// local: 20
// buffer: int 40 = -1
// buffer: uint 40 = -1
// buffer: uint 40 = i%3*100
// expect: 0 = 4 + (i%3 != 0)*3 + (i%3 == 0)*i
// expect: 1 = 4 + 256*i

/* A variable and its first byte by way of an address that may be another one's: LLVM makes two variables of it, of which one has 24 bits. */
kernel void part_of_variable(global int *out, global uint *variables, global const uint *choice)
{
    uint i = get_global_id(0), variable = 4 + 256 * i;
    uchar other = i;
    uchar *byte = choice[i] ? (uchar *)&variable : &other;
    out[i] = *byte + 3 + (choice[i] == 0);
    variables[i] = variable;
}
