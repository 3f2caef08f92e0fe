/* SPDX-License-Identifier: Apache-2.0
 * Texts of status codes. */
#include "tessera/base.h"

const char *tsr_status_text(enum tsr_status status)
{
    static const char *const texts[] = {
#define TSR_STATUS(name, text) text,
#include "tessera/status.def"
#undef TSR_STATUS
    };
    return (unsigned)status < TSR_ARRAY_LEN(texts) ? texts[status] : "unknown status";
}
