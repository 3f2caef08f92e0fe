/* SPDX-License-Identifier: Apache-2.0
 * The table of the matrix functions: look-up by mangled name, and reference results for sub-groups. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tessera/matrix.h"

#define TSR__C_SIZE(ec) (TSR_ELEMENT_##ec == TSR_ELEMENT_BF16 || TSR_ELEMENT_##ec == TSR_ELEMENT_F16 ? 2 : 4)
/* A has m rows of 32 bytes. With a single row of tf32 half of the lanes have no element. */
#define TSR__A_SIZE(form, n, m)                                                                                                            \
    (TSR_MATRIX_##form == TSR_MATRIX_SPLIT ? 2 * m : TSR_MATRIX_##form == TSR_MATRIX_TF32 && m == 1 ? 4 : 32 * m / n)

/* clang-format off */
const struct tsr_matrix_builtin tsr_matrix_builtins[] = {
#define TSR_MATRIX(name, form, n, m, k, a, b, c, ea, eb, ec) \
    {#name, #a, #b, #c, TSR_MATRIX_##form, TSR_ELEMENT_##ea, TSR_ELEMENT_##eb, TSR_ELEMENT_##ec, \
     n, m, k, TSR__A_SIZE(form, n, m), 32, TSR__C_SIZE(ec) * m},
#include "tessera/matrix.def"
#undef TSR_MATRIX
};
/* clang-format on */
const size_t tsr_matrix_builtin_count = sizeof(tsr_matrix_builtins) / sizeof(tsr_matrix_builtins[0]);

/* ---- names ---- */

/* Appends the mangled form of a scalar or vector type. Vector types can be referred to again: `seen` lists those so far. */
static char *mangle_type(char *out, const char *type, const char **seen, unsigned *seen_count)
{
    static const struct {
        const char *name, *code;
    } scalars[] = {{"int", "i"}, {"uint", "j"}, {"short", "s"}, {"ushort", "t"}, {"float", "f"}, {"half", "Dh"}};
    size_t stem = strcspn(type, "0123456789");
    const char *code = "";

    for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
        if (strlen(scalars[i].name) == stem && memcmp(scalars[i].name, type, stem) == 0)
            code = scalars[i].code;
    if (type[stem] == 0)
        return out + sprintf(out, "%s", code);
    for (unsigned i = 0; i < *seen_count; i++)
        if (strcmp(seen[i], type) == 0)
            return out + (i == 0 ? sprintf(out, "S_") : sprintf(out, "S%u_", i - 1));
    seen[(*seen_count)++] = type;
    return out + sprintf(out, "Dv%s_%s", type + stem, code);
}

void tsr_matrix_mangle(const struct tsr_matrix_builtin *f, char out[TSR_MATRIX_TEXT])
{
    const char *seen[3];
    unsigned seen_count = 0;

    out += sprintf(out, "_Z%zu%s", strlen(f->name), f->name);
    out = mangle_type(out, f->a, seen, &seen_count);
    out = mangle_type(out, f->b, seen, &seen_count);
    mangle_type(out, f->c, seen, &seen_count);
}

void tsr_matrix_signature(const struct tsr_matrix_builtin *f, char out[TSR_MATRIX_TEXT])
{
    snprintf(out, TSR_MATRIX_TEXT, "%s(%s, %s, %s)", f->name, f->a, f->b, f->c);
}

const struct tsr_matrix_builtin *tsr_matrix_find(const char *mangled)
{
    char text[TSR_MATRIX_TEXT];
    char *name;

    if (strncmp(mangled, "_Z", 2) != 0)
        return NULL;
    unsigned long length = strtoul(mangled + 2, &name, 10);
    if (length > strlen(name) || strncmp(name, "intel_sub_group_", 16) != 0)
        return NULL;
    for (size_t i = 0; i < tsr_matrix_builtin_count; i++) {
        const struct tsr_matrix_builtin *f = &tsr_matrix_builtins[i];
        if (strlen(f->name) != length || memcmp(f->name, name, length) != 0)
            continue;
        tsr_matrix_mangle(f, text);
        if (strcmp(text, mangled) == 0)
            return f;
    }
    return NULL;
}

/* ---- reference ---- */

void tsr_matrix_reference(const struct tsr_matrix_builtin *f, unsigned lanes, const void *a, const void *b, const void *c, void *d)
{
    uint32_t slots[16 * 8] = {0}, words[8], column[8];

    memcpy(slots, a, (size_t)lanes * f->a_size);
    for (unsigned lane = 0; lane < lanes; lane++) {
        memcpy(words, (const char *)b + (size_t)lane * f->b_size, f->b_size);
        memcpy(column, (const char *)c + (size_t)lane * f->c_size, f->c_size);
        tsr_matrix_column(f->form, f->m, f->ea, f->eb, f->ec, slots, words, column);
        memcpy((char *)d + (size_t)lane * f->c_size, column, f->c_size);
    }
}
