/* SPDX-License-Identifier: Apache-2.0
 * printf of kernels: formats packed arguments (tessera/printf.h) by OpenCL C 6.15.14, and collects the text of a launch. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tessera/printf.h"

#include "device-amx/cpu.h"

enum {
    MOST_WIDTH = 4096, /* of a field: a slip of the pen in a format does not fill the memory */
    SINK_LIMIT = 1 << 20,
};

/* ---- one conversion ---- */

struct spec {
    char flags[6];
    int width, precision; /* -1: none */
    unsigned vector;      /* elements that the format names, 0 if none */
    unsigned bytes;       /* of an element by the length modifier, 0 if none */
    char conversion;
};

struct value {
    uint32_t tag;
    const unsigned char *bytes;
};

static const char *parse_number(const char *at, int *number)
{
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (*number < MOST_WIDTH)
            *number = *number * 10 + (*at - '0');
    }
    if (*number > MOST_WIDTH)
        *number = MOST_WIDTH;
    return at;
}

/* Parses what follows the percent sign; the end of it, or NULL if it is no conversion of OpenCL C. */
static const char *parse_spec(const char *at, struct spec *spec)
{
    size_t flags = 0;
    *spec = (struct spec){.width = -1, .precision = -1};
    for (; *at && strchr("-+ #0", *at); at++) {
        if (!memchr(spec->flags, *at, flags))
            spec->flags[flags++] = *at;
    }
    if (*at >= '1' && *at <= '9')
        at = parse_number(at, &spec->width);
    if (*at == '.')
        at = parse_number(at + 1, &spec->precision);
    if (*at == 'v') {
        int n;
        at = parse_number(at + 1, &n);
        if (n != 2 && n != 3 && n != 4 && n != 8 && n != 16)
            return NULL;
        spec->vector = (unsigned)n;
    }
    if (at[0] == 'h' && at[1] == 'h') {
        spec->bytes = 1;
        at += 2;
    } else if (at[0] == 'h' && at[1] == 'l') {
        spec->bytes = 4;
        at += 2;
    } else if (at[0] == 'h') {
        spec->bytes = 2;
        at++;
    } else if (at[0] == 'l' || at[0] == 'z' || at[0] == 't') { /* long, size_t, ptrdiff_t */
        spec->bytes = 8;
        at++;
    }
    if (!*at || !strchr("diouxXfFeEgGaAcsp", *at))
        return NULL;
    spec->conversion = *at;
    return at + 1;
}

/* "%-08.3" and so on, to which the caller adds length and conversion. */
static void host_format(const struct spec *spec, const char *length, char *out, size_t size)
{
    int n = snprintf(out, size, "%%%s", spec->flags);
    if (spec->width >= 0)
        n += snprintf(out + n, size - (size_t)n, "%d", spec->width);
    if (spec->precision >= 0)
        n += snprintf(out + n, size - (size_t)n, ".%d", spec->precision);
    snprintf(out + n, size - (size_t)n, "%s%c", length, spec->conversion);
}

static uint64_t raw_bits(const unsigned char *bytes, unsigned size)
{
    uint64_t bits = 0;
    memcpy(&bits, bytes, size < 8 ? size : 8);
    return bits;
}

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    double value = exponent == 0    ? fraction * 0x1p-24
                   : exponent == 31 ? (fraction ? NAN : INFINITY)
                                    : (fraction + 1024) * (double)(1u << exponent) * 0x1p-25;
    return bits & 0x8000 ? -value : value;
}

static void print_float(struct tsr_buf *text, const struct spec *spec, const unsigned char *bytes, unsigned size)
{
    double value = 0;
    if (size == 2) {
        value = half_value((uint16_t)raw_bits(bytes, 2));
    } else if (size == 4) {
        float narrow;
        memcpy(&narrow, bytes, 4);
        value = (double)narrow;
    } else {
        memcpy(&value, bytes, size < 8 ? size : 8);
    }
    char format[64];
    struct spec finite = *spec;
    if (!isfinite(value)) {
        /* Zeros do not pad what is no number, and the sign of a NaN says nothing. */
        size_t kept = 0;
        for (const char *f = spec->flags; *f; f++) {
            if (*f != '0')
                finite.flags[kept++] = *f;
        }
        finite.flags[kept] = 0;
        value = isnan(value) ? fabs(value) : value;
    }
    host_format(&finite, "", format, sizeof format);
    tsr_buf_printf(text, format, value);
}

static void print_int(struct tsr_buf *text, const struct spec *spec, const unsigned char *bytes, unsigned size)
{
    unsigned narrow = spec->bytes && spec->bytes < size ? spec->bytes : size;
    uint64_t bits = raw_bits(bytes, narrow);
    if ((spec->conversion == 'd' || spec->conversion == 'i') && narrow < 8 && bits >> (8 * narrow - 1) & 1)
        bits |= ~(uint64_t)0 << 8 * narrow;
    char format[64];
    host_format(spec, "ll", format, sizeof format);
    tsr_buf_printf(text, format, (long long)bits);
}

static void print_string(struct tsr_buf *text, const struct spec *spec, const struct value *v)
{
    const char *string = NULL;
    if (TSR_PRINT_BYTES(v->tag) == sizeof string)
        memcpy(&string, v->bytes, sizeof string);
    if (TSR_PRINT_KIND(v->tag) != TSR_PRINT_STRING)
        string = "(no string)";
    char format[64];
    host_format(spec, "", format, sizeof format);
    tsr_buf_printf(text, format, string ? string : "(null)");
}

static void print_value(struct tsr_buf *text, const struct spec *spec, const struct value *v)
{
    unsigned size = TSR_PRINT_BYTES(v->tag), count = TSR_PRINT_COUNT(v->tag);
    char format[64];
    switch (spec->conversion) {
    case 's':
        print_string(text, spec, v);
        return;
    case 'c':
        host_format(spec, "", format, sizeof format);
        tsr_buf_printf(text, format, (int)(unsigned char)v->bytes[0]);
        return;
    case 'p':
        host_format(spec, "", format, sizeof format);
        tsr_buf_printf(text, format, (void *)(uintptr_t)raw_bits(v->bytes, size));
        return;
    default:
        break;
    }
    if (spec->vector && spec->vector < count)
        count = spec->vector;
    if (!spec->vector && count > 1)
        count = 1;
    for (unsigned i = 0; i < count; i++) {
        if (i)
            tsr_buf_bytes(text, ",", 1);
        if (strchr("diouxX", spec->conversion))
            print_int(text, spec, v->bytes + (size_t)i * size, size);
        else
            print_float(text, spec, v->bytes + (size_t)i * size, size);
    }
}

static void print_all(struct tsr_buf *text, const char *format, const unsigned char *args)
{
    uint32_t left;
    memcpy(&left, args, sizeof left);
    args += 8;
    while (*format) {
        size_t plain = strcspn(format, "%");
        tsr_buf_bytes(text, format, plain);
        format += plain;
        if (!*format)
            break;
        struct spec spec;
        const char *end = format[1] == '%' ? NULL : parse_spec(format + 1, &spec);
        if (!end || !left) {
            /* "%%", what is no conversion, and a conversion without an argument stand for themselves. */
            tsr_buf_bytes(text, "%", 1);
            format += format[1] == '%' ? 2 : 1;
            continue;
        }
        struct value v;
        memcpy(&v.tag, args, sizeof v.tag);
        v.bytes = args + 4;
        print_value(text, &spec, &v);
        args += (4 + (size_t)TSR_PRINT_BYTES(v.tag) * TSR_PRINT_COUNT(v.tag) + 7) & ~(size_t)7;
        left--;
        format = end;
    }
}

void tsr__print(struct tsr_buf *text, const char *format, const unsigned char *args)
{
    /* Of this thread: numbers have a point, whatever the application's locale has; a comma separates the elements of a vector. */
    locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(own);
    print_all(text, format ? format : "(null)", args); /* as a null string of %s */
    uselocale(before);
    freelocale(own);
}

/* ---- the text of a launch ---- */

struct tsr__print_piece {
    struct tsr__print_piece *next;
    uint64_t order;
    struct tsr_buf text;
};

/* Standard output, locked: a stream, or a descriptor that was made O_NONBLOCK, by this process or by another that has it as well. */
struct output {
    int full;   /* that descriptor; -1: the stream waits by itself */
    bool stuck; /* nobody reads: the rest is lost */
};

static struct output open_output(void)
{
    flockfile(stdout);
    int fd = fileno(stdout);
    bool waits = fd < 0 || !(fcntl(fd, F_GETFL) & O_NONBLOCK);
    if (!waits)
        fflush(stdout);
    return (struct output){.full = waits ? -1 : fd};
}

/* A stream whose pipe or terminal is full forgets what it was given, so the text goes to the descriptor, as soon as that has room. The text
 * is lost if the reader makes no room for a second: perhaps the reader waits for this launch. */
static void write_out(struct output *out, const struct tsr_buf *text)
{
    enum { LONGEST_WAIT_MS = 1000 };
    if (out->full < 0) {
        fwrite(text->data, 1, text->size, stdout);
        return;
    }
    for (size_t done = 0; done < text->size && !out->stuck;) {
        ssize_t size = write(out->full, text->data + done, text->size - done);
        struct pollfd room = {.fd = out->full, .events = POLLOUT};
        if (size > 0)
            done += (size_t)size;
        else
            out->stuck = size == 0 || (errno != EINTR && (errno != EAGAIN || poll(&room, 1, LONGEST_WAIT_MS) == 0));
    }
}

static void close_output(void)
{
    fflush(stdout);
    funlockfile(stdout);
}

void tsr__print_add(struct tsr_print_sink *sink, uint64_t order, struct tsr_buf *text)
{
    if (!text->size) {
        tsr_buf_free(text);
        return;
    }
    struct tsr__print_piece *piece = tsr_malloc(sizeof *piece);
    if (!piece) {
        /* Out of order is better than lost. */
        struct output out = open_output();
        write_out(&out, text);
        close_output();
        tsr_buf_free(text);
        return;
    }
    size_t size = text->size;
    *piece = (struct tsr__print_piece){.next = atomic_load(&sink->pieces), .order = order, .text = *text};
    *text = (struct tsr_buf){0};
    while (!atomic_compare_exchange_weak(&sink->pieces, &piece->next, piece))
        ;
    if (atomic_fetch_add(&sink->bytes, size) + size > SINK_LIMIT)
        tsr__print_flush(sink);
}

static int by_order(const void *a, const void *b)
{
    const struct tsr__print_piece *x = *(struct tsr__print_piece *const *)a, *y = *(struct tsr__print_piece *const *)b;
    return x->order < y->order ? -1 : x->order > y->order;
}

void tsr__print_flush(struct tsr_print_sink *sink)
{
    struct tsr__print_piece *pieces = atomic_exchange(&sink->pieces, NULL);
    atomic_store(&sink->bytes, 0);
    size_t count = 0;
    for (struct tsr__print_piece *p = pieces; p; p = p->next)
        count++;
    if (!count)
        return;
    struct tsr__print_piece **sorted = tsr_malloc(count * sizeof *sorted);
    size_t n = 0;
    for (struct tsr__print_piece *p = pieces; p && sorted; p = p->next)
        sorted[n++] = p;
    if (sorted)
        qsort(sorted, count, sizeof *sorted, by_order);
    struct output out = open_output();
    for (n = 0; n < count; n++) {
        struct tsr__print_piece *piece = sorted ? sorted[n] : pieces;
        pieces = sorted ? NULL : piece->next;
        write_out(&out, &piece->text);
        tsr_buf_free(&piece->text);
        tsr_free(piece);
    }
    close_output();
    tsr_free(sorted);
}
