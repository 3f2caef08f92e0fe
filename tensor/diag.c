/* SPDX-License-Identifier: Apache-2.0
 * Diagnostics: a list of the program, and their text with the lines that they are about. */
#include "tensor/ir.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DIAGNOSTICS = 100, LINES_OF_CONTEXT = 2, LONGEST_LINE = 400 };

void *tsr__t_alloc(struct tsr_tensor_program *p, size_t size)
{
    void *memory = tsr_arena_alloc(&p->arena, size ? size : 1);
    if (!memory)
        longjmp(p->out, TSR__T_NO_MEMORY);
    return memory;
}

static struct tsr_tensor_diagnostic *add(struct tsr_tensor_program *p, struct tsr_tensor_range at, const char *format, va_list args)
{
    struct tsr_tensor_diagnostic *d = tsr__t_alloc(p, sizeof *d);
    va_list again;
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    char *text = tsr__t_alloc(p, (size_t)(size < 0 ? 0 : size) + 1);
    vsnprintf(text, (size_t)(size < 0 ? 0 : size) + 1, format, again);
    va_end(again);
    *d = (struct tsr_tensor_diagnostic){.at = at, .text = text};
    *p->last_diagnostic = d;
    p->last_diagnostic = &d->next;
    p->diagnostic_count++;
    return d;
}

struct tsr_tensor_diagnostic *tsr__t_error(struct tsr_tensor_program *p, struct tsr_tensor_range at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct tsr_tensor_diagnostic *d = add(p, at, format, args);
    va_end(args);
    if (p->diagnostic_count == MOST_DIAGNOSTICS)
        longjmp(p->out, TSR__T_STOP);
    return d;
}

_Noreturn void tsr__t_stop(struct tsr_tensor_program *p, struct tsr_tensor_range at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(p, at, format, args);
    va_end(args);
    longjmp(p->out, TSR__T_STOP);
}

void tsr__t_note_value(struct tsr_tensor_program *p, struct tsr_tensor_diagnostic *d, const struct tsr__t_value *value)
{
    if (!value)
        return;
    struct tsr_tensor_diagnostic *note = tsr__t_alloc(p, sizeof *note);
    *note = (struct tsr_tensor_diagnostic){.at = value->at, .text = "value defined here"};
    const struct tsr_tensor_diagnostic **last = &d->notes;
    while (*last)
        last = (const struct tsr_tensor_diagnostic **)&(*last)->next;
    *last = note;
}

/* ---- text ---- */

/* The bytes of the character of UTF-8 at `text`, of `left`. 0: control characters, and bytes that are none. */
static uint32_t character(const unsigned char *text, size_t left)
{
    uint32_t size = text[0] < 0x80 ? 1 : text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : text[0] < 0xf5 ? 4 : 0;
    if (size > left || (size == 1 && (text[0] < ' ' || text[0] == 0x7f)))
        return 0;
    for (uint32_t i = 1; i < size; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return size == 2 && text[0] == 0xc2 && text[1] < 0xa0 ? 0 : size;
}

/* How one character of a source is shown: a tab and what can be printed as it is, any other byte as \x and two digits. */
struct shown {
    const char *text;
    char room[5];
    uint32_t bytes, size, columns; /* of the source; of the text; on a screen */
};

static void show(struct shown *s, const char *text, size_t left)
{
    uint32_t bytes = character((const unsigned char *)text, left);
    if (bytes || *text == '\t') {
        s->text = text;
        s->bytes = s->size = bytes ? bytes : 1;
        s->columns = 1;
        return;
    }
    s->bytes = 1;
    s->size = s->columns = (uint32_t)snprintf(s->room, sizeof s->room, "\\x%02x", (unsigned char)*text);
    s->text = s->room;
}

static void print_visible(const char *text, size_t size, struct tsr_buf *out)
{
    struct shown s;
    for (size_t i = 0; i < size; i += s.bytes) {
        show(&s, text + i, size - i);
        tsr_buf_bytes(out, s.text, s.size);
    }
}

static void print_range(const struct tsr_tensor_range *at, struct tsr_buf *out)
{
    tsr_buf_printf(out, "%u.%u", at->line, at->column);
    if (at->end_line != at->line)
        tsr_buf_printf(out, "-%u.%u", at->end_line, at->end_column);
    else if (at->end_column != at->column)
        tsr_buf_printf(out, "-%u", at->end_column);
}

/* The line of this number; *length without its end, CR and LF. NULL: there is none. */
static const char *find_line(const struct tsr_tensor_program *p, uint32_t number, size_t *length)
{
    const char *line = p->text, *end = p->text + p->size;
    for (; number > 1; number--) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        if (!next)
            return NULL;
        line = next + 1;
    }
    const char *last = memchr(line, '\n', (size_t)(end - line));
    *length = (size_t)((last ? last : end) - line);
    if (*length && line[*length - 1] == '\r')
        (*length)--;
    if (*length > LONGEST_LINE)
        *length = LONGEST_LINE;
    return line;
}

/* Columns of a range are bytes; a range of nothing at the end of the line gets a mark behind it. */
static void underline(const char *line, size_t length, uint32_t from, uint32_t to, struct tsr_buf *out)
{
    struct shown s;
    if (from > length + 1)
        return;
    for (uint32_t i = 0; i < length && i < to; i += s.bytes) {
        show(&s, line + i, length - i);
        bool before = i + s.bytes < from;
        for (uint32_t k = 0; k < s.columns; k++)
            tsr_buf_bytes(out, !before ? "~" : line[i] == '\t' ? "\t" : " ", 1);
    }
    tsr_buf_printf(out, to <= length ? "\n" : "~\n");
}

static void print_source(const struct tsr_tensor_program *p, const struct tsr_tensor_range *at, struct tsr_buf *out)
{
    uint32_t first = at->line > LINES_OF_CONTEXT ? at->line - LINES_OF_CONTEXT : 1, last = at->end_line;
    if (last > at->line + LINES_OF_CONTEXT)
        last = at->line + LINES_OF_CONTEXT;
    for (uint32_t number = first; number <= last; number++) {
        size_t length;
        const char *line = find_line(p, number, &length);
        if (!line)
            return;
        print_visible(line, length, out);
        tsr_buf_bytes(out, "\n", 1);
        if (number >= at->line)
            underline(line, length, number == at->line ? at->column : 1, number == at->end_line ? at->end_column : (uint32_t)length, out);
    }
}

void tsr_tensor_print_diagnostic(const struct tsr_tensor_program *p, const struct tsr_tensor_diagnostic *d, bool is_note,
                                 struct tsr_buf *out)
{
    print_visible(p->name, strlen(p->name), out);
    tsr_buf_bytes(out, ":", 1);
    print_range(&d->at, out);
    tsr_buf_printf(out, ": %s: ", is_note ? "note" : "error");
    print_visible(d->text, strlen(d->text), out);
    tsr_buf_bytes(out, "\n\n", 2);
    print_source(p, &d->at, out);
}

void tsr_tensor_print_diagnostics(const struct tsr_tensor_program *p, struct tsr_buf *out)
{
    for (const struct tsr_tensor_diagnostic *d = p->diagnostics; d; d = d->next) {
        tsr_tensor_print_diagnostic(p, d, false, out);
        for (const struct tsr_tensor_diagnostic *note = d->notes; note; note = note->next)
            tsr_tensor_print_diagnostic(p, note, true, out);
    }
}

const struct tsr_tensor_diagnostic *tsr_tensor_diagnostics(const struct tsr_tensor_program *p)
{
    return p->diagnostics;
}
