/* SPDX-License-Identifier: Apache-2.0
 * Arena: many small allocations, freed at once. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/internal.h"

#define ARENA_ALIGN 16
#define FIRST_BLOCK 4096
#define LARGEST_BLOCK (1 << 20)

struct tsr_arena_block {
    struct tsr_arena_block *next;
    size_t used, capacity;
    _Alignas(ARENA_ALIGN) unsigned char data[];
};

static void (*_Atomic failure_handler)(size_t);

void tsr_arena_on_failure(void (*handler)(size_t size))
{
    failure_handler = handler;
}

static void *no_memory(size_t size)
{
    void (*handler)(size_t) = failure_handler;
    if (handler)
        handler(size);
    return NULL;
}

void *tsr_arena_alloc(struct tsr_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return no_memory(size);
    size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    struct tsr_arena_block *head = arena->head;
    if (!head || size > head->capacity - head->used) {
        size_t capacity = head ? head->capacity * 2 : FIRST_BLOCK;
        if (capacity > LARGEST_BLOCK)
            capacity = LARGEST_BLOCK;
        bool large = size > capacity / 2;
        struct tsr_arena_block *block = tsr_malloc(sizeof *block + (large ? size : capacity));
        if (!block)
            return no_memory(size);
        block->used = 0;
        if (large && head) {
            /* Gets a block of its own behind the head: the rest of the head stays in use. */
            block->capacity = size;
            block->next = head->next;
            head->next = block;
        } else {
            block->capacity = large ? size : capacity;
            block->next = head;
            arena->head = block;
        }
        head = block;
    }
    void *p = head->data + head->used;
    head->used += size;
    return memset(p, 0, size);
}

char *tsr_arena_format(struct tsr_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = size < 0 ? NULL : tsr_arena_alloc(arena, (size_t)size + 1);
    if (text) {
        va_start(args, format);
        vsnprintf(text, (size_t)size + 1, format, args);
        va_end(args);
    }
    return text;
}

void tsr_arena_free(struct tsr_arena *arena)
{
    while (arena->head) {
        struct tsr_arena_block *next = arena->head->next;
        tsr_free(arena->head);
        arena->head = next;
    }
}
