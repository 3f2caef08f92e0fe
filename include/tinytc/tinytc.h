/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TINYTC_TINYTC_H
#define TINYTC_TINYTC_H

#include "tinytc/builder.h"
#include "tinytc/core.h"
#include "tinytc/types.h"

#endif
