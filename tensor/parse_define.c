/* SPDX-License-Identifier: Apache-2.0
 * Names with `$`, which stand for constants, types and attributes: they are replaced as the text is read. */
#include "tensor/parser.h"

enum { MOST_OPERANDS = 64, MOST_DEFINITIONS = 1000 /* that can be used in a place, as they are searched one by one */ };

/* ---- calculations ---- */

static bool overflows_power(int64_t base, int64_t exponent, int64_t *result)
{
    bool over = false, square_over = false; /* a square that does not fit matters if it is used */
    for (*result = 1; exponent; exponent >>= 1) {
        if (exponent & 1)
            over |= square_over || __builtin_mul_overflow(*result, base, result);
        square_over |= __builtin_mul_overflow(base, base, &base);
    }
    return over;
}

/* a OP b; false: that is no number. */
static bool operate(const char *op, int64_t a, int64_t b, int64_t *result)
{
    bool bad_division = !b || (a == INT64_MIN && b == -1);
    switch (op[0]) {
    case '+':
        return !__builtin_add_overflow(a, b, result);
    case '-':
        return !__builtin_sub_overflow(a, b, result);
    case '*':
        return !__builtin_mul_overflow(a, b, result);
    case '^':
        return b >= 0 && !overflows_power(a, b, result);
    case '/':
        *result = bad_division ? 0 : a / b;
        return !bad_division;
    case '%':
        *result = bad_division ? 0 : a % b;
        return !bad_division;
    default:
        *result = (op[1] == 'i') == (a < b) ? a : b;
        return true;
    }
}

/* !calc(OPERAND OPERAND OPERATOR …), operators behind their operands. */
static struct tsr__t_token read_calculation(struct tsr__t_parser *ps, struct tsr_tensor_range from)
{
    static const char *const operators[] = {"^", "-", "+", "*", "/", "%", "min", "max"};
    int64_t stack[MOST_OPERANDS];
    unsigned count = 0;
    ps->lexer.calculates = true;
    tsr__t_expect(ps, "(");
    while (!tsr__t_is(ps, ")")) {
        const char *op = NULL;
        for (size_t i = 0; i < TSR_ARRAY_LEN(operators) && ps->token.kind != TSR__T_INT; i++)
            op = tsr__t_is(ps, operators[i]) ? operators[i] : op;
        struct tsr_tensor_range at = ps->token.at;
        if (!op && count == MOST_OPERANDS)
            tsr__t_stop(ps->p, at, "A calculation with more than %d operands", MOST_OPERANDS);
        if (!op) {
            stack[count++] = tsr__t_expect_int(ps);
            continue;
        }
        if (count < 2)
            tsr__t_stop(ps->p, at, "An operator without two operands before it");
        count--;
        if (!operate(op, stack[count - 1], stack[count], &stack[count - 1]))
            tsr__t_stop(ps->p, at, "The calculation divides by zero or leaves the range of integers");
        tsr__t_advance(ps);
    }
    ps->lexer.calculates = false;
    tsr__t_advance(ps);
    if (count != 1)
        tsr__t_stop(ps->p, tsr__t_since(ps, from), "A calculation must have one result, not %u", count);
    return (struct tsr__t_token){.kind = TSR__T_INT, .word = "", .integer = stack[0]};
}

/* ---- definitions ---- */

static bool is_token(const struct tsr__t_parser *ps)
{
    enum tsr__t_token_kind kind = ps->token.kind;
    return kind == TSR__T_INT || kind == TSR__T_FLOAT || kind == TSR__T_TYPE_NAME || tsr__t_is(ps, "true") || tsr__t_is(ps, "false") ||
           tsr__t_is(ps, "bool");
}

static void read_meaning(struct tsr__t_parser *ps, struct tsr__t_definition *d)
{
    const struct tsr__t_definition *other = tsr__t_definition(ps);
    struct tsr_tensor_range from = ps->token.at;
    if (other) {
        d->type = other->type;
        d->attribute = other->attribute;
        tsr__t_advance(ps);
    } else if (is_token(ps)) {
        d->token = ps->token;
        tsr__t_advance(ps);
    } else if (tsr__t_accept(ps, "!calc")) {
        d->token = read_calculation(ps, from);
    } else if (tsr__t_is(ps, "memref") || tsr__t_is(ps, "group") || tsr__t_is(ps, "coopmatrix")) {
        d->type = tsr__t_read_type(ps);
    } else if (tsr__t_is(ps, "{") || tsr__t_is(ps, "[") || ps->token.kind == TSR__T_STRING) {
        d->attribute = tsr__t_read_attribute(ps);
    } else {
        tsr__t_unexpected(ps, "constant, type or attribute");
    }
}

bool tsr__t_read_definition(struct tsr__t_parser *ps)
{
    struct tsr__t_token name = ps->token;
    if (!name.defined)
        return false;
    const struct tsr__t_definition *other = tsr__t_find_definition(ps, name.defined);
    if (other)
        tsr__t_error(ps->p, name.at, "Identifier $%s was already used at %u.%u-%u", name.defined, other->at.line, other->at.column,
                     other->at.end_column);
    tsr__t_advance(ps);
    tsr__t_expect(ps, "=");
    struct tsr__t_definition *d = tsr__t_alloc(ps->p, sizeof *d);
    d->name = name.defined;
    d->at = name.at;
    read_meaning(ps, d);
    d->next = ps->definitions;
    d->number = d->next ? d->next->number + 1 : 1;
    if (d->number > MOST_DEFINITIONS)
        tsr__t_stop(ps->p, name.at, "More than %d definitions", MOST_DEFINITIONS);
    ps->definitions = d;
    return true;
}
