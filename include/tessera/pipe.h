/* SPDX-License-Identifier: Apache-2.0
 * A pipe as a kernel sees it: its argument is the address of a struct tsr_pipe, behind which the packets lie. icd/ makes it when the pipe
 * is made, the functions of builtins/pipe.cl work on it. For C and for OpenCL C. */
#ifndef TESSERA_PIPE_H
#define TESSERA_PIPE_H

#ifdef __OPENCL_C_VERSION__
typedef ulong tsr_pipe_u64;
typedef uint tsr_pipe_u32;
#else
#include <stdint.h>
typedef uint64_t tsr_pipe_u64;
typedef uint32_t tsr_pipe_u32;
#endif

/* The packets are a ring. Number n, counted from the first one that was ever reserved, lies in slot n % max_packets in lap n / max_packets.
 * The state of a slot says what may be done with it: 2 * lap: it can be written; 2 * lap + 1: it can be read. So writers and readers need
 * no lock, and packets come out in the order in which they were reserved, whoever commits first. What several threads write lies in cache
 * lines of its own. Of zeros, but for the first three, it is an empty pipe. */
struct tsr_pipe {
    tsr_pipe_u32 packet_bytes, max_packets;
    tsr_pipe_u64 packets; /* bytes from here to the first packet */
    tsr_pipe_u64 line[6];
    tsr_pipe_u64 written; /* packets that were ever reserved for writing */
    tsr_pipe_u64 line_2[7];
    tsr_pipe_u64 read; /* … for reading */
    tsr_pipe_u64 line_3[7];
    tsr_pipe_u32 waiting; /* packets that are written, and not yet reserved for reading */
    tsr_pipe_u32 line_4[15];
    tsr_pipe_u32 state[]; /* of each slot, modulo 2^32 */
};

/* Limits of every device that has pipes. */
enum {
    TSR_PIPE_PACKET = 1024, /* CL_DEVICE_PIPE_MAX_PACKET_SIZE, bytes */
    TSR_PIPE_ARGS = 16,     /* CL_DEVICE_MAX_PIPE_ARGS */
    /* CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS: a reservation takes no memory, so only its packets limit their number. */
    TSR_PIPE_RESERVATIONS = 1024,
};

#endif
