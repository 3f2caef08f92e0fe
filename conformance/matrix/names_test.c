/* SPDX-License-Identifier: Apache-2.0
 * The names that the table of the matrix functions computes are those that clang gives to the library's definitions: one to one.
 * usage: matrix_names FILE, with one symbol of the library on each line */
#include <stdio.h>
#include <string.h>

#include "tessera/matrix.h"

int main(int argc, char **argv)
{
    char line[512], mangled[TSR_MATRIX_TEXT];
    size_t found = 0;
    int unknown = 0;
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;

    if (!file) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 2;
    }
    while (fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = 0;
        if (!strstr(line, "intel_sub_group_"))
            continue;
        const struct tsr_matrix_builtin *f = tsr_matrix_find(line);
        if (f) {
            tsr_matrix_mangle(f, mangled);
            found += strcmp(mangled, line) == 0;
        } else {
            fprintf(stderr, "the table does not know %s\n", line);
            unknown++;
        }
    }
    fclose(file);
    printf("%zu of %zu functions\n", found, tsr_matrix_builtin_count);
    return unknown || found != tsr_matrix_builtin_count;
}
