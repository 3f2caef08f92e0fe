/* SPDX-License-Identifier: Apache-2.0
 * A limit on the time of a process with its descendants that a busy machine does not use up. */
#ifndef TESSERA_FUZZ_WATCH_H
#define TESSERA_FUZZ_WATCH_H

#include <sys/types.h>

/* Seconds that count: all in which every thread of the tree sleeps, and the CPU time of the others. Time in which a thread waits for a CPU
 * does not count. */
struct fuzz_limits {
    unsigned step, whole;
};

/* Waits for `child`, a child of this process, and returns its status as waitpid() gives it. *steps is in memory that both share; the child
 * counts it up at the end of each step. A tree above a limit is told of on standard error, thread by thread, and killed. */
int fuzz_watch(pid_t child, const volatile unsigned *steps, struct fuzz_limits limits);

#endif
