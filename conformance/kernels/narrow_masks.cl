// SPDX-License-Identifier: Apache-2.0
// kernel: narrow
// global: 77
// local: 77
// local: 11
// local: 1
// edge-buffer: uchar 77 = (i*31)&255
// edge-buffer: uchar 77 = 9
// edge-buffer: ushort 77 = i*500
// edge-buffer: ushort 77 = 7
// edge-buffer: ushort 77 = 3
// edge-buffer: uchar 231 = i&255
// edge-buffer: uint 77 = 2415919104+(i*7)%77
// edge-buffer: float 77 = i*3
// buffer: float 77 = 0
// expect: 1 = (((i*31)&1)==1)*((((i*31)&255)+(((76-i)*31)&255))&255)+(((i*31)&1)==0)*9
// expect: 3 = (((i*31)%77%3)>0)*((((i*31)%77*11)%77)*500)+(((i*31)%77%3)==0)*7
// expect: 4 = ((((76-i)*31)&255)>100)*((76-i)*500)+((((76-i)*31)&255)<101)*3
// expect: 5 = (i/3%4==1)*((i%3==0)*((i+2)&255)+(i%3==1)*(i&255))+(i/3%4!=1)*(i&255)
// expect: 8 = ((i*7)%77)*3+(i&1)*(((i>2)*(i-3)*31)&255)

/* Bytes and 16-bit numbers of some lanes only: side by side, backwards, in records, anywhere; and indices of 32 bits that are no int. */
kernel void narrow(global const uchar *a, global uchar *bytes, global const ushort *b, global ushort *anywhere, global ushort *backwards,
                   global uchar *pixels, global const uint *index, global const float *f, global float *found)
{
    size_t i = get_global_id(0);
    if (a[i] & 1)
        bytes[i] = a[i] + a[76 - i];
    if (i % 3)
        anywhere[i * 5 % 77] = b[i * 11 % 77];
    if (a[i] > 100)
        backwards[76 - i] = b[i];
    if (i % 4 == 1) {
        pixels[3 * i] = pixels[3 * i + 2];
        pixels[3 * i + 2] = 0;
    }
    global const float *far = (global const float *)((ulong)f - 4 * 2415919104ul);
    found[i] = far[index[i]];
    if (i & 1)
        found[i] += a[clamp((int)i - 3, 0, 76)];
}
