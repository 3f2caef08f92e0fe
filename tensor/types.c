/* SPDX-License-Identifier: Apache-2.0
 * Types and the table of instructions: what can be told of them without a program. */
#include "tensor/ir.h"

#include <string.h>

const struct tsr__t_number_info tsr__t_numbers[] = {
#define TSR_NUMBER(name, text, bytes, class, component) {text, bytes, TSR__T_##class, TSR__T_##component},
#include "tensor/numbers.def"
#undef TSR_NUMBER
};

const char *const tsr__t_use_names[TSR__T_USES] = {"matrix_a", "matrix_b", "matrix_acc"};

const char *const tsr__t_scope_names[TSR__T_SCOPES] = {".work_group", ".cross_device", ".device", ".subgroup"};
const char *const tsr__t_order_names[TSR__T_ORDERS] = {".relaxed", ".acquire", ".release", ".acquire_release", ".sequentially_consistent"};

const struct tsr__t_op_info tsr__t_ops[] = {
#define TSR_OP(name, text, later, form, transposes, operands, region, group)                                                               \
    {text, later, TSR__T_FORM_##form, transposes, operands, TSR__T_##region},
#include "tensor/ops.def"
#undef TSR_OP
};

/* Of order 0 there are no lists. */
static bool same_sizes(const int64_t *a, const int64_t *b, uint32_t order)
{
    return order == 0 || !memcmp(a, b, order * sizeof *a);
}

bool tsr__t_same_type(const struct tsr__t_type *a, const struct tsr__t_type *b)
{
    if (a->kind != b->kind || a->number != b->number)
        return false;
    switch (a->kind) {
    case TSR__T_MEMREF:
        return a->order == b->order && a->local == b->local && same_sizes(a->shape, b->shape, a->order) &&
               same_sizes(a->stride, b->stride, a->order);
    case TSR__T_GROUP:
        return a->size == b->size && a->offset == b->offset && tsr__t_same_type(a->memref, b->memref);
    case TSR__T_COOP:
        return a->rows == b->rows && a->cols == b->cols && a->use == b->use;
    default:
        return true;
    }
}

/* Bits of an integer, or of the mantissa of a number with a fraction, and those of its exponent. */
static const struct {
    unsigned bits, exponent;
} sizes[] = {[TSR__T_I8] = {7, 0},   [TSR__T_I16] = {15, 0}, [TSR__T_I32] = {31, 0}, [TSR__T_I64] = {63, 0},
             [TSR__T_BF16] = {8, 8}, [TSR__T_F16] = {11, 5}, [TSR__T_F32] = {24, 8}, [TSR__T_F64] = {53, 11}};

/* The table of the language gives i8 to bf16 and i16 to neither bf16 nor f16, i32 to f64, and i64 to i64 alone; and i32 to c32, which is
 * not exact: it is left out. `index` is in no table: smaller integers fit into it. */
bool tsr__t_promotable(enum tsr__t_number a, enum tsr__t_number b)
{
    const struct tsr__t_number_info *ia = &tsr__t_numbers[a], *ib = &tsr__t_numbers[b];
    if (a == b)
        return true;
    if (a == TSR__T_INDEX || (ia->class == TSR__T_COMPLEX && ib->class != TSR__T_COMPLEX))
        return false;
    if (b == TSR__T_INDEX)
        return ia->class == TSR__T_INTEGER && ia->bytes < 8;
    if (ia->class != TSR__T_INTEGER && ib->class == TSR__T_INTEGER)
        return false;
    enum tsr__t_number ca = ia->component, cb = ib->component;
    if (ca == cb)
        return true;
    return sizes[ca].bits <= sizes[cb].bits && sizes[ca].exponent <= sizes[cb].exponent;
}

bool tsr__t_promote(enum tsr__t_number a, enum tsr__t_number b, enum tsr__t_number *result)
{
    bool up = tsr__t_promotable(a, b);
    *result = up ? b : a;
    return up || tsr__t_promotable(b, a);
}

enum tsr__t_number tsr__t_sum_type(enum tsr__t_number c)
{
    switch (c) {
    case TSR__T_I8:
    case TSR__T_I16:
        return TSR__T_I32;
    case TSR__T_BF16:
    case TSR__T_F16:
        return TSR__T_F32;
    default:
        return c;
    }
}

bool tsr__t_overflows(int64_t a, int64_t b)
{
    int64_t product;
    return a != TSR__T_DYNAMIC && b != TSR__T_DYNAMIC && __builtin_mul_overflow(a, b, &product);
}

int64_t tsr__t_product(int64_t a, int64_t b)
{
    if (a == TSR__T_DYNAMIC || b == TSR__T_DYNAMIC || tsr__t_overflows(a, b))
        return TSR__T_DYNAMIC;
    return a * b;
}

void tsr__t_packed(const int64_t *shape, int64_t *stride, uint32_t order)
{
    for (uint32_t i = 1; i < order; i++)
        stride[i] = tsr__t_product(stride[i - 1], shape[i - 1]);
}

const struct tsr__t_attr *tsr__t_attr(const struct tsr__t_attr *dict, const char *name)
{
    for (const struct tsr__t_attr *a = dict ? dict->first : NULL; a; a = a->next)
        if (!strcmp(a->name, name))
            return a;
    return NULL;
}

static void print_size(int64_t size, struct tsr_buf *out)
{
    if (size == TSR__T_DYNAMIC)
        tsr_buf_printf(out, "?");
    else
        tsr_buf_printf(out, "%lld", (long long)size);
}

static void print_memref(const struct tsr__t_type *type, struct tsr_buf *out)
{
    int64_t one = 1;
    bool packed = true;
    tsr_buf_printf(out, "memref<%s", tsr__t_numbers[type->number].text);
    for (uint32_t i = 0; i < type->order; i++) {
        tsr_buf_printf(out, "x");
        print_size(type->shape[i], out);
        packed &= type->stride[i] == (i ? tsr__t_product(type->stride[i - 1], type->shape[i - 1]) : one);
    }
    for (uint32_t i = 0; i < type->order && !packed; i++) {
        tsr_buf_printf(out, "%s", i ? "," : ",strided<");
        print_size(type->stride[i], out);
    }
    tsr_buf_printf(out, "%s%s>", packed ? "" : ">", type->local ? ",local" : "");
}

void tsr__t_print_type(const struct tsr__t_type *type, struct tsr_buf *out)
{
    switch (type->kind) {
    case TSR__T_BOOL:
        tsr_buf_printf(out, "bool");
        return;
    case TSR__T_NUMBER:
        tsr_buf_printf(out, "%s", tsr__t_numbers[type->number].text);
        return;
    case TSR__T_MEMREF:
        print_memref(type, out);
        return;
    case TSR__T_GROUP:
        tsr_buf_printf(out, "group<");
        print_memref(type->memref, out);
        tsr_buf_printf(out, "x");
        print_size(type->size, out);
        if (type->offset)
            tsr_buf_printf(out, ",offset:");
        if (type->offset)
            print_size(type->offset, out);
        tsr_buf_printf(out, ">");
        return;
    case TSR__T_COOP:
        tsr_buf_printf(out, "coopmatrix<%s", tsr__t_numbers[type->number].text);
        tsr_buf_printf(out, "x%lldx%lld,%s>", (long long)type->rows, (long long)type->cols, tsr__t_use_names[type->use]);
        return;
    }
}

/* Columns of I rows lie side by side in a sub-group, so many at a time as it holds; of more rows than it has work-items, work-items have
 * several, of which those of K1 follow each other. The columns of a channel, which follow each other as well, lie in the same work-item. */
struct layout {
    uint32_t i, k1, channel, columns, count; /* I; K1; columns of a channel; components with the same rows; components of a work-item */
};

uint32_t tsr__t_rows_side_by_side(const struct tsr__t_type *matrix, uint32_t lanes)
{
    while (lanes > 1 && lanes / 2 >= matrix->rows)
        lanes /= 2;
    return lanes;
}

static struct layout layout_of(const struct tsr__t_type *m, uint32_t lanes)
{
    enum { CHANNEL_BYTES = 4, PAIR_BYTES = 2 };
    uint32_t cols = (uint32_t)m->cols, bytes = tsr__t_numbers[m->number].bytes;
    struct layout l = {.i = tsr__t_rows_side_by_side(m, lanes), .k1 = 1, .channel = 1};
    uint32_t blocks = ((uint32_t)m->rows + l.i - 1) / l.i;
    if (m->use == TSR__T_MATRIX_A && bytes < CHANNEL_BYTES && cols % (CHANNEL_BYTES / bytes) == 0)
        l.channel = CHANNEL_BYTES / bytes;
    if (m->use == TSR__T_MATRIX_B && bytes < PAIR_BYTES && blocks % (PAIR_BYTES / bytes) == 0)
        l.k1 = PAIR_BYTES / bytes;
    l.columns = (l.i * (cols / l.channel) + lanes - 1) / lanes * l.channel;
    l.count = l.columns * blocks;
    return l;
}

uint32_t tsr__t_components(const struct tsr__t_type *matrix, uint32_t lanes)
{
    return layout_of(matrix, lanes).count;
}

bool tsr__t_component(const struct tsr__t_type *matrix, uint32_t lanes, uint32_t lane, uint32_t at, uint32_t *row, uint32_t *col)
{
    struct layout l = layout_of(matrix, lanes);
    uint32_t inner = at % l.k1, outer = at / (l.k1 * l.columns), column = at / l.k1 % l.columns;
    *row = lane % l.i + (inner + outer * l.k1) * l.i;
    *col = (lane / l.i + column / l.channel * (lanes / l.i)) * l.channel + column % l.channel;
    return *row < matrix->rows && *col < matrix->cols;
}

bool tsr__t_constant_number(const struct tsr__t_value *value, double *number)
{
    if (!value || !value->by || value->by->op != TSR__T_CONSTANT)
        return false;
    const struct tsr__t_inst *c = value->by;
    if (c->constant_is_bool || c->floating[1] != 0)
        return false;
    *number = c->constant_is_integer ? (double)c->integer : c->floating[0];
    return true;
}

void tsr__t_visit(const struct tsr__t_region *region, void (*visit)(const struct tsr__t_inst *inst, void *data), void *data)
{
    for (const struct tsr__t_inst *i = region->first; i; i = i->next) {
        visit(i, data);
        for (int r = 0; r < 2; r++)
            if (i->regions[r])
                tsr__t_visit(i->regions[r], visit, data);
    }
}

static void each_index(const struct tsr__t_index *index, tsr__t_use_of *each, void *data)
{
    if (index->value)
        each(index->value, data);
}

void tsr__t_each_use(const struct tsr__t_inst *inst, tsr__t_use_of *each, void *data)
{
    for (uint32_t i = 0; i < inst->operand_count; i++)
        each(inst->operands[i], data);
    for (uint32_t i = 0; inst->slices && i < inst->slice_count; i++) {
        each_index(&inst->slices[i].offset, each, data);
        each_index(&inst->slices[i].size, each, data);
    }
    for (uint32_t i = 0; inst->shape && i < inst->slice_count; i++)
        each_index(&inst->shape[i], each, data);
    for (int r = 0; r < 2; r++)
        for (const struct tsr__t_inst *i = inst->regions[r] ? inst->regions[r]->first : NULL; i; i = i->next)
            tsr__t_each_use(i, each, data);
}
