/* SPDX-License-Identifier: Apache-2.0
 * Conversions to 8- and 16-bit integers. */
#include "convert.h"

TO_INT(char, SCHAR_MIN, SCHAR_MAX, 0x1p7)
TO_INT(uchar, 0, UCHAR_MAX, 0x1p8)
TO_INT(short, SHRT_MIN, SHRT_MAX, 0x1p15)
TO_INT(ushort, 0, USHRT_MAX, 0x1p16)
