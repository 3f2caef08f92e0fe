// SPDX-License-Identifier: Apache-2.0
// kernel: records_alone
// global: 77
// local: 77
// local: 7
// local: 1
// buffer: int 231 = 0
// buffer: int 231 = i*3
// buffer: as 1
// buffer: int 1 = 1
// expect: 0 = (i%3==0)*(3*i+1)+(i%3==1)*6*i-(i%3==2)*6
// expect: 1 = (i%3==0)*(3*i+3)+(i%3==1)*3*i+(i%3==2)*(6*i-6)

/* Records of arguments that share no memory, and of two that do: there each field is read when its turn comes. */
typedef struct {
    int x, y, z;
} record;

kernel void records_alone(global record *out, global record *a, global record *same, global const int *yes)
{
    int i = get_global_id(0);
    out[i].x = a[i].x + 1;
    out[i].y = a[i].y * 2;
    out[i].z = a[i].x - a[i].z;
    if (*yes) {
        same[i].x = a[i].y;
        same[i].y = a[i].x;
        same[i].z = a[i].y + a[i].x;
    }
}
