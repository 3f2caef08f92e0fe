/* SPDX-License-Identifier: Apache-2.0
 * Instructions, by their forms. */
#include "tensor/parser.h"

#include <string.h>

/* An instruction while it is read. */
struct reading {
    struct tsr__t_inst *inst;
    const struct tsr__t_type **types; /* of its results */
    uint32_t type_count;
};

/* ---- parts ---- */

static void add_operand(struct tsr__t_parser *ps, struct tsr__t_inst *inst, struct tsr__t_value *value)
{
    *(struct tsr__t_value **)tsr__t_grow(ps, &inst->operands, inst->operand_count, sizeof value) = value;
    inst->operand_count++;
}

static void add_type(struct tsr__t_parser *ps, struct reading *r, const struct tsr__t_type *type)
{
    *(const struct tsr__t_type **)tsr__t_grow(ps, &r->types, r->type_count, sizeof type) = type;
    r->type_count++;
}

/* Samples of the language write "->" in places. */
static void read_result_type(struct tsr__t_parser *ps, struct reading *r)
{
    if (!tsr__t_accept(ps, "->"))
        tsr__t_expect(ps, ":");
    add_type(ps, r, tsr__t_read_type(ps));
}

/* v, v, … as many as the table says; from the number of those that are there on. */
static void read_operands(struct tsr__t_parser *ps, struct tsr__t_inst *inst, uint32_t count)
{
    while (inst->operand_count < count) {
        if (inst->operand_count)
            tsr__t_expect(ps, ",");
        add_operand(ps, inst, tsr__t_use(ps));
    }
}

static void read_indices(struct tsr__t_parser *ps, struct tsr__t_inst *inst)
{
    tsr__t_expect(ps, "[");
    for (bool more = !tsr__t_is(ps, "]"); more; more = tsr__t_accept(ps, ","))
        add_operand(ps, inst, tsr__t_use_or_number(ps, tsr__t_number_type(ps, TSR__T_INDEX)));
    tsr__t_expect(ps, "]");
}

static struct tsr__t_index read_index(struct tsr__t_parser *ps)
{
    if (ps->token.kind == TSR__T_INT)
        return (struct tsr__t_index){NULL, tsr__t_expect_int(ps)};
    if (ps->token.kind != TSR__T_LOCAL_ID)
        tsr__t_unexpected(ps, "integer constant or local identifier");
    return (struct tsr__t_index){tsr__t_use(ps), 0};
}

static void add_shape(struct tsr__t_parser *ps, struct tsr__t_inst *inst, struct tsr__t_index size)
{
    *(struct tsr__t_index *)tsr__t_grow(ps, &inst->shape, inst->slice_count, sizeof size) = size;
    inst->slice_count++;
}

/* Transposes and ".atomic" in any order; the language has had two. */
static void read_modifiers(struct tsr__t_parser *ps, struct tsr__t_inst *inst)
{
    uint32_t transposes = 0;
    bool atomic = false;
    for (;;) {
        if (transposes < tsr__t_ops[inst->op].transposes && (tsr__t_is(ps, ".t") || tsr__t_is(ps, ".n")))
            inst->transpose[transposes++] = tsr__t_is(ps, ".t");
        else if (!atomic && tsr__t_is(ps, ".atomic"))
            atomic = true;
        else
            break;
        tsr__t_advance(ps);
    }
    inst->atomic = atomic ? TSR__T_ATOMIC : TSR__T_PLAIN;
}

static void read_store_flag(struct tsr__t_parser *ps, struct tsr__t_inst *inst)
{
    if (tsr__t_accept(ps, ".atomic_add"))
        inst->atomic = TSR__T_ATOMIC_ADD;
    else if (tsr__t_accept(ps, ".atomic"))
        inst->atomic = TSR__T_ATOMIC;
}

/* Scope and order of an atomic instruction, in that order. */
static void read_order(struct tsr__t_parser *ps, struct tsr__t_inst *inst)
{
    bool has_scope = false, has_order = false;
    for (unsigned i = 0; i < TSR__T_SCOPES && !has_scope; i++) {
        has_scope = tsr__t_accept(ps, tsr__t_scope_names[i]);
        inst->scope = has_scope ? (enum tsr__t_memory_scope)i : TSR__T_WORK_GROUP;
    }
    for (unsigned i = 0; i < TSR__T_ORDERS && !has_order; i++) {
        has_order = tsr__t_accept(ps, tsr__t_order_names[i]);
        inst->order = has_order ? (enum tsr__t_memory_order)i : TSR__T_RELAXED;
    }
    inst->atomic = TSR__T_ATOMIC;
}

static void read_checked_flag(struct tsr__t_parser *ps, struct tsr__t_inst *inst)
{
    if (tsr__t_accept(ps, ".rows_checked"))
        inst->checked = TSR__T_ROWS_CHECKED;
    else if (tsr__t_accept(ps, ".cols_checked"))
        inst->checked = TSR__T_COLS_CHECKED;
    else if (tsr__t_accept(ps, ".both_checked"))
        inst->checked = TSR__T_ROWS_CHECKED | TSR__T_COLS_CHECKED;
}

/* ---- forms of one line ---- */

static bool is_compare(enum tsr__t_op op)
{
    return op >= TSR__T_EQ && op <= TSR__T_LE;
}

/* A comparison with a number, as in a sample of the language, says the type of its operands. */
static void read_values(struct tsr__t_parser *ps, struct reading *r)
{
    struct tsr__t_inst *inst = r->inst;
    uint32_t count = tsr__t_ops[inst->op].operands;
    read_operands(ps, inst, is_compare(inst->op) ? 1 : count);
    if (inst->operand_count == count) {
        read_result_type(ps, r);
        return;
    }
    tsr__t_expect(ps, ",");
    bool number = ps->token.kind == TSR__T_INT;
    add_operand(ps, inst, tsr__t_use_or_number(ps, inst->operands[0]->type));
    if (!number) {
        read_result_type(ps, r);
        return;
    }
    if (!tsr__t_accept(ps, "->"))
        tsr__t_expect(ps, ":");
    inst->operands[1]->type = tsr__t_read_type(ps);
    if (inst->operands[1]->type->kind == TSR__T_BOOL)
        inst->operands[1]->type = inst->operands[0]->type;
    add_type(ps, r, tsr__t_bool_type(ps));
}

static void read_plain(struct tsr__t_parser *ps, struct reading *r)
{
    read_operands(ps, r->inst, tsr__t_ops[r->inst->op].operands);
}

static void read_constant(struct tsr__t_parser *ps, struct reading *r)
{
    struct tsr__t_inst *c = r->inst;
    if (tsr__t_is(ps, "true") || tsr__t_is(ps, "false")) {
        c->constant_is_bool = true;
        c->integer = tsr__t_is(ps, "true");
        tsr__t_advance(ps);
    } else if (ps->token.kind == TSR__T_INT) {
        c->constant_is_integer = true;
        c->integer = tsr__t_expect_int(ps);
    } else if (tsr__t_accept(ps, "[")) {
        c->constant_is_complex = true;
        for (int i = 0; i < 2; i++) {
            if (i)
                tsr__t_expect(ps, ",");
            if (ps->token.kind != TSR__T_FLOAT)
                tsr__t_unexpected(ps, "floating point constant");
            c->floating[i] = ps->token.floating;
            tsr__t_advance(ps);
        }
        tsr__t_expect(ps, "]");
    } else if (ps->token.kind == TSR__T_FLOAT) {
        c->floating[0] = ps->token.floating;
        tsr__t_advance(ps);
    } else {
        tsr__t_unexpected(ps, "constant");
    }
    read_result_type(ps, r);
}

static void read_builtin(struct tsr__t_parser *ps, struct reading *r)
{
    static const char *const components[] = {".x", ".y", ".z"};
    for (int i = 0; i < 3; i++)
        if (!r->inst->component && tsr__t_accept(ps, components[i]))
            r->inst->component = components[i][1];
    read_result_type(ps, r);
}

/* Without an address space the type is one in local memory, as the last sample of the language has it. */
static void read_alloca(struct tsr__t_parser *ps, struct reading *r)
{
    r->inst->attributes = tsr__t_read_attributes(ps);
    read_result_type(ps, r);
    const struct tsr__t_type *type = r->types[0];
    if (type->kind == TSR__T_MEMREF && !type->has_space) {
        struct tsr__t_type *local = tsr__t_alloc(ps->p, sizeof *local);
        *local = *type;
        local->local = true;
        r->types[0] = local;
    }
}

static void read_expand(struct tsr__t_parser *ps, struct reading *r)
{
    read_plain(ps, r);
    tsr__t_expect(ps, "[");
    r->inst->mode[0] = tsr__t_expect_int(ps);
    tsr__t_expect(ps, "->");
    do
        add_shape(ps, r->inst, read_index(ps));
    while (tsr__t_accept(ps, "x"));
    tsr__t_expect(ps, "]");
    read_result_type(ps, r);
}

static void read_fuse(struct tsr__t_parser *ps, struct reading *r)
{
    read_plain(ps, r);
    tsr__t_expect(ps, "[");
    r->inst->mode[0] = tsr__t_expect_int(ps);
    tsr__t_expect(ps, ",");
    r->inst->mode[1] = tsr__t_expect_int(ps);
    tsr__t_expect(ps, "]");
    read_result_type(ps, r);
}

static void read_subview(struct tsr__t_parser *ps, struct reading *r)
{
    struct tsr__t_inst *inst = r->inst;
    read_plain(ps, r);
    tsr__t_expect(ps, "[");
    for (bool more = !tsr__t_is(ps, "]"); more; more = tsr__t_accept(ps, ",")) {
        struct tsr__t_slice slice = {0};
        if (tsr__t_accept(ps, ":")) {
            slice.whole = true;
        } else {
            slice.offset = read_index(ps);
            slice.has_size = tsr__t_accept(ps, ":");
            if (slice.has_size)
                slice.size = read_index(ps);
        }
        *(struct tsr__t_slice *)tsr__t_grow(ps, &inst->slices, inst->slice_count, sizeof slice) = slice;
        inst->slice_count++;
    }
    tsr__t_expect(ps, "]");
    read_result_type(ps, r);
}

static void read_size(struct tsr__t_parser *ps, struct reading *r)
{
    read_plain(ps, r);
    tsr__t_expect(ps, "[");
    r->inst->mode[0] = tsr__t_expect_int(ps);
    tsr__t_expect(ps, "]");
    read_result_type(ps, r);
}

static void read_load(struct tsr__t_parser *ps, struct reading *r)
{
    if (tsr__t_is_ordered(r->inst->op))
        read_order(ps, r->inst);
    read_plain(ps, r);
    read_indices(ps, r->inst);
    read_result_type(ps, r);
}

static void read_store(struct tsr__t_parser *ps, struct reading *r)
{
    if (tsr__t_is_ordered(r->inst->op))
        read_order(ps, r->inst);
    else
        read_store_flag(ps, r->inst);
    read_plain(ps, r);
    read_indices(ps, r->inst);
}

/* What is stored is the first operand, and what was there before the result. */
static void read_update(struct tsr__t_parser *ps, struct reading *r)
{
    static const enum tsr__t_atomic updates[] = {TSR__T_ATOMIC_ADD, TSR__T_ATOMIC_MAX, TSR__T_ATOMIC_MIN};
    bool coop = tsr__t_ops[r->inst->op].form == TSR__T_FORM_COOP_UPDATE;
    read_store(ps, r);
    r->inst->atomic = updates[r->inst->op - (coop ? TSR__T_COOP_UPDATE_ADD : TSR__T_UPDATE_ADD)];
    read_result_type(ps, r);
}

static void read_barrier(struct tsr__t_parser *ps, struct reading *r)
{
    if (tsr__t_accept(ps, ".global"))
        r->inst->fences |= TSR__T_FENCE_GLOBAL;
    if (tsr__t_accept(ps, ".local"))
        r->inst->fences |= TSR__T_FENCE_LOCAL;
}

static void read_blas(struct tsr__t_parser *ps, struct reading *r)
{
    read_modifiers(ps, r->inst);
    read_plain(ps, r);
}

static void read_cumsum(struct tsr__t_parser *ps, struct reading *r)
{
    read_modifiers(ps, r->inst);
    read_operands(ps, r->inst, 2);
    tsr__t_expect(ps, ",");
    r->inst->mode[0] = tsr__t_expect_int(ps);
    read_plain(ps, r);
}

static void read_transpose(struct tsr__t_parser *ps, struct tsr__t_inst *inst)
{
    if (tsr__t_accept(ps, ".t"))
        inst->transpose[0] = true;
    else
        tsr__t_accept(ps, ".n");
}

static void read_coop_load(struct tsr__t_parser *ps, struct reading *r)
{
    read_transpose(ps, r->inst);
    read_checked_flag(ps, r->inst);
    read_load(ps, r);
}

static void read_coop_store(struct tsr__t_parser *ps, struct reading *r)
{
    read_transpose(ps, r->inst);
    read_checked_flag(ps, r->inst);
    read_store(ps, r);
}

static void read_coop_update(struct tsr__t_parser *ps, struct reading *r)
{
    read_transpose(ps, r->inst);
    read_checked_flag(ps, r->inst);
    read_update(ps, r);
}

static void read_coop_prefetch(struct tsr__t_parser *ps, struct reading *r)
{
    r->inst->mode[0] = tsr__t_expect_int(ps);
    tsr__t_expect(ps, ",");
    read_plain(ps, r);
    read_indices(ps, r->inst);
    for (int i = 0; i < 2; i++) {
        tsr__t_expect(ps, ",");
        add_shape(ps, r->inst, (struct tsr__t_index){NULL, tsr__t_expect_int(ps)});
    }
}

static void read_coop_reduce(struct tsr__t_parser *ps, struct reading *r)
{
    r->inst->mode[0] = tsr__t_accept(ps, ".column");
    if (!r->inst->mode[0] && !tsr__t_accept(ps, ".row"))
        tsr__t_unexpected(ps, "'.row' or '.column'");
    read_plain(ps, r);
    read_result_type(ps, r);
}

static void read_yield(struct tsr__t_parser *ps, struct reading *r)
{
    tsr__t_expect(ps, "(");
    for (bool more = !tsr__t_is(ps, ")"); more; more = tsr__t_accept(ps, ","))
        add_operand(ps, r->inst, tsr__t_use(ps));
    tsr__t_expect(ps, ")");
}

/* ---- forms with regions ---- */

/* What is wrong with such an instruction is shown at its head: regions are long. */
static void end_head(struct tsr__t_parser *ps, struct tsr__t_inst *inst)
{
    inst->at = tsr__t_since(ps, inst->at);
}

static void read_returned_types(struct tsr__t_parser *ps, struct reading *r)
{
    tsr__t_expect(ps, "(");
    for (bool more = !tsr__t_is(ps, ")"); more; more = tsr__t_accept(ps, ","))
        add_type(ps, r, tsr__t_read_type(ps));
    tsr__t_expect(ps, ")");
    r->inst->returned = r->types;
    r->inst->returned_count = r->type_count;
}

static struct tsr__t_value *add_variable(struct tsr__t_parser *ps, struct tsr__t_inst *inst, const struct tsr__t_token *id,
                                         const struct tsr__t_type *type)
{
    struct tsr__t_value *value = tsr__t_new_value(ps, id);
    value->type = type;
    *(struct tsr__t_value **)tsr__t_grow(ps, &inst->variables, inst->variable_count, sizeof value) = value;
    inst->variable_count++;
    return value;
}

static void read_carried(struct tsr__t_parser *ps, struct reading *r)
{
    struct tsr__t_inst *inst = r->inst;
    tsr__t_expect(ps, "(");
    do {
        if (ps->token.kind != TSR__T_LOCAL_ID)
            tsr__t_unexpected(ps, "local identifier");
        add_variable(ps, inst, &ps->token, NULL);
        tsr__t_advance(ps);
        tsr__t_expect(ps, "=");
        add_operand(ps, inst, tsr__t_use(ps));
    } while (tsr__t_accept(ps, ","));
    tsr__t_expect(ps, ")");
    tsr__t_expect(ps, "->");
    struct tsr_tensor_range at = ps->token.at;
    read_returned_types(ps, r);
    if (inst->returned_count != inst->variable_count - 1)
        tsr__t_stop(ps->p, tsr__t_since(ps, at), "Number of types does not equal number of loop-carried values");
    for (uint32_t i = 0; i < inst->returned_count; i++)
        inst->variables[i + 1]->type = inst->returned[i];
}

/* The type that all bounds have, or index. */
static const struct tsr__t_type *bound_type(struct tsr__t_parser *ps, const struct tsr__t_inst *inst, uint32_t bounds)
{
    for (uint32_t i = 0; i < bounds; i++)
        if (!tsr__t_is_number(inst->operands[i]->type, TSR__T_INTEGER) ||
            !tsr__t_same_type(inst->operands[i]->type, inst->operands[0]->type))
            return tsr__t_number_type(ps, TSR__T_INDEX);
    return inst->operands[0]->type;
}

static struct tsr__t_region *read_body(struct tsr__t_parser *ps, const struct tsr__t_inst *inst, enum tsr__t_region_kind kind)
{
    struct tsr__t_scope scope;
    tsr__t_open_scope(ps, &scope);
    for (uint32_t i = 0; i < inst->variable_count; i++)
        tsr__t_bind(ps, inst->variables[i]);
    struct tsr__t_region *region = ps->read_region(ps, kind);
    tsr__t_close_scope(ps);
    return region;
}

static void read_for(struct tsr__t_parser *ps, struct reading *r)
{
    struct tsr__t_inst *inst = r->inst;
    if (ps->token.kind != TSR__T_LOCAL_ID)
        tsr__t_unexpected(ps, "local identifier");
    add_variable(ps, inst, &ps->token, NULL);
    tsr__t_advance(ps);
    bool has_type = tsr__t_accept(ps, ":");
    if (has_type)
        inst->variables[0]->type = tsr__t_read_type(ps);
    tsr__t_expect(ps, "=");
    read_operands(ps, inst, 2);
    inst->has_step = tsr__t_accept(ps, ",");
    if (inst->has_step)
        add_operand(ps, inst, tsr__t_use(ps));
    if (!has_type)
        inst->variables[0]->type = bound_type(ps, inst, inst->operand_count);
    if (tsr__t_accept(ps, "init"))
        read_carried(ps, r);
    if (tsr__t_accept(ps, "attributes"))
        inst->attributes = tsr__t_read_attributes(ps);
    end_head(ps, inst);
    inst->regions[0] = read_body(ps, inst, ps->kind);
    if (tsr__t_accept(ps, "attributes") || (!inst->attributes && tsr__t_is(ps, "{")))
        inst->attributes = tsr__t_read_attributes(ps);
}

static struct tsr__t_token *read_names(struct tsr__t_parser *ps, uint32_t *count)
{
    tsr__t_expect(ps, "(");
    struct tsr__t_token *names = tsr__t_identifiers(ps, count);
    tsr__t_expect(ps, ")");
    return names;
}

/* The lists where variables begin and end. */
static void read_bounds(struct tsr__t_parser *ps, struct tsr__t_inst *inst, uint32_t lengths[2])
{
    tsr__t_expect(ps, "=");
    for (int i = 0; i < 2; i++) {
        uint32_t before = inst->operand_count;
        if (i)
            tsr__t_expect(ps, ",");
        tsr__t_expect(ps, "(");
        do
            add_operand(ps, inst, tsr__t_use(ps));
        while (tsr__t_accept(ps, ","));
        tsr__t_expect(ps, ")");
        lengths[i] = inst->operand_count - before;
    }
}

/* The type that both bounds of variable `i` of `count` have, or the one of all bounds, or index. */
static const struct tsr__t_type *pair_type(struct tsr__t_parser *ps, const struct tsr__t_inst *inst, uint32_t i, uint32_t count)
{
    const struct tsr__t_type *from = inst->operands[i]->type, *to = inst->operands[count + i]->type;
    bool is_pair = tsr__t_is_number(from, TSR__T_INTEGER) && tsr__t_same_type(from, to);
    return is_pair ? from : bound_type(ps, inst, inst->operand_count);
}

static void read_foreach(struct tsr__t_parser *ps, struct reading *r)
{
    struct tsr__t_inst *inst = r->inst;
    uint32_t variables, lengths[2];
    struct tsr__t_token *names = read_names(ps, &variables);
    const struct tsr__t_type *type = tsr__t_accept(ps, ":") ? tsr__t_read_type(ps) : NULL;
    read_bounds(ps, inst, lengths);
    end_head(ps, inst);
    if (variables != lengths[0] || lengths[0] != lengths[1])
        tsr__t_stop(ps->p, inst->at, "length(from) must equal length(to) and the number of loop variables");
    for (uint32_t i = 0; i < variables; i++)
        add_variable(ps, inst, &names[i], type ? type : pair_type(ps, inst, i, variables));
    inst->regions[0] = read_body(ps, inst, TSR__T_SPMD);
}

static void read_foreach_tile(struct tsr__t_parser *ps, struct reading *r)
{
    struct tsr__t_inst *inst = r->inst;
    uint32_t variables, sizes, lengths[2];
    struct tsr__t_token *names = read_names(ps, &variables);
    read_bounds(ps, inst, lengths);
    tsr__t_expect(ps, "as");
    struct tsr__t_token *size_names = read_names(ps, &sizes);
    tsr__t_expect(ps, "<");
    tsr__t_expect(ps, "=");
    tsr__t_expect(ps, "(");
    do
        add_shape(ps, inst, (struct tsr__t_index){NULL, tsr__t_expect_int(ps)});
    while (tsr__t_accept(ps, ","));
    tsr__t_expect(ps, ")");
    end_head(ps, inst);
    if (variables != lengths[0] || lengths[0] != lengths[1] || sizes != variables || inst->slice_count != variables)
        tsr__t_stop(ps->p, inst->at, "length(from) must equal length(to) and the numbers of loop variables, sizes and tile sizes");
    for (uint32_t i = 0; i < 2 * variables; i++)
        add_variable(ps, inst, i < variables ? &names[i] : &size_names[i - variables], inst->operands[i % variables]->type);
    if (inst->shape[0].number % ps->func->info.sub_group_size)
        tsr__t_error(ps->p, inst->at, "The first size of a tile must be a multiple of the sub-group size, which is %u",
                     ps->func->info.sub_group_size);
    inst->regions[0] = read_body(ps, inst, TSR__T_SPMD);
}

/* Row, column and number of a component are values of the region, which yields the component of the result. */
static void read_coop_apply(struct tsr__t_parser *ps, struct reading *r)
{
    struct tsr__t_inst *inst = r->inst;
    uint32_t count;
    struct tsr__t_token *names = read_names(ps, &count);
    tsr__t_expect(ps, "=");
    read_plain(ps, r);
    tsr__t_expect(ps, "->");
    add_type(ps, r, tsr__t_read_type(ps));
    end_head(ps, inst);
    if (count != 3)
        tsr__t_stop(ps->p, inst->at, "Expected identifiers of a row, a column and a component");
    const struct tsr__t_type *component = tsr__t_number_type(ps, r->types[0]->number), *i32 = tsr__t_number_type(ps, TSR__T_I32);
    for (uint32_t i = 0; i < count; i++)
        add_variable(ps, inst, &names[i], i < 2 ? i32 : component);
    *(const struct tsr__t_type **)tsr__t_grow(ps, &inst->returned, 0, sizeof component) = component;
    inst->returned_count = 1;
    inst->regions[0] = read_body(ps, inst, TSR__T_SPMD);
}

static void read_if(struct tsr__t_parser *ps, struct reading *r)
{
    struct tsr__t_inst *inst = r->inst;
    read_operands(ps, inst, 1);
    if (tsr__t_accept(ps, "->"))
        read_returned_types(ps, r);
    end_head(ps, inst);
    inst->regions[0] = ps->read_region(ps, ps->kind);
    if (tsr__t_accept(ps, "else"))
        inst->regions[1] = ps->read_region(ps, ps->kind);
}

static void read_parallel(struct tsr__t_parser *ps, struct reading *r)
{
    r->inst->regions[0] = ps->read_region(ps, TSR__T_SPMD);
}

/* ---- instructions ---- */

static void (*const forms[])(struct tsr__t_parser *ps, struct reading *r) = {
    [TSR__T_FORM_VALUES] = read_values,
    [TSR__T_FORM_OPERANDS] = read_plain,
    [TSR__T_FORM_CONSTANT] = read_constant,
    [TSR__T_FORM_BUILTIN] = read_builtin,
    [TSR__T_FORM_ALLOCA] = read_alloca,
    [TSR__T_FORM_EXPAND] = read_expand,
    [TSR__T_FORM_FUSE] = read_fuse,
    [TSR__T_FORM_SUBVIEW] = read_subview,
    [TSR__T_FORM_SIZE] = read_size,
    [TSR__T_FORM_LOAD] = read_load,
    [TSR__T_FORM_STORE] = read_store,
    [TSR__T_FORM_BARRIER] = read_barrier,
    [TSR__T_FORM_FOR] = read_for,
    [TSR__T_FORM_FOREACH] = read_foreach,
    [TSR__T_FORM_IF] = read_if,
    [TSR__T_FORM_PARALLEL] = read_parallel,
    [TSR__T_FORM_YIELD] = read_yield,
    [TSR__T_FORM_BLAS] = read_blas,
    [TSR__T_FORM_CUMSUM] = read_cumsum,
    [TSR__T_FORM_COOP_LOAD] = read_coop_load,
    [TSR__T_FORM_COOP_STORE] = read_coop_store,
    [TSR__T_FORM_UPDATE] = read_update,
    [TSR__T_FORM_COOP_UPDATE] = read_coop_update,
    [TSR__T_FORM_COOP_APPLY] = read_coop_apply,
    [TSR__T_FORM_COOP_PREFETCH] = read_coop_prefetch,
    [TSR__T_FORM_COOP_REDUCE] = read_coop_reduce,
    [TSR__T_FORM_FOREACH_TILE] = read_foreach_tile,
};

static void define_results(struct tsr__t_parser *ps, struct reading *r, const struct tsr__t_token *names, uint32_t count)
{
    struct tsr__t_inst *inst = r->inst;
    if (count != r->type_count)
        tsr__t_stop(ps->p, inst->at, "Number of identifiers does not equal number of returned values");
    inst->result_count = count;
    inst->results = tsr__t_alloc(ps->p, (count + 1) * sizeof *inst->results);
    for (uint32_t i = 0; i < count; i++) {
        inst->results[i] = tsr__t_new_value(ps, &names[i]);
        inst->results[i]->type = r->types[i];
        inst->results[i]->by = inst;
    }
}

void tsr__t_read_inst(struct tsr__t_parser *ps)
{
    struct tsr__t_token *names = NULL;
    uint32_t count = 0;
    if (ps->token.kind == TSR__T_LOCAL_ID) {
        names = tsr__t_identifiers(ps, &count);
        tsr__t_expect(ps, "=");
    }
    if (ps->token.kind != TSR__T_OPCODE)
        tsr__t_unexpected(ps, "instruction");
    struct tsr__t_inst *inst = tsr__t_alloc(ps->p, sizeof *inst);
    struct reading r = {.inst = inst};
    inst->op = (enum tsr__t_op)ps->token.op;
    inst->at = ps->token.at;
    inst->later = !strcmp(ps->token.word, tsr__t_ops[inst->op].later);
    tsr__t_advance(ps);
    struct tsr__t_region *region = ps->region;
    forms[tsr__t_ops[inst->op].form](ps, &r);
    if (!inst->regions[0])
        inst->at = tsr__t_since(ps, inst->at);
    define_results(ps, &r, names, count);
    tsr__t_append(region, inst);
    tsr__t_check_inst(ps->p, inst, ps->kind);
    if (inst->regions[0])
        tsr__t_check_returns(ps->p, inst, inst->regions[0], false);
    if (inst->op == TSR__T_IF)
        tsr__t_check_returns(ps->p, inst, inst->regions[1], true);
    for (uint32_t i = 0; i < count; i++)
        tsr__t_bind(ps, inst->results[i]);
}
