/* SPDX-License-Identifier: Apache-2.0
 * Types and attributes. */
#include "tensor/parser.h"

#include <string.h>

enum { MOST_ENTRIES = 1000, MOST_ROWS = 1024 };

/* ---- types ---- */

static struct tsr__t_type *new_type(struct tsr__t_parser *ps, enum tsr__t_kind kind)
{
    struct tsr__t_type *type = tsr__t_alloc(ps->p, sizeof *type);
    type->kind = kind;
    return type;
}

const struct tsr__t_type *tsr__t_bool_type(struct tsr__t_parser *ps)
{
    return new_type(ps, TSR__T_BOOL);
}

const struct tsr__t_type *tsr__t_number_type(struct tsr__t_parser *ps, enum tsr__t_number number)
{
    struct tsr__t_type *type = new_type(ps, TSR__T_NUMBER);
    type->number = number;
    return type;
}

static enum tsr__t_number read_number(struct tsr__t_parser *ps)
{
    if (ps->token.kind != TSR__T_TYPE_NAME)
        tsr__t_unexpected(ps, "scalar type");
    enum tsr__t_number number = (enum tsr__t_number)ps->token.op;
    tsr__t_advance(ps);
    return number;
}

static uint32_t read_sizes(struct tsr__t_parser *ps, int64_t **sizes)
{
    uint32_t count = 0;
    while (tsr__t_accept(ps, "x")) {
        *(int64_t *)tsr__t_grow(ps, sizes, count, sizeof **sizes) = tsr__t_expect_size(ps);
        count++;
    }
    return count;
}

static void read_layout(struct tsr__t_parser *ps, struct tsr__t_type *type, struct tsr_tensor_range from)
{
    uint32_t count = 0;
    int64_t *stride = NULL;
    tsr__t_expect(ps, "<");
    if (!tsr__t_is(ps, ">")) {
        do {
            *(int64_t *)tsr__t_grow(ps, &stride, count, sizeof *stride) = tsr__t_expect_size(ps);
            count++;
        } while (tsr__t_accept(ps, ","));
    }
    tsr__t_expect(ps, ">");
    if (count == type->order && count)
        memcpy(type->stride, stride, count * sizeof *stride);
    else if (count != type->order)
        tsr__t_error(ps->p, tsr__t_since(ps, from), "Shape and stride list must have the same length");
}

/* The first fault, if any: sizes and strides that are negative, a number of elements or a distance that does not fit, and strides that are
 * no layout by columns. */
static void check_memref(struct tsr__t_parser *ps, const struct tsr__t_type *type, struct tsr_tensor_range at)
{
    for (uint32_t i = 0; i < type->order; i++) {
        if ((type->shape[i] < 0 && type->shape[i] != TSR__T_DYNAMIC) || (type->stride[i] < 0 && type->stride[i] != TSR__T_DYNAMIC)) {
            tsr__t_error(ps->p, at, "Invalid shape: sizes and strides must not be negative");
            return;
        }
    }
    int64_t elements = 1;
    for (uint32_t i = 0; i < type->order; i++) {
        if (tsr__t_overflows(elements, type->shape[i]) || tsr__t_overflows(type->stride[i], type->shape[i])) {
            tsr__t_error(ps->p, at, "Invalid shape: the memref is too large");
            return;
        }
        elements = tsr__t_product(elements, type->shape[i]);
    }
    for (uint32_t i = 0; i < type->order; i++) {
        int64_t least = i ? tsr__t_product(type->stride[i - 1], type->shape[i - 1]) : 1;
        if (type->stride[i] != TSR__T_DYNAMIC && least != TSR__T_DYNAMIC && type->stride[i] < least) {
            tsr__t_error(ps->p, at, "Invalid stride: the stride of mode %u must be at least %lld, but is %lld", i, (long long)least,
                         (long long)type->stride[i]);
            return;
        }
    }
}

static struct tsr__t_type *read_memref(struct tsr__t_parser *ps)
{
    struct tsr_tensor_range from = ps->token.at;
    struct tsr__t_type *type = new_type(ps, TSR__T_MEMREF);
    tsr__t_expect(ps, "memref");
    tsr__t_expect(ps, "<");
    type->number = read_number(ps);
    type->order = read_sizes(ps, &type->shape);
    type->stride = tsr__t_alloc(ps->p, (type->order + 1) * sizeof *type->stride);
    type->stride[0] = 1;
    tsr__t_packed(type->shape, type->stride, type->order);
    bool layout = false;
    while (tsr__t_accept(ps, ",")) {
        if (!layout && !type->has_space && tsr__t_accept(ps, "strided")) {
            layout = true;
            read_layout(ps, type, from);
        } else if (!type->has_space && (tsr__t_is(ps, "local") || tsr__t_is(ps, "global"))) {
            type->local = tsr__t_is(ps, "local");
            type->has_space = true;
            tsr__t_advance(ps);
        } else {
            tsr__t_unexpected(ps, layout ? "'global' or 'local'" : "'strided', 'global' or 'local'");
        }
    }
    tsr__t_expect(ps, ">");
    check_memref(ps, type, tsr__t_since(ps, from));
    return type;
}

/* The memref of a group. */
static struct tsr__t_type *read_member(struct tsr__t_parser *ps)
{
    const struct tsr__t_definition *definition = tsr__t_definition(ps);
    if (!definition || !definition->type || definition->type->kind != TSR__T_MEMREF)
        return read_memref(ps);
    struct tsr__t_type *type = new_type(ps, TSR__T_MEMREF);
    *type = *definition->type;
    tsr__t_advance(ps);
    return type;
}

static const struct tsr__t_type *read_group(struct tsr__t_parser *ps)
{
    struct tsr_tensor_range from = ps->token.at;
    struct tsr__t_type *type = new_type(ps, TSR__T_GROUP);
    tsr__t_expect(ps, "group");
    tsr__t_expect(ps, "<");
    type->memref = read_member(ps);
    type->number = type->memref->number;
    tsr__t_expect(ps, "x");
    type->size = tsr__t_expect_size(ps);
    if (tsr__t_accept(ps, ",")) {
        tsr__t_expect(ps, "offset");
        tsr__t_expect(ps, ":");
        type->offset = tsr__t_expect_size(ps);
    }
    tsr__t_expect(ps, ">");
    if (type->size < 0 && type->size != TSR__T_DYNAMIC)
        tsr__t_error(ps->p, tsr__t_since(ps, from), "Invalid shape: the size of a group must not be negative");
    if (type->offset < 0 && type->offset != TSR__T_DYNAMIC)
        tsr__t_error(ps->p, tsr__t_since(ps, from), "Offset must be non-negative or dynamic");
    return type;
}

static const struct tsr__t_type *read_coop(struct tsr__t_parser *ps)
{
    struct tsr_tensor_range from = ps->token.at;
    struct tsr__t_type *type = new_type(ps, TSR__T_COOP);
    tsr__t_expect(ps, "coopmatrix");
    tsr__t_expect(ps, "<");
    type->number = read_number(ps);
    tsr__t_expect(ps, "x");
    type->rows = tsr__t_expect_size(ps);
    tsr__t_expect(ps, "x");
    type->cols = tsr__t_expect_size(ps);
    tsr__t_expect(ps, ",");
    unsigned use = 0;
    while (use < TSR__T_USES && !tsr__t_accept(ps, tsr__t_use_names[use]))
        use++;
    if (use == TSR__T_USES)
        tsr__t_unexpected(ps, "'matrix_a', 'matrix_b' or 'matrix_acc'");
    type->use = (enum tsr__t_use)use;
    tsr__t_expect(ps, ">");
    if (type->rows <= 0 || type->cols <= 0)
        tsr__t_error(ps->p, tsr__t_since(ps, from), "Invalid shape: rows and columns must be positive");
    else if (type->rows > MOST_ROWS || type->cols > MOST_ROWS)
        tsr__t_error(ps->p, tsr__t_since(ps, from), "Invalid shape: a cooperative matrix has %d rows and columns at most", MOST_ROWS);
    return type;
}

const struct tsr__t_type *tsr__t_read_type(struct tsr__t_parser *ps)
{
    if (tsr__t_accept(ps, "bool"))
        return tsr__t_bool_type(ps);
    if (ps->token.kind == TSR__T_TYPE_NAME)
        return tsr__t_number_type(ps, read_number(ps));
    if (tsr__t_is(ps, "memref"))
        return read_memref(ps);
    if (tsr__t_is(ps, "group"))
        return read_group(ps);
    if (tsr__t_is(ps, "coopmatrix"))
        return read_coop(ps);
    const struct tsr__t_definition *definition = tsr__t_definition(ps);
    if (definition && definition->type) {
        tsr__t_advance(ps);
        return definition->type;
    }
    tsr__t_unexpected(ps, "type");
}

/* ---- attributes ---- */

static void read_name(struct tsr__t_parser *ps, const char **name, bool *quoted)
{
    static const char *const known[] = {"alignment", "shape_gcd", "stride_gcd", "subgroup_size", "unroll", "work_group_size"};
    *quoted = ps->token.kind == TSR__T_STRING;
    bool is_name = *quoted;
    for (size_t i = 0; i < TSR_ARRAY_LEN(known); i++)
        is_name |= tsr__t_is(ps, known[i]);
    if (!is_name)
        tsr__t_unexpected(ps, "attribute name");
    *name = ps->token.word;
    for (size_t i = 0; i < TSR_ARRAY_LEN(known); i++)
        *quoted &= strcmp(*name, known[i]) != 0;
    tsr__t_advance(ps);
}

static struct tsr__t_attr *read_dictionary(struct tsr__t_parser *ps)
{
    struct tsr__t_attr *dict = tsr__t_alloc(ps->p, sizeof *dict), **last = &dict->first;
    dict->kind = TSR__T_ATTR_DICT;
    tsr__t_expect(ps, "{");
    if (tsr__t_accept(ps, "}"))
        return dict;
    do {
        const char *name;
        bool quoted;
        struct tsr_tensor_range at = ps->token.at;
        read_name(ps, &name, &quoted);
        tsr__t_expect(ps, "=");
        if (tsr__t_attr(dict, name))
            tsr__t_error(ps->p, at, "Duplicate key in dictionary: %s", name);
        *last = tsr__t_read_attribute(ps);
        (*last)->name = name;
        (*last)->quoted = quoted;
        last = &(*last)->next;
        if (++dict->count == MOST_ENTRIES)
            tsr__t_stop(ps->p, at, "A dictionary of more than %d entries", MOST_ENTRIES);
    } while (tsr__t_accept(ps, ","));
    tsr__t_expect(ps, "}");
    return dict;
}

static struct tsr__t_attr *read_array(struct tsr__t_parser *ps)
{
    struct tsr__t_attr *array = tsr__t_alloc(ps->p, sizeof *array), **last = &array->first;
    array->kind = TSR__T_ATTR_ARRAY;
    tsr__t_expect(ps, "[");
    if (tsr__t_accept(ps, "]"))
        return array;
    do {
        *last = tsr__t_read_attribute(ps);
        last = &(*last)->next;
        array->count++;
    } while (tsr__t_accept(ps, ","));
    tsr__t_expect(ps, "]");
    return array;
}

struct tsr__t_attr *tsr__t_read_attribute(struct tsr__t_parser *ps)
{
    struct tsr__t_attr *attribute;
    const struct tsr__t_definition *definition = tsr__t_definition(ps);
    tsr__t_deeper(ps);
    if (definition && definition->attribute) { /* a copy, as it may be in several lists */
        attribute = tsr__t_alloc(ps->p, sizeof *attribute);
        *attribute = *definition->attribute;
        tsr__t_advance(ps);
    } else if (tsr__t_is(ps, "{")) {
        attribute = read_dictionary(ps);
    } else if (tsr__t_is(ps, "[")) {
        attribute = read_array(ps);
    } else {
        attribute = tsr__t_alloc(ps->p, sizeof *attribute);
        if (ps->token.kind == TSR__T_INT) {
            *attribute = (struct tsr__t_attr){.kind = TSR__T_ATTR_INT, .number = ps->token.integer};
        } else if (ps->token.kind == TSR__T_STRING) {
            *attribute = (struct tsr__t_attr){.kind = TSR__T_ATTR_STRING, .string = ps->token.word};
        } else if (tsr__t_is(ps, "true") || tsr__t_is(ps, "false")) {
            *attribute = (struct tsr__t_attr){.kind = TSR__T_ATTR_BOOL, .number = tsr__t_is(ps, "true")};
        } else {
            tsr__t_unexpected(ps, "attribute");
        }
        tsr__t_advance(ps);
    }
    ps->depth--;
    return attribute;
}

const struct tsr__t_attr *tsr__t_read_attributes(struct tsr__t_parser *ps)
{
    const struct tsr__t_definition *definition = tsr__t_definition(ps);
    bool is_dict = definition && definition->attribute && definition->attribute->kind == TSR__T_ATTR_DICT;
    return is_dict || tsr__t_is(ps, "{") ? tsr__t_read_attribute(ps) : NULL;
}
