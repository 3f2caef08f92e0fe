/* SPDX-License-Identifier: Apache-2.0
 * Programs from texts, programs as texts, and modules in SPIR-V, which tessera-cc makes. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tensor/api/object.h"

extern char **environ;

enum { MOST_BYTES = 1 << 28 };

/* ---- texts to programs ---- */

static void report_one(struct tinytc_compiler_context *context, const struct tsr_tensor_program *parsed,
                       const struct tsr_tensor_diagnostic *d, bool is_note)
{
    struct tsr_buf text = {0};
    tinytc_location_t at = {{1, (int32_t)d->at.line, (int32_t)d->at.column}, {1, (int32_t)d->at.end_line, (int32_t)d->at.end_column + 1}};
    tsr_tensor_print_diagnostic(parsed, d, is_note, &text);
    tsr_buf_bytes(&text, "", 1);
    tsr__ta_report(context, text.failed ? d->text : (const char *)text.data, &at);
    tsr_buf_free(&text);
}

tinytc_status_t tsr__ta_parse(tinytc_prog_t *prg, const char *name, const char *text, size_t size, tinytc_compiler_context_t ctx)
{
    struct tinytc_prog *made = calloc(1, sizeof *made);
    tinytc_status_t status = !made ? tinytc_status_bad_alloc
                             : ctx ? tinytc_compiler_context_retain(ctx)
                                   : tinytc_compiler_context_create(&ctx);
    if (status) {
        free(made);
        return status;
    }
    made->references = 1;
    made->context = ctx;
    made->parsed = tsr_tensor_parse(text, strnlen(text, size), name, &tsr_tensor_cpu_target);
    const struct tsr_tensor_diagnostic *d = made->parsed ? tsr_tensor_diagnostics(made->parsed) : NULL;
    if (made->parsed && !d) {
        *prg = made;
        return tinytc_status_success;
    }
    status = d ? tinytc_status_parse_error : tinytc_status_bad_alloc;
    for (; d; d = d->next) {
        report_one(ctx, made->parsed, d, false);
        for (const struct tsr_tensor_diagnostic *note = d->notes; note; note = note->next)
            report_one(ctx, made->parsed, note, true);
    }
    tinytc_prog_release(made);
    return status;
}

tinytc_status_t tinytc_parse_string(tinytc_prog_t *prg, size_t source_size, char const *source, tinytc_compiler_context_t ctx)
{
    if (!prg || !source)
        return tinytc_status_invalid_arguments;
    return tsr__ta_parse(prg, "<string>", source, source_size, ctx);
}

static tinytc_status_t parse_stream(tinytc_prog_t *prg, FILE *file, const char *name, tinytc_compiler_context_t ctx)
{
    struct tsr_buf text = {0};
    char part[4096];
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0 && text.size < MOST_BYTES;)
        tsr_buf_bytes(&text, part, got);
    tinytc_status_t status = ferror(file) || text.size >= MOST_BYTES ? tinytc_status_file_io_error : tinytc_status_success;
    if (text.failed)
        status = tinytc_status_bad_alloc;
    if (!status)
        status = tsr__ta_parse(prg, name, text.data ? (const char *)text.data : "", text.size, ctx);
    tsr_buf_free(&text);
    return status;
}

tinytc_status_t tinytc_parse_file(tinytc_prog_t *prg, char const *filename, tinytc_compiler_context_t ctx)
{
    if (!prg || !filename)
        return tinytc_status_invalid_arguments;
    FILE *file = fopen(filename, "rbe");
    if (!file)
        return tinytc_status_file_io_error;
    tinytc_status_t status = parse_stream(prg, file, filename, ctx);
    fclose(file);
    return status;
}

tinytc_status_t tinytc_parse_stdin(tinytc_prog_t *prg, tinytc_compiler_context_t ctx)
{
    return prg ? parse_stream(prg, stdin, "<stdin>", ctx) : tinytc_status_invalid_arguments;
}

tinytc_status_t tinytc_prog_retain(tinytc_prog_t object)
{
    if (!object)
        return tinytc_status_invalid_arguments;
    atomic_fetch_add(&object->references, 1);
    return tinytc_status_success;
}

tinytc_status_t tinytc_prog_release(tinytc_prog_t object)
{
    if (!object)
        return tinytc_status_invalid_arguments;
    if (atomic_fetch_sub(&object->references, 1) > 1)
        return tinytc_status_success;
    if (object->parsed)
        tsr_tensor_free(object->parsed);
    tinytc_compiler_context_release(object->context);
    free(object);
    return tinytc_status_success;
}

tinytc_status_t tinytc_prog_get_compiler_context(const_tinytc_prog_t prg, tinytc_compiler_context_t *ctx)
{
    if (!prg || !ctx)
        return tinytc_status_invalid_arguments;
    *ctx = prg->context;
    return tinytc_status_success;
}

/* ---- programs to texts ---- */

tinytc_status_t tinytc_prog_print_to_string(tinytc_prog_t prg, char **str)
{
    struct tsr_buf text = {0};
    if (!prg || !str)
        return tinytc_status_invalid_arguments;
    tsr_tensor_print(prg->parsed, &text);
    tsr_buf_bytes(&text, "", 1);
    *str = text.failed ? NULL : strdup((const char *)text.data);
    tsr_buf_free(&text);
    return *str ? tinytc_status_success : tinytc_status_bad_alloc;
}

static tinytc_status_t print_to(tinytc_prog_t prg, FILE *file)
{
    char *text;
    tinytc_status_t status = tinytc_prog_print_to_string(prg, &text);
    if (status)
        return status;
    bool good = fputs(text, file) >= 0 && !fflush(file);
    tinytc_string_destroy(text);
    return good ? tinytc_status_success : tinytc_status_file_io_error;
}

tinytc_status_t tinytc_prog_dump(tinytc_prog_t prg)
{
    return print_to(prg, stderr);
}

tinytc_status_t tinytc_prog_print_to_file(tinytc_prog_t prg, char const *filename)
{
    if (!prg || !filename)
        return tinytc_status_invalid_arguments;
    FILE *file = fopen(filename, "wbe");
    if (!file)
        return tinytc_status_file_io_error;
    tinytc_status_t status = print_to(prg, file);
    return fclose(file) && !status ? tinytc_status_file_io_error : status;
}

/* ---- binaries ---- */

tinytc_status_t tinytc_binary_create(tinytc_binary_t *bin, tinytc_compiler_context_t ctx, tinytc_bundle_format_t format, size_t data_size,
                                     uint8_t const *data, tinytc_core_feature_flags_t core_features)
{
    if (!bin || !data || !data_size)
        return tinytc_status_invalid_arguments;
    struct tinytc_binary *made = calloc(1, sizeof *made);
    uint8_t *copy = malloc(data_size);
    tinytc_status_t status = !made || !copy ? tinytc_status_bad_alloc
                             : ctx          ? tinytc_compiler_context_retain(ctx)
                                            : tinytc_compiler_context_create(&ctx);
    if (status) {
        free(made);
        free(copy);
        return status;
    }
    memcpy(copy, data, data_size);
    *made = (struct tinytc_binary){
        .references = 1, .context = ctx, .format = format, .features = core_features, .size = data_size, .data = copy};
    *bin = made;
    return tinytc_status_success;
}

tinytc_status_t tinytc_binary_retain(tinytc_binary_t object)
{
    if (!object)
        return tinytc_status_invalid_arguments;
    atomic_fetch_add(&object->references, 1);
    return tinytc_status_success;
}

tinytc_status_t tinytc_binary_release(tinytc_binary_t object)
{
    if (!object)
        return tinytc_status_invalid_arguments;
    if (atomic_fetch_sub(&object->references, 1) > 1)
        return tinytc_status_success;
    tinytc_compiler_context_release(object->context);
    free(object->data);
    free(object);
    return tinytc_status_success;
}

tinytc_status_t tinytc_binary_get_compiler_context(const_tinytc_binary_t bin, tinytc_compiler_context_t *ctx)
{
    if (!bin || !ctx)
        return tinytc_status_invalid_arguments;
    *ctx = bin->context;
    return tinytc_status_success;
}

tinytc_status_t tinytc_binary_get_raw(const_tinytc_binary_t bin, tinytc_bundle_format_t *format, size_t *data_size, uint8_t const **data)
{
    if (!bin || !format || !data_size || !data)
        return tinytc_status_invalid_arguments;
    *format = bin->format;
    *data_size = bin->size;
    *data = bin->data;
    return tinytc_status_success;
}

tinytc_status_t tinytc_binary_get_core_features(const_tinytc_binary_t bin, tinytc_core_feature_flags_t *core_features)
{
    if (!bin || !core_features)
        return tinytc_status_invalid_arguments;
    *core_features = bin->features;
    return tinytc_status_success;
}

/* ---- the compiler ---- */

/* As this tree or its installation has it, beside the library. NULL: out of memory, or nobody knows where that is. */
static char *compiler_path(void)
{
    static const char here[] = "";
    char *folder = NULL, *path;
    const char *own = tsr_env(TSR_ENV_CC);
    if (own)
        return tsr_strdup(own);
    if (tsr_dir_of_code(here, &folder) != TSR_OK)
        return NULL;
    path = tsr_format("%s/tessera/tessera-cc", folder);
    tsr_free(folder);
    return path;
}

/* False: the compiler could not be run, or has failed; `log` may say why. */
static bool run_compiler(const char *path, int in, int out, int log)
{
    char *const words[] = {(char *)path, (char *)"-c", (char *)"-", (char *)"--emit-spirv", (char *)"-o", (char *)"-", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int state = -1;
    if (posix_spawn_file_actions_init(&actions))
        return false;
    bool good = !posix_spawn_file_actions_adddup2(&actions, in, 0) && !posix_spawn_file_actions_adddup2(&actions, out, 1) &&
                !posix_spawn_file_actions_adddup2(&actions, log, 2) && !posix_spawn(&child, path, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (good && waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    return good && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

static bool write_all(int file, const char *data, size_t size)
{
    for (ssize_t wrote; size; data += wrote, size -= (size_t)wrote)
        if ((wrote = write(file, data, size)) <= 0)
            return false;
    return lseek(file, 0, SEEK_SET) == 0;
}

static void read_all(int file, struct tsr_buf *data)
{
    char part[4096];
    ssize_t got;
    lseek(file, 0, SEEK_SET);
    while ((got = read(file, part, sizeof part)) > 0)
        tsr_buf_bytes(data, part, (size_t)got);
}

tinytc_status_t tsr__ta_check(const struct tinytc_prog *prg, const struct tinytc_core_info *info)
{
    const struct tsr_tensor_function_info *f;
    for (uint32_t i = 0; (f = tsr_tensor_function(prg->parsed, i)); i++) {
        bool found = false;
        for (size_t k = 0; k < info->count; k++)
            found |= info->sub_group_sizes[k] == (int32_t)f->sub_group_size;
        if (!found)
            return tinytc_status_unsupported_subgroup_size;
        if ((uint64_t)f->work_group_size[0] * f->work_group_size[1] > (uint64_t)info->max_work_group_size)
            return tinytc_status_unsupported_work_group_size;
    }
    return tinytc_status_success;
}

tinytc_status_t tinytc_prog_compile_to_spirv_and_assemble(tinytc_binary_t *bin, tinytc_prog_t prg, const_tinytc_core_info_t info)
{
    if (!bin || !prg || !info)
        return tinytc_status_invalid_arguments;
    tinytc_status_t status = tsr__ta_check(prg, info);
    if (status)
        return status;
    struct tsr_buf module = {0}, log = {0};
    char *path = compiler_path();
    int files[3] = {memfd_create("text", MFD_CLOEXEC), memfd_create("module", MFD_CLOEXEC), memfd_create("log", MFD_CLOEXEC)};
    bool good = path && files[0] >= 0 && files[1] >= 0 && files[2] >= 0 && write_all(files[0], prg->parsed->text, prg->parsed->size);
    status = tinytc_status_runtime_error;
    if (good && run_compiler(path, files[0], files[1], files[2])) {
        read_all(files[1], &module);
        status = module.failed
                     ? tinytc_status_bad_alloc
                     : tinytc_binary_create(bin, prg->context, tinytc_bundle_format_spirv, module.size, module.data, info->features);
    } else if (good) {
        static const tinytc_location_t nowhere;
        read_all(files[2], &log);
        tsr_buf_bytes(&log, "", 1);
        tsr__ta_report(prg->context, log.failed || log.size < 2 ? path : (const char *)log.data, &nowhere);
        status = tinytc_status_compilation_error;
    }
    for (int i = 0; i < 3; i++)
        if (files[i] >= 0)
            close(files[i]);
    tsr_free(path);
    tsr_buf_free(&module);
    tsr_buf_free(&log);
    return status;
}
