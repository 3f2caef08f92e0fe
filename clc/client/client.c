/* SPDX-License-Identifier: Apache-2.0
 * The compiler as the driver calls it: a request, and where a compiler process died of it, which kernel it died of. */
#include "client.h"

void tsr_clc_run(const struct tsr_clc_request *request, struct tsr_clc_result *result)
{
    tsr__request_run(request, result);
    if (result->outcome == TSR_CLC_DIED)
        tsr__blame(request, result);
    if (result->log && tsr_clc_explain())
        tsr_log_text(result->log);
}
