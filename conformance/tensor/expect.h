/* SPDX-License-Identifier: Apache-2.0
 * What is expected of a program: a failure is printed and counted, and the test goes on. */
#ifndef TESSERA_CONFORMANCE_TENSOR_EXPECT_H
#define TESSERA_CONFORMANCE_TENSOR_EXPECT_H

#include <stdio.h>

static int failures;

#define EXPECT(condition)                                                                                                                  \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                                      \
            failures++;                                                                                                                    \
        }                                                                                                                                  \
    } while (0)

#endif
