/* SPDX-License-Identifier: Apache-2.0
 * The start of every fuzzer: `--seeds FOLDER` writes its seeds and ends, so that no corpus has to be kept. */
#include "fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

static int write_seeds(const char *folder)
{
    for (unsigned i = 0;; i++) {
        struct tsr_buf seed = {0};
        if (!fuzz_seed(i, &seed)) {
            tsr_buf_free(&seed);
            return 0;
        }
        char *path = tsr_format("%s/seed-%u", folder, i);
        enum tsr_status status = seed.failed || !path ? TSR_NO_MEMORY : tsr_file_write_atomic(path, seed.data, seed.size);
        tsr_free(path);
        tsr_buf_free(&seed);
        if (status != TSR_OK) {
            fprintf(stderr, "%s: %s\n", folder, tsr_status_text(status));
            return 1;
        }
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    if (*argc == 3 && !strcmp((*argv)[1], "--seeds"))
        exit(write_seeds((*argv)[2]));
    fuzz_begin();
    return 0;
}
