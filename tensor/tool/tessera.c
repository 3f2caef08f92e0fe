/* SPDX-License-Identifier: Apache-2.0
 * The command `tessera tensor`: checks, prints, compiles and runs programs in the tensor language. docs/tensor.md shows its use. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tensor/interp.h"

enum { MOST_BYTES = 1 << 28, MOST_SHOWN = 64 };

static const char usage[] =
    "Usage: tessera tensor check FILE\n"
    "       tessera tensor print FILE\n"
    "       tessera tensor compile FILE -o OUT [options of tessera-cc]\n"
    "       tessera tensor run FILE FUNCTION GROUPS [ARGUMENT…]\n"
    "\n"
    "  check    says what is wrong with the program\n"
    "  print    writes it as the language's manual spells it\n"
    "  compile  makes a program for this machine, as clBuildProgram does; with --emit-llvm the module that becomes code\n"
    "  run      runs so many work-groups in the interpreter, and prints the memory afterwards. An argument for each one of the kernel: a "
    "number,\n"
    "           or for memory how many elements it has; these are -2, -1, 0, 1, 2, -2 and so on; for a group such numbers with commas "
    "between,\n"
    "           one for each memref\n"
    "\n"
    "FILE may be '-', standard input.\n";

static int complain(const char *format, const char *what)
{
    fputs("tessera: ", stderr);
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return 2;
}

static bool read_text(const char *path, struct tsr_buf *text)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    char part[4096];
    if (!file)
        return false;
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0 && text->size < MOST_BYTES;)
        tsr_buf_bytes(text, part, got);
    bool good = !ferror(file) && !text->failed && text->size < MOST_BYTES;
    if (file != stdin)
        fclose(file);
    return good;
}

/* Whether all that was written went out: 0, or told. */
static int finish(FILE *stream)
{
    return !fflush(stream) && !ferror(stream) ? 0 : complain("%s", "the output cannot be written");
}

static int put(const struct tsr_buf *out, FILE *stream)
{
    if (out->failed)
        return complain("%s", "out of memory");
    fwrite(out->data, 1, out->size, stream);
    return finish(stream);
}

/* NULL: told. */
static struct tsr_tensor_program *parse(const char *path)
{
    struct tsr_buf text = {0}, out = {0};
    struct tsr_tensor_program *p = NULL;
    if (!read_text(path, &text)) {
        complain("cannot read %s", path);
    } else if (!(p = tsr_tensor_parse((const char *)text.data, text.size, path, &tsr_tensor_cpu_target))) {
        complain("%s", "out of memory");
    } else if (tsr_tensor_diagnostics(p)) {
        tsr_tensor_print_diagnostics(p, &out);
        put(&out, stderr);
        tsr_tensor_free(p);
        p = NULL;
    }
    tsr_buf_free(&text);
    tsr_buf_free(&out);
    return p;
}

/* ---- run ---- */

/* One argument of a kernel. What it points to: memory, for a group that of each memref. */
struct argument {
    uint64_t word[2]; /* the number, or the address */
    uint64_t *list;   /* of a group: the addresses, or a number for each memref; NULL: the argument is no such list */
    struct memory {
        char *bytes;
        size_t elements;
    } *memory;
    uint32_t count; /* of memory, and of the list */
};
struct arguments {
    const struct tsr_tensor_function_info *info;
    const struct tsr__t_func *func;
    struct argument *all;
    const void **at;
};

/* The type of the numbers of the parameter that an argument belongs to. */
static enum tsr__t_number number_type(const struct arguments *a, uint32_t i)
{
    for (uint32_t k = 0; k < a->func->param_count; k++) {
        const struct tsr__t_value *value = &a->func->params[k].value;
        if (strcmp(value->name, a->info->arguments[i].parameter) != 0)
            continue;
        if (value->type->kind == TSR__T_GROUP)
            return value->type->memref->number;
        return value->type->kind == TSR__T_BOOL ? TSR__T_I8 : value->type->number;
    }
    return TSR__T_I64;
}

static bool take_number(enum tsr__t_number type, const char *word, void *out)
{
    char *end;
    double number = strtod(word, &end);
    long long integer = strtoll(word, tsr__t_numbers[type].class == TSR__T_INTEGER ? &end : NULL, 10);
    if (*end || end == word)
        return complain("'%s' is no number", word) && false;
    tsr__ti_write(type, out, tsr__ti_round(type, (struct tsr__ti_number){.i = integer, .re = number}));
    return true;
}

static bool take_memory(enum tsr__t_number type, const char *word, struct memory *memory)
{
    uint32_t bytes = tsr__t_numbers[type].bytes;
    int64_t count;
    if (!take_number(TSR__T_I64, word, &count))
        return false;
    memory->bytes = count >= 0 && count < MOST_BYTES / bytes ? calloc((size_t)count + 1, bytes) : NULL;
    if (!memory->bytes)
        return complain("there is no memory for %s elements", word) && false;
    memory->elements = (size_t)count;
    for (size_t k = 0; k < memory->elements; k++) {
        int value = (int)(k % 5) - 2;
        tsr__ti_write(type, memory->bytes + k * bytes, (struct tsr__ti_number){.i = value, .re = value});
    }
    return true;
}

/* A number for each memref of a group: a size, or how many elements its memory has. */
static bool take_list(struct argument *own, bool is_memory, enum tsr__t_number type, const char *word)
{
    char *words = strdup(word), *rest = words;
    uint32_t most = 1;
    for (const char *c = word; *c; c++)
        most += *c == ',';
    own->list = calloc(most, sizeof *own->list);
    own->memory = calloc(most, sizeof *own->memory);
    bool good = words && own->list && own->memory;
    for (char *one; good && (one = strsep(&rest, ",")); own->count++) {
        struct memory *memory = &own->memory[own->count];
        good = is_memory ? take_memory(type, one, memory) : take_number(TSR__T_I64, one, &own->list[own->count]);
        if (is_memory)
            own->list[own->count] = (uint64_t)(uintptr_t)memory->bytes;
    }
    free(words);
    own->word[0] = (uint64_t)(uintptr_t)own->list;
    return good;
}

static bool take_argument(struct arguments *a, uint32_t i, const char *word)
{
    struct argument *own = &a->all[i];
    enum tsr__t_number type = number_type(a, i);
    a->at[i] = own->word;
    switch (a->info->arguments[i].kind) {
    case TSR_TENSOR_VALUE:
        return take_number(type, word, own->word);
    case TSR_TENSOR_SIZE:
        return take_number(TSR__T_I64, word, own->word);
    case TSR_TENSOR_POINTERS:
        return take_list(own, true, type, word);
    case TSR_TENSOR_POINTER_SIZES:
        return take_list(own, false, type, word);
    case TSR_TENSOR_POINTER:
    case TSR_TENSOR_LOCAL:
        break;
    }
    own->memory = calloc(1, sizeof *own->memory);
    own->count = own->memory && take_memory(type, word, own->memory);
    own->word[0] = own->count ? (uint64_t)(uintptr_t)own->memory->bytes : 0;
    return own->count;
}

/* ---- whether memory is as large as its memref ---- */

/* A size or stride: of its type, or the next argument, of a group that of memref `which`. Negative: there is none. */
static int64_t take_size(const struct arguments *a, int64_t own, uint32_t *next, uint32_t which)
{
    if (own != TSR__T_DYNAMIC)
        return own;
    const struct argument *argument = &a->all[(*next)++];
    if (!argument->list)
        return (int64_t)argument->word[0];
    return which < argument->count ? (int64_t)argument->list[which] : -1;
}

/* Elements that a memref reaches over, whose sizes are arguments from `next` on. Negative: it has sizes that no memref has. */
static int64_t reach_of(const struct arguments *a, const struct tsr__t_type *memref, uint32_t next, uint32_t which)
{
    uint32_t strides = next;
    int64_t reach = 1, way;
    bool empty = false;
    for (uint32_t i = 0; i < memref->order; i++)
        strides += memref->shape[i] == TSR__T_DYNAMIC;
    for (uint32_t i = 0; i < memref->order; i++) {
        int64_t size = take_size(a, memref->shape[i], &next, which), stride = take_size(a, memref->stride[i], &strides, which);
        if (size < 0 || stride < 0)
            return -1;
        empty |= !size;
        if (size && (__builtin_mul_overflow(size - 1, stride, &way) || __builtin_add_overflow(reach, way, &reach)))
            return -1;
    }
    return empty ? 0 : reach;
}

static bool is_large_enough(const struct arguments *a, const struct tsr__t_value *value, uint32_t first)
{
    const struct tsr__t_type *type = value->type, *memref = type->kind == TSR__T_GROUP ? type->memref : type;
    const struct argument *own = &a->all[first];
    int64_t count = 1, offset = 0;
    if (type->kind == TSR__T_GROUP) {
        uint32_t next = first + 1;
        for (uint32_t i = 0; i < memref->order; i++)
            next += (memref->shape[i] == TSR__T_DYNAMIC) + (memref->stride[i] == TSR__T_DYNAMIC);
        count = take_size(a, type->size, &next, 0);
        offset = take_size(a, type->offset, &next, 0);
    }
    if (count < 0 || count > own->count || offset < 0)
        return complain("%%%s has another size than it was given memory for", value->name) && false;
    for (uint32_t i = 0; i < count; i++) {
        int64_t reach = reach_of(a, memref, first + 1, i), elements = (int64_t)own->memory[i].elements;
        if (reach < 0 || (reach && (offset > elements || reach > elements - offset)))
            return complain("the memory of %%%s is smaller than its memref", value->name) && false;
    }
    return true;
}

/* The interpreter looks at the sizes of memrefs, not at what lies there. */
static bool are_large_enough(const struct arguments *a)
{
    uint32_t next = 0;
    for (uint32_t k = 0; k < a->func->param_count; k++) {
        const struct tsr__t_value *value = &a->func->params[k].value;
        uint32_t first = next++;
        while (next < a->info->argument_count && !strcmp(a->info->arguments[next].parameter, value->name))
            next++;
        if ((value->type->kind == TSR__T_MEMREF || value->type->kind == TSR__T_GROUP) && !is_large_enough(a, value, first))
            return false;
    }
    return true;
}

static void show_memory(const struct memory *memory, enum tsr__t_number type)
{
    for (size_t k = 0; k < memory->elements && k < MOST_SHOWN; k++) {
        struct tsr__ti_number n = tsr__ti_read(type, memory->bytes + k * tsr__t_numbers[type].bytes);
        if (tsr__t_numbers[type].class == TSR__T_INTEGER)
            printf(" %" PRId64, n.i);
        else if (tsr__t_numbers[type].class == TSR__T_FLOATING)
            printf(" %g", n.re);
        else
            printf(" [%g, %g]", n.re, n.im);
    }
    printf("%s\n", memory->elements > MOST_SHOWN ? " …" : "");
}

static void show(const struct arguments *a, uint32_t i)
{
    const struct argument *own = &a->all[i];
    for (uint32_t k = 0; k < own->count; k++) {
        if (!own->memory[k].bytes)
            continue;
        printf("%%%s", a->info->arguments[i].name);
        if (own->list)
            printf("[%u]", k);
        printf(":");
        show_memory(&own->memory[k], number_type(a, i));
    }
}

static void free_argument(struct argument *own)
{
    for (uint32_t k = 0; k < own->count; k++)
        free(own->memory[k].bytes);
    free(own->memory);
    free(own->list);
}

/* Digits alone: strtoull takes a sign as well. */
static bool take_groups(const char *word, uint64_t *groups)
{
    char *end;
    errno = 0;
    *groups = strtoull(word, &end, 10);
    return word[0] >= '0' && word[0] <= '9' && !*end && errno != ERANGE;
}

static int interpret(struct tsr_tensor_program *p, uint32_t number, char **words, int count)
{
    struct arguments a = {.info = tsr_tensor_function(p, number), .func = p->first};
    uint64_t groups[] = {1, 1, 0};
    const char *why = NULL;
    if (!take_groups(words[0], &groups[2]))
        return complain("'%s' is no number of work-groups", words[0]);
    for (uint32_t i = 0; i < number; i++)
        a.func = a.func->next;
    uint32_t wanted = a.info->argument_count;
    if ((uint32_t)(count - 1) != wanted) {
        fprintf(stderr, "tessera: @%s takes %u arguments:", a.info->name, wanted);
        for (uint32_t i = 0; i < wanted; i++)
            fprintf(stderr, " %s %s%s", a.info->arguments[i].type, a.info->arguments[i].name, i + 1 < wanted ? "," : "");
        fputc('\n', stderr);
        return 2;
    }
    a.all = calloc(wanted + 1, sizeof *a.all);
    a.at = calloc(wanted + 1, sizeof *a.at);
    bool good = a.all && a.at;
    for (uint32_t i = 0; good && i < wanted; i++)
        good = take_argument(&a, i, words[i + 1]);
    good = good && are_large_enough(&a);
    if (good && tsr_tensor_interpret(p, number, a.at, groups, &why) != TSR_OK)
        good = complain("%s", why ? why : "out of memory") && false;
    for (uint32_t i = 0; i < wanted && a.all; i++) {
        if (good)
            show(&a, i);
        free_argument(&a.all[i]);
    }
    free(a.all);
    free(a.at);
    return good ? finish(stdout) : 1;
}

static int run(struct tsr_tensor_program *p, const char *name, char **words, int count)
{
    const struct tsr_tensor_function_info *info;
    name += *name == '@';
    for (uint32_t i = 0; (info = tsr_tensor_function(p, i)); i++)
        if (!strcmp(info->name, name))
            return interpret(p, i, words, count);
    return complain("the program has no function @%s", name);
}

/* ---- compile ---- */

static bool has_word(char **words, int count, const char *word)
{
    for (int i = 1; i < count; i++)
        if (!strcmp(words[i], word))
            return true;
    return false;
}

/* The compiler takes other languages as well, and does not name the file in its messages; programs for GPUs are checked there alone. */
static bool is_program(char **words, int count)
{
    if (has_word(words, count, "--spirv"))
        return true;
    struct tsr_tensor_program *p = parse(words[0]);
    bool good = p;
    if (p)
        tsr_tensor_free(p);
    return good;
}

/* The compiler as this tree or its installation has it: lib/tessera/tessera-cc beside the folder of this program. */
static int compile(char **words, int count)
{
    char *folder = NULL;
    const char *own = tsr_env(TSR_ENV_CC);
    if (!has_word(words, count, "-o") && !has_word(words, count, "--help"))
        return fputs(usage, stderr), 2;
    if (strcmp(words[0], "-") != 0 && !is_program(words, count))
        return 1;
    if (!own) {
        if (tsr_dir_of_code((const void *)usage, &folder) != TSR_OK)
            return complain("%s", "it is not known where this program is; name the compiler in TESSERA_CC");
        own = tsr_format("%s/../" TESSERA_LIB "/tessera/tessera-cc", folder);
        tsr_free(folder);
    }
    char **arguments = calloc((size_t)count + 3, sizeof *arguments);
    if (!own || !arguments)
        return complain("%s", "out of memory");
    arguments[0] = (char *)own;
    arguments[1] = (char *)"-c";
    memcpy(arguments + 2, words, (size_t)count * sizeof *words);
    execv(own, arguments);
    fprintf(stderr, "tessera: %s: %s\n", own, strerror(errno));
    return 2;
}

int main(int argc, char **argv)
{
    const char *verb = argc > 2 ? argv[2] : "";
    if (argc < 4 || strcmp(argv[1], "tensor") != 0) {
        bool help = argc > 1 && (!strcmp(argv[argc - 1], "--help") || !strcmp(argv[argc - 1], "-h"));
        fputs(usage, help ? stdout : stderr);
        return help ? 0 : 2;
    }
    if (!strcmp(verb, "compile"))
        return compile(argv + 3, argc - 3);
    bool is_run = !strcmp(verb, "run"), is_print = !strcmp(verb, "print");
    if ((!is_run && !is_print && strcmp(verb, "check") != 0) || (is_run ? argc < 6 : argc != 4))
        return fputs(usage, stderr), 2;
    struct tsr_tensor_program *p = parse(argv[3]);
    struct tsr_buf out = {0};
    if (!p)
        return 1;
    int status = is_run ? run(p, argv[4], argv + 5, argc - 5) : 0;
    if (is_print) {
        tsr_tensor_print(p, &out);
        status = put(&out, stdout);
    }
    tsr_buf_free(&out);
    tsr_tensor_free(p);
    return status;
}
