/* SPDX-License-Identifier: Apache-2.0
 * Every function of the table that fake_loader.c does not define: it refuses. Without the headers, as these declare them with their types.
 */

enum { UNSUPPORTED_FEATURE = 0x78000003 };

#ifdef LACKING /* no zeMemFree */
#define zeMemFree not_zeMemFree
#endif
#define TSR_ZE(Name) STUB(ze##Name)
#define TSR_ZE_NEWER(Name, type)
#define STUB(name) STUB_(name)
#define STUB_(name)                                                                                                                        \
    __attribute__((weak)) int name(void);                                                                                                  \
    __attribute__((weak)) int name(void)                                                                                                   \
    {                                                                                                                                      \
        return UNSUPPORTED_FEATURE;                                                                                                        \
    }
#include "device-xmx/level_zero.def"
