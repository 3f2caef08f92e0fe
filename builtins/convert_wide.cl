/* SPDX-License-Identifier: Apache-2.0
 * Conversions to 32- and 64-bit integers. */
#include "convert.h"

TO_INT(int, INT_MIN, INT_MAX, 0x1p31)
TO_INT(uint, 0, UINT_MAX, 0x1p32)
TO_INT(long, LONG_MIN, LONG_MAX, 0x1p63)
TO_INT(ulong, 0, ULONG_MAX, 0x1p64)
