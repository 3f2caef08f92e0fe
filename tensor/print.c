/* SPDX-License-Identifier: Apache-2.0
 * The printer: text that parses to the same program, in the spelling of the language's manual. */
#include "tensor/ir.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct printer {
    struct tsr_buf *out;
    uint64_t next_number; /* for constants that had no name */
    uint64_t *numbers;    /* of values without a name, by their index; 0: none yet */
    unsigned indent;
};

static void begin_line(struct printer *pr)
{
    tsr_buf_printf(pr->out, "%*s", (int)(2 * pr->indent), "");
}

static void print_value(struct printer *pr, const struct tsr__t_value *value)
{
    if (value->name)
        tsr_buf_printf(pr->out, "%%%s", value->name);
    else
        tsr_buf_printf(pr->out, "%%%llu", (unsigned long long)pr->numbers[value->index]);
}

static void print_values(struct printer *pr, struct tsr__t_value *const *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tsr_buf_printf(pr->out, "%s", i ? ", " : "");
        print_value(pr, values[i]);
    }
}

static void print_index(struct printer *pr, const struct tsr__t_index *index)
{
    if (index->value)
        print_value(pr, index->value);
    else
        tsr_buf_printf(pr->out, "%lld", (long long)index->number);
}

static void print_float(struct printer *pr, double number)
{
    char text[64];
    if (!isfinite(number)) {
        tsr_buf_printf(pr->out, "%s%s", signbit(number) ? "-" : "", isnan(number) ? "nan" : "inf");
        return;
    }
    snprintf(text, sizeof text, "%.17g", number);
    for (int digits = 1; digits < 17; digits++) { /* the shortest that is the same number */
        char shorter[64];
        snprintf(shorter, sizeof shorter, "%.*g", digits, number);
        if (strtod(shorter, NULL) == number) {
            strcpy(text, shorter);
            break;
        }
    }
    tsr_buf_printf(pr->out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

/* ---- attributes ---- */

static void print_attribute(struct printer *pr, const struct tsr__t_attr *attribute)
{
    bool dict = attribute->kind == TSR__T_ATTR_DICT;
    switch (attribute->kind) {
    case TSR__T_ATTR_INT:
        tsr_buf_printf(pr->out, "%lld", (long long)attribute->number);
        return;
    case TSR__T_ATTR_BOOL:
        tsr_buf_printf(pr->out, "%s", attribute->number ? "true" : "false");
        return;
    case TSR__T_ATTR_STRING:
        tsr_buf_printf(pr->out, "\"%s\"", attribute->string);
        return;
    default:
        break;
    }
    tsr_buf_printf(pr->out, "%s", dict ? "{" : "[");
    for (const struct tsr__t_attr *a = attribute->first; a; a = a->next) {
        tsr_buf_printf(pr->out, "%s", a == attribute->first ? "" : ", ");
        if (dict)
            tsr_buf_printf(pr->out, a->quoted ? "\"%s\"=" : "%s=", a->name);
        print_attribute(pr, a);
    }
    tsr_buf_printf(pr->out, "%s", dict ? "}" : "]");
}

static void print_attributes(struct printer *pr, const struct tsr__t_attr *dict)
{
    if (!dict)
        return;
    tsr_buf_printf(pr->out, " ");
    print_attribute(pr, dict);
}

/* ---- instructions ---- */

static void print_result_type(struct printer *pr, const struct tsr__t_inst *inst)
{
    tsr_buf_printf(pr->out, " : ");
    tsr__t_print_type(inst->results[0]->type, pr->out);
}

static void print_modifiers(struct printer *pr, const struct tsr__t_inst *inst)
{
    static const char *const atomics[] = {"", ".atomic", ".atomic_add"};
    bool ordered = tsr__t_is_ordered(inst->op);
    static const char *const checked[] = {"", ".rows_checked", ".cols_checked", ".both_checked"};
    for (uint32_t i = 0; i < tsr__t_ops[inst->op].transposes; i++)
        if (inst->transpose[i] ||
            (tsr__t_ops[inst->op].form != TSR__T_FORM_COOP_STORE && tsr__t_ops[inst->op].form != TSR__T_FORM_COOP_UPDATE))
            tsr_buf_printf(pr->out, "%s", inst->transpose[i] ? ".t" : ".n");
    tsr_buf_printf(pr->out, "%s%s", checked[inst->checked], ordered ? "" : atomics[inst->atomic]);
    if (ordered && inst->scope)
        tsr_buf_printf(pr->out, "%s", tsr__t_scope_names[inst->scope]);
    if (ordered && inst->order)
        tsr_buf_printf(pr->out, "%s", tsr__t_order_names[inst->order]);
    if (tsr__t_ops[inst->op].form == TSR__T_FORM_COOP_REDUCE)
        tsr_buf_printf(pr->out, inst->mode[0] ? ".column" : ".row");
    if (inst->component)
        tsr_buf_printf(pr->out, ".%c", inst->component);
    if (inst->fences & TSR__T_FENCE_GLOBAL)
        tsr_buf_printf(pr->out, ".global");
    if (inst->fences & TSR__T_FENCE_LOCAL)
        tsr_buf_printf(pr->out, ".local");
}

static void print_constant(struct printer *pr, const struct tsr__t_inst *inst)
{
    tsr_buf_printf(pr->out, " ");
    if (inst->constant_is_bool) {
        tsr_buf_printf(pr->out, "%s", inst->integer ? "true" : "false");
    } else if (inst->constant_is_integer) {
        tsr_buf_printf(pr->out, "%lld", (long long)inst->integer);
    } else if (inst->constant_is_complex) {
        tsr_buf_printf(pr->out, "[");
        print_float(pr, inst->floating[0]);
        tsr_buf_printf(pr->out, ", ");
        print_float(pr, inst->floating[1]);
        tsr_buf_printf(pr->out, "]");
    } else {
        print_float(pr, inst->floating[0]);
    }
}

static void print_slices(struct printer *pr, const struct tsr__t_inst *inst)
{
    tsr_buf_printf(pr->out, "[");
    for (uint32_t i = 0; i < inst->slice_count; i++) {
        const struct tsr__t_slice *slice = &inst->slices[i];
        tsr_buf_printf(pr->out, "%s", i ? ", " : "");
        if (slice->whole)
            tsr_buf_printf(pr->out, ":");
        else
            print_index(pr, &slice->offset);
        if (slice->has_size) {
            tsr_buf_printf(pr->out, ":");
            print_index(pr, &slice->size);
        }
    }
    tsr_buf_printf(pr->out, "]");
}

/* What stands between the operands and the type: indices, slices, modes. */
static void print_details(struct printer *pr, const struct tsr__t_inst *inst)
{
    uint32_t own = tsr__t_ops[inst->op].operands;
    switch (tsr__t_ops[inst->op].form) {
    case TSR__T_FORM_CONSTANT:
        print_constant(pr, inst);
        return;
    case TSR__T_FORM_EXPAND:
        tsr_buf_printf(pr->out, "[%lld -> ", (long long)inst->mode[0]);
        for (uint32_t i = 0; i < inst->slice_count; i++) {
            tsr_buf_printf(pr->out, "%s", i ? " x " : "");
            print_index(pr, &inst->shape[i]);
        }
        tsr_buf_printf(pr->out, "]");
        return;
    case TSR__T_FORM_FUSE:
        tsr_buf_printf(pr->out, "[%lld, %lld]", (long long)inst->mode[0], (long long)inst->mode[1]);
        return;
    case TSR__T_FORM_SUBVIEW:
        print_slices(pr, inst);
        return;
    case TSR__T_FORM_SIZE:
        tsr_buf_printf(pr->out, "[%lld]", (long long)inst->mode[0]);
        return;
    case TSR__T_FORM_LOAD:
    case TSR__T_FORM_STORE:
    case TSR__T_FORM_COOP_LOAD:
    case TSR__T_FORM_COOP_STORE:
    case TSR__T_FORM_UPDATE:
    case TSR__T_FORM_COOP_UPDATE:
    case TSR__T_FORM_COOP_PREFETCH:
        tsr_buf_printf(pr->out, "[");
        print_values(pr, inst->operands + own, inst->operand_count - own);
        tsr_buf_printf(pr->out, "]");
        for (uint32_t i = 0; i < inst->slice_count; i++)
            tsr_buf_printf(pr->out, ", %lld", (long long)inst->shape[i].number);
        return;
    default:
        return;
    }
}

static void print_operands(struct printer *pr, const struct tsr__t_inst *inst)
{
    uint32_t count = tsr__t_ops[inst->op].operands;
    if (count)
        tsr_buf_printf(pr->out, " ");
    if (tsr__t_ops[inst->op].form == TSR__T_FORM_COOP_PREFETCH)
        tsr_buf_printf(pr->out, "%lld, ", (long long)inst->mode[0]);
    if (tsr__t_ops[inst->op].form != TSR__T_FORM_CUMSUM) {
        print_values(pr, inst->operands, count);
        return;
    }
    print_values(pr, inst->operands, 2);
    tsr_buf_printf(pr->out, ", %lld, ", (long long)inst->mode[0]);
    print_values(pr, inst->operands + 2, 2);
}

static void print_returned(struct printer *pr, const struct tsr__t_inst *inst)
{
    if (!inst->returned_count)
        return;
    tsr_buf_printf(pr->out, " -> (");
    for (uint32_t i = 0; i < inst->returned_count; i++) {
        tsr_buf_printf(pr->out, "%s", i ? ", " : "");
        tsr__t_print_type(inst->returned[i], pr->out);
    }
    tsr_buf_printf(pr->out, ")");
}

static void print_for(struct printer *pr, const struct tsr__t_inst *inst)
{
    uint32_t bounds = 2 + inst->has_step;
    tsr_buf_printf(pr->out, " ");
    print_value(pr, inst->variables[0]);
    tsr_buf_printf(pr->out, ":");
    tsr__t_print_type(inst->variables[0]->type, pr->out);
    tsr_buf_printf(pr->out, " = ");
    print_values(pr, inst->operands, bounds);
    for (uint32_t i = 1; i < inst->variable_count; i++) {
        tsr_buf_printf(pr->out, "%s", i == 1 ? " init(" : ", ");
        print_value(pr, inst->variables[i]);
        tsr_buf_printf(pr->out, " = ");
        print_value(pr, inst->operands[bounds + i - 1]);
    }
    if (inst->variable_count > 1)
        tsr_buf_printf(pr->out, ")");
    print_returned(pr, inst);
}

static void print_foreach(struct printer *pr, const struct tsr__t_inst *inst)
{
    uint32_t count = inst->variable_count;
    tsr_buf_printf(pr->out, " (");
    bool same = true;
    for (uint32_t i = 1; i < count; i++)
        same &= tsr__t_same_type(inst->variables[i]->type, inst->variables[0]->type);
    print_values(pr, inst->variables, count);
    tsr_buf_printf(pr->out, same ? ") : " : ")");
    if (same)
        tsr__t_print_type(inst->variables[0]->type, pr->out);
    tsr_buf_printf(pr->out, " = (");
    print_values(pr, inst->operands, count);
    tsr_buf_printf(pr->out, "), (");
    print_values(pr, inst->operands + count, count);
    tsr_buf_printf(pr->out, ")");
}

static void print_foreach_tile(struct printer *pr, const struct tsr__t_inst *inst)
{
    uint32_t count = inst->slice_count;
    struct tsr__t_value *const *const lists[] = {inst->variables, inst->operands, inst->operands + count, inst->variables + count};
    static const char *const before[] = {" (", ") = (", "), (", ") as ("};
    for (int i = 0; i < 4; i++) {
        tsr_buf_printf(pr->out, "%s", before[i]);
        print_values(pr, lists[i], count);
    }
    for (uint32_t i = 0; i < count; i++)
        tsr_buf_printf(pr->out, "%s%lld", i ? ", " : ") <= (", (long long)inst->shape[i].number);
    tsr_buf_printf(pr->out, ")");
}

static void print_coop_apply(struct printer *pr, const struct tsr__t_inst *inst)
{
    tsr_buf_printf(pr->out, " (");
    print_values(pr, inst->variables, inst->variable_count);
    tsr_buf_printf(pr->out, ") = ");
    print_value(pr, inst->operands[0]);
    tsr_buf_printf(pr->out, " -> ");
    tsr__t_print_type(inst->results[0]->type, pr->out);
}

static void print_region(struct printer *pr, const struct tsr__t_region *region);

/* What follows the mnemonic. */
static void print_rest(struct printer *pr, const struct tsr__t_inst *inst)
{
    switch (inst->op) {
    case TSR__T_FOR:
        print_for(pr, inst);
        break;
    case TSR__T_FOREACH:
        print_foreach(pr, inst);
        break;
    case TSR__T_FOREACH_TILE:
        print_foreach_tile(pr, inst);
        break;
    case TSR__T_COOP_APPLY:
        print_coop_apply(pr, inst);
        break;
    case TSR__T_IF:
        tsr_buf_printf(pr->out, " ");
        print_value(pr, inst->operands[0]);
        print_returned(pr, inst);
        break;
    case TSR__T_YIELD:
        tsr_buf_printf(pr->out, " (");
        print_values(pr, inst->operands, inst->operand_count);
        tsr_buf_printf(pr->out, ")");
        break;
    case TSR__T_ALLOCA:
        print_attributes(pr, inst->attributes);
        print_result_type(pr, inst);
        return;
    default:
        print_operands(pr, inst);
        print_details(pr, inst);
        if (inst->result_count)
            print_result_type(pr, inst);
        return;
    }
    for (int i = 0; i < 2; i++) {
        if (!inst->regions[i])
            continue;
        tsr_buf_printf(pr->out, i ? " else " : " ");
        print_region(pr, inst->regions[i]);
    }
    print_attributes(pr, inst->attributes);
}

static void print_inst(struct printer *pr, const struct tsr__t_inst *inst)
{
    if (inst->hidden)
        pr->numbers[inst->results[0]->index] = pr->next_number++;
    begin_line(pr);
    print_values(pr, inst->results, inst->result_count);
    bool later = inst->later && inst->result_count && inst->results[0]->type->kind == TSR__T_COOP;
    tsr_buf_printf(pr->out, "%s%s", inst->result_count ? " = " : "", later ? tsr__t_ops[inst->op].later : tsr__t_ops[inst->op].text);
    print_modifiers(pr, inst);
    if (inst->op == TSR__T_PARALLEL) {
        tsr_buf_printf(pr->out, " ");
        print_region(pr, inst->regions[0]);
    } else {
        print_rest(pr, inst);
    }
    tsr_buf_printf(pr->out, "\n");
}

static void print_region(struct printer *pr, const struct tsr__t_region *region)
{
    tsr_buf_printf(pr->out, "{\n");
    pr->indent++;
    for (const struct tsr__t_inst *i = region->first; i; i = i->next)
        print_inst(pr, i);
    pr->indent--;
    begin_line(pr);
    tsr_buf_printf(pr->out, "}");
}

/* ---- functions ---- */

/* Numbers that the text uses are not given again. */
static void skip_number(struct printer *pr, const struct tsr__t_value *value)
{
    if (!value->name || value->name[0] < '0' || value->name[0] > '9' || strlen(value->name) > 18)
        return;
    uint64_t number = strtoull(value->name, NULL, 10);
    if (number >= pr->next_number)
        pr->next_number = number + 1;
}

static void skip_numbers(const struct tsr__t_inst *inst, void *data)
{
    for (uint32_t i = 0; i < inst->result_count; i++)
        skip_number(data, inst->results[i]);
    for (uint32_t i = 0; i < inst->variable_count; i++)
        skip_number(data, inst->variables[i]);
}

static void print_func(const struct tsr__t_func *func, struct tsr_buf *out)
{
    struct printer pr = {.out = out, .numbers = tsr_calloc(func->value_count + 1, sizeof *pr.numbers)};
    if (!pr.numbers) {
        out->failed = true;
        return;
    }
    tsr_buf_printf(out, "func @%s(", func->name);
    for (uint32_t i = 0; i < func->param_count; i++) {
        tsr_buf_printf(out, "%s%%%s: ", i ? ", " : "", func->params[i].value.name);
        tsr__t_print_type(func->params[i].value.type, out);
        print_attributes(&pr, func->params[i].attributes);
        skip_number(&pr, &func->params[i].value);
    }
    tsr_buf_printf(out, ")%s", func->attributes ? " attributes" : "");
    print_attributes(&pr, func->attributes);
    tsr_buf_printf(out, " ");
    tsr__t_visit(func->body, skip_numbers, &pr);
    print_region(&pr, func->body);
    tsr_buf_printf(out, "\n");
    tsr_free(pr.numbers);
}

void tsr_tensor_print(const struct tsr_tensor_program *p, struct tsr_buf *out)
{
    locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(own); /* a point in numbers, as the parser wants it */
    for (const struct tsr__t_func *f = p->first; f; f = f->next) {
        print_func(f, out);
        if (f->next)
            tsr_buf_printf(out, "\n");
    }
    uselocale(before);
    freelocale(own);
}
