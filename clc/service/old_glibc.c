/* SPDX-License-Identifier: Apache-2.0
 * Two functions of glibc 2.35 and 2.36 that LLVM and libgcc would take from there, so that the compiler runs with glibc 2.34. */
#include <dlfcn.h>
#include <stdint.h>
#include <sys/random.h>

/* LLVM names temporary files by it. */
uint32_t arc4random(void);
uint32_t arc4random(void)
{
    uint32_t value = 0;
    while (getrandom(&value, sizeof value, 0) != sizeof value)
        ;
    return value;
}

/* libgcc unwinds the stack by it for C++ exceptions. The compiler is built without: one that a library throws ends it, found or not. */
int _dl_find_object(void *address, struct dl_find_object *result)
{
    (void)address;
    (void)result;
    return -1;
}
