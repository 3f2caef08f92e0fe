/* SPDX-License-Identifier: Apache-2.0
 * Byte buffers: a little-endian writer that grows, and a reader that never leaves its memory. */
#include <stdio.h>
#include <string.h>

#include "base/internal.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "integers are copied as they lie in memory");

/* Room for `size` more bytes, or NULL with `failed` set. */
static unsigned char *grow(struct tsr_buf *buf, size_t size)
{
    if (buf->failed)
        return NULL;
    if (size > buf->capacity - buf->size) {
        size_t capacity = buf->capacity ? buf->capacity : 256;
        while (capacity - buf->size < size && capacity <= SIZE_MAX / 4)
            capacity *= 2;
        void *data = capacity - buf->size >= size ? tsr_realloc(buf->data, capacity) : NULL;
        if (!data) {
            buf->failed = true;
            return NULL;
        }
        buf->data = data;
        buf->capacity = capacity;
    }
    return buf->data + buf->size;
}

void tsr_buf_bytes(struct tsr_buf *buf, const void *data, size_t size)
{
    unsigned char *to = size ? grow(buf, size) : NULL;
    if (to) {
        memcpy(to, data, size);
        buf->size += size;
    }
}

void tsr_buf_u32(struct tsr_buf *buf, uint32_t v)
{
    tsr_buf_bytes(buf, &v, sizeof v);
}

void tsr_buf_u64(struct tsr_buf *buf, uint64_t v)
{
    tsr_buf_bytes(buf, &v, sizeof v);
}

void tsr_buf_blob(struct tsr_buf *buf, const void *data, size_t size)
{
    tsr_buf_u64(buf, size);
    tsr_buf_bytes(buf, data, size);
}

void tsr_buf_str(struct tsr_buf *buf, const char *s)
{
    tsr_buf_blob(buf, s, s ? strlen(s) + 1 : 0);
}

void tsr_buf_printf(struct tsr_buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *to = size < 0 ? NULL : (char *)grow(buf, (size_t)size + 1); /* vsnprintf writes a zero, which is not counted */
    if (to) {
        va_start(args, format);
        vsnprintf(to, (size_t)size + 1, format, args);
        va_end(args);
        buf->size += (size_t)size;
    } else if (size < 0) {
        buf->failed = true;
    }
}

void tsr_buf_free(struct tsr_buf *buf)
{
    tsr_free(buf->data);
    *buf = (struct tsr_buf){0};
}

struct tsr_reader tsr_reader_over(const void *data, size_t size)
{
    const unsigned char *at = size ? data : (const unsigned char *)"";
    return (struct tsr_reader){.at = at, .end = at + size};
}

const void *tsr_read_bytes(struct tsr_reader *r, size_t size)
{
    if (r->failed || size > (size_t)(r->end - r->at)) {
        r->failed = true;
        return NULL;
    }
    const void *p = r->at;
    r->at += size;
    return p;
}

uint32_t tsr_read_u32(struct tsr_reader *r)
{
    uint32_t v = 0;
    const void *p = tsr_read_bytes(r, sizeof v);
    if (p)
        memcpy(&v, p, sizeof v);
    return v;
}

uint64_t tsr_read_u64(struct tsr_reader *r)
{
    uint64_t v = 0;
    const void *p = tsr_read_bytes(r, sizeof v);
    if (p)
        memcpy(&v, p, sizeof v);
    return v;
}

const void *tsr_read_blob(struct tsr_reader *r, size_t *size)
{
    uint64_t length = tsr_read_u64(r);
    const void *p = tsr_read_bytes(r, length);
    *size = p ? length : 0;
    return p;
}

const char *tsr_read_str(struct tsr_reader *r)
{
    size_t size;
    const char *s = tsr_read_blob(r, &size);
    if (!size)
        return NULL;
    if (memchr(s, 0, size) != s + size - 1) {
        r->failed = true;
        return NULL;
    }
    return s;
}

uint32_t tsr_read_count(struct tsr_reader *r, size_t min_size)
{
    uint32_t count = tsr_read_u32(r);
    if (!r->failed && min_size && count > (size_t)(r->end - r->at) / min_size)
        r->failed = true;
    return r->failed ? 0 : count;
}
