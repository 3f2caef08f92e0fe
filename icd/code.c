/* SPDX-License-Identifier: Apache-2.0
 * Machine code of programs: loading it, and making it kernel by kernel for programs that were built without.
 *
 * A program with several kernels is built only as far as bitcode (TSR_IMAGE_PROGRAM). The code of a kernel is made when the application
 * creates the first kernel object of it; the code of all when it asks for the binary. An application that creates one kernel after the
 * other gets more and more of them made at once, as each request carries the whole program. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "icd/program.h"

/* `moved`: NULL, or the image may be one whose code is to be made anew, which it then tells. */
static enum tsr_status take(const struct _cl_device_id *device, struct tsr_code *code, unsigned char *image, size_t size, bool *moved)
{
    enum tsr_status status = tsr_image_read(image, size, &code->arena, &code->info);
    struct tsr_target target;
    device->ops->target(device->impl, &target);
    if (moved)
        *moved = status == TSR_OK && tsr_image_should_move(&code->info, &target);
    if (status == TSR_OK && !(moved && *moved) && !tsr_image_fits(&code->info, &target))
        status = TSR_MISMATCH;
    if (status != TSR_OK) {
        tsr_arena_free(&code->arena);
        code->info = (struct tsr_program_info){0};
        return status;
    }
    code->image = image;
    code->image_size = size;
    return TSR_OK;
}

enum tsr_status tsr__code_take(const struct _cl_device_id *device, struct tsr_code *code, unsigned char *image, size_t size)
{
    return take(device, code, image, size, NULL);
}

void tsr__code_clear(const struct _cl_device_id *device, struct tsr_code *code)
{
    struct tsr_module *module = atomic_exchange(&code->module, NULL);
    if (module)
        device->ops->module_unload(module);
    tsr_arena_free(&code->arena);
    tsr_free(code->image);
    code->image = NULL;
    code->image_size = 0;
    code->info = (struct tsr_program_info){0};
}

cl_int tsr__code_load(struct _cl_program *program, const struct _cl_device_id *device, struct tsr_code *code, struct tsr_module **module)
{
    *module = atomic_load_explicit(&code->module, memory_order_acquire);
    if (*module)
        return CL_SUCCESS;
    char *why = NULL;
    enum tsr_status status = TSR_OK;
    pthread_mutex_lock(&program->lock);
    *module = atomic_load_explicit(&code->module, memory_order_relaxed);
    if (!*module) {
        status = device->ops->module_load(device->impl, &code->info, module, &why);
        if (status == TSR_OK)
            atomic_store_explicit(&code->module, *module, memory_order_release);
    }
    pthread_mutex_unlock(&program->lock);
    cl_int err = CL_SUCCESS;
    if (status != TSR_OK)
        err = tsr__error(program->context, status == TSR_NO_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES, __func__, "module_load",
                         "the program's code cannot be loaded: %s", why ? why : tsr_status_text(status));
    tsr_free(why);
    return err;
}

/* Whether the device asks for another compilation, for a target that it has changed. */
static bool wants_another(const struct _cl_device_id *device, const struct tsr_clc_result *result, struct tsr_target *target)
{
    struct tsr_arena arena = {0};
    struct tsr_program_info info;
    bool again = target->doubtful && result->outcome == TSR_CLC_DONE &&
                 tsr_image_read(result->image, result->image_size, &arena, &info) == TSR_OK &&
                 device->ops->compile_again(device->impl, &info, target);
    tsr_arena_free(&arena);
    return again;
}

void tsr__code_compile(const struct _cl_device_id *device, struct tsr_clc_request *request, struct tsr_clc_result *result)
{
    device->ops->target(device->impl, &request->target);
    request->target.macros = device->macros;
    tsr_clc_run(request, result);
    if (wants_another(device, result, &request->target)) {
        tsr_clc_result_free(result);
        tsr_clc_run(request, result);
    }
    if (device->ops->finish && result->outcome == TSR_CLC_DONE)
        tsr__code_finish(device, result);
}

bool tsr__build_thread(pthread_t *thread, void *(*function)(void *), void *data)
{
    enum { STACK = 8 << 20 };
    pthread_attr_t attr;
    sigset_t all;
    if (pthread_attr_init(&attr))
        return false;
    sigfillset(&all);
    pthread_attr_setsigmask_np(&attr, &all);
    bool started = !pthread_attr_setstacksize(&attr, STACK) && !pthread_create(thread, &attr, function, data);
    pthread_attr_destroy(&attr);
    return started;
}

/* ---- images of a build ----------------------------------------------------------------------------------------------------------- */

void tsr__build_clear(struct tsr_build *build)
{
    for (uint32_t i = 0; build->kernels && i < build->code.info.kernel_count; i++)
        tsr__code_clear(build->device, &build->kernels[i]);
    while (build->group_codes) {
        struct tsr__group_code *first = build->group_codes;
        build->group_codes = first->next;
        tsr__code_clear(build->device, &first->code);
        tsr_free(first);
    }
    for (uint32_t i = 0; build->partials && i < build->code.info.kernel_count; i++)
        tsr__code_clear(build->device, &build->partials[i]);
    tsr_free(build->kernels);
    tsr_free(build->partials);
    build->kernels = build->partials = NULL;
    build->coded = 0;
    tsr__code_clear(build->device, &build->whole);
    tsr__code_clear(build->device, &build->code);
    tsr_free(build->options);
    tsr_free(build->log);
    build->options = build->log = NULL;
    build->kind = CL_PROGRAM_BINARY_TYPE_NONE;
    build->moved = false;
}

static cl_program_binary_type kind_of(enum tsr_image_kind kind)
{
    switch (kind) {
    case TSR_IMAGE_OBJECT:
        return CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    case TSR_IMAGE_LIBRARY:
        return CL_PROGRAM_BINARY_TYPE_LIBRARY;
    default:
        return CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    }
}

static enum tsr_status take_into(struct tsr_build *build, unsigned char *image, size_t size, bool *moved)
{
    enum tsr_status status = take(build->device, &build->code, image, size, moved);
    if (status != TSR_OK)
        return status;
    if (build->code.info.kind == TSR_IMAGE_PROGRAM) {
        build->kernels = tsr_calloc(build->code.info.kernel_count + 1, sizeof(*build->kernels));
        if (!build->kernels) {
            build->code.image = NULL; /* the image stays the caller's */
            tsr__code_clear(build->device, &build->code);
            return TSR_NO_MEMORY;
        }
    }
    build->kind = kind_of(build->code.info.kind);
    return TSR_OK;
}

enum tsr_status tsr__build_take_image(struct tsr_build *build, unsigned char *image, size_t size)
{
    return take_into(build, image, size, NULL);
}

enum tsr_status tsr__build_take_binary(struct tsr_build *build, unsigned char *image, size_t size)
{
    return take_into(build, image, size, &build->moved);
}

/* ---- kernel by kernel ------------------------------------------------------------------------------------------------------------- */

/* Takes the image of a result into `code`, or reports to the context's callback why it cannot; *why gets the text, malloc'd. Without the
 * program's lock. */
static cl_int take_result(struct _cl_program *program, const struct _cl_device_id *device, const char *name, struct tsr_clc_result *result,
                          struct tsr_code *code, char **why)
{
    *why = NULL;
    enum tsr_status status = TSR_OK;
    if (result->outcome == TSR_CLC_DONE) {
        status = tsr__code_take(device, code, result->image, result->image_size);
        if (status == TSR_OK) {
            result->image = NULL;
            return CL_SUCCESS;
        }
    }
    bool memory = status == TSR_NO_MEMORY || result->outcome == TSR_CLC_NO_MEMORY;
    *why = tsr_format("error: no code could be made of %s%s%s: %s", name ? "kernel '" : "all kernels", name ? name : "", name ? "'" : "",
                      status != TSR_OK ? tsr_status_text(status)
                      : result->log    ? result->log
                                       : "out of memory");
    return tsr__error(program->context, memory ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES, __func__, "code", "%s",
                      *why ? *why : "out of memory");
}

/* Adds a text about code that was made later to the log of the build, each text once. The program's lock is held. */
static void add_to_log(struct tsr_build *build, const char *text)
{
    if (build->log && strstr(build->log, text))
        return;
    size_t length = strlen(text);
    char *log = tsr_format("%s%s%s", build->log ? build->log : "", text, length && text[length - 1] == '\n' ? "" : "\n");
    if (!log)
        return;
    tsr_free(build->log);
    build->log = log;
}

static void set_busy(struct tsr_code *codes, uint32_t count, bool busy)
{
    for (uint32_t i = 0; i < count; i++)
        codes[i].busy = busy;
}

/* Stores `made` as the code of `count` kernels from `codes` on. */
static void take_made(const struct tsr_code *made, struct tsr_code *codes, uint32_t count)
{
    codes[0].image = made->image;
    codes[0].image_size = made->image_size;
    codes[0].arena = made->arena;
    codes[0].info = made->info;
    for (uint32_t i = 1; i < count; i++)
        codes[i].with = &codes[0];
}

/* Asks the compiler for the code of so many kernels from `name` on, or of all if it is NULL. What goes wrong with one kernel, or with all,
 * is told; several are marked to be made alone. The program's lock is held at the beginning and at the end, not in between; the program
 * counts as having a kernel meanwhile, so its builds stay as they are. */
static cl_int make(struct _cl_program *program, struct tsr_build *build, const char *name, enum tsr_bodies bodies, struct tsr_code *codes,
                   uint32_t count)
{
    program->kernel_count++;
    set_busy(codes, count, true);
    pthread_mutex_unlock(&program->lock);
    struct tsr_clc_input input = {build->code.image, build->code.image_size};
    struct tsr_clc_request request = {
        .op = TSR_CLC_CODE,
        .input_count = 1,
        .inputs = &input,
        .kernel = name,
        .kernel_count = count,
        .bodies = bodies,
        .options = "",
    };
    struct tsr_clc_result result;
    tsr__code_compile(build->device, &request, &result);
    if (result.outcome == TSR_CLC_DONE && result.log && *result.log) /* the log of the build has been given out */
        tsr_log(TSR_LOG_WARN, "%s", result.log);
    struct tsr_code made = {0};
    char *why = NULL;
    cl_int err = CL_OUT_OF_RESOURCES;
    if (count == 1 || result.outcome == TSR_CLC_DONE)
        err = take_result(program, build->device, name, &result, &made, &why);
    tsr_clc_result_free(&result);
    pthread_mutex_lock(&program->lock);
    if (why)
        add_to_log(build, why);
    tsr_free(why);
    if (err == CL_SUCCESS)
        take_made(&made, codes, count);
    for (uint32_t i = 0; i < count && err != CL_SUCCESS; i++)
        codes[i].alone = true;
    set_busy(codes, count, false);
    pthread_cond_broadcast(&program->coded);
    program->kernel_count--;
    return err;
}

/* Waits for a thread that makes this code, if there is one. Whether the code is still to be made. The program's lock is held. */
static bool is_missing(struct _cl_program *program, struct tsr_code *code)
{
    program->kernel_count++; /* the build cannot be cleared while this thread waits */
    while (code->busy)
        pthread_cond_wait(&program->coded, &program->lock);
    program->kernel_count--;
    return !code->image && !code->with;
}

static cl_int make_kernels(struct _cl_program *program, struct tsr_build *build, uint32_t index, uint32_t count)
{
    enum tsr_bodies bodies = build->device->ops->needs_partial ? TSR_BODIES_FULL : TSR_BODIES_ALL;
    cl_int err = make(program, build, build->code.info.kernels[index].name, bodies, &build->kernels[index], count);
    build->coded += err == CL_SUCCESS ? count : 0;
    return err;
}

/* The code of a kernel, made now if it is not there, together with that of at most `most` - 1 kernels that follow it. The program's lock is
 * held. */
static cl_int want(struct _cl_program *program, struct tsr_build *build, uint32_t index, uint32_t most, struct tsr_code **code)
{
    const struct tsr_program_info *info = &build->code.info;
    struct tsr_code *codes = &build->kernels[index];
    cl_int err = CL_SUCCESS;
    if (is_missing(program, codes)) {
        uint32_t count = 1;
        while (count < most && !codes->alone && index + count < info->kernel_count && !codes[count].image && !codes[count].with &&
               !codes[count].busy && !codes[count].alone)
            count++;
        err = make_kernels(program, build, index, count);
        if (err != CL_SUCCESS && count > 1)
            err = is_missing(program, codes) ? make_kernels(program, build, index, 1) : CL_SUCCESS;
    }
    *code = codes->with ? codes->with : codes;
    return err;
}

enum {
    MOST_TOGETHER = 64, /* most kernels of a request: the bitcode of the program in it costs little beside their code */
    ONE_MORE_FOR = 4,   /* a request takes one more kernel for so many that have code: at most a quarter of the work is for kernels that are
                           never created */
};

cl_int tsr__code_of_kernel(struct _cl_program *program, struct tsr_build *build, uint32_t index, struct tsr_code **code)
{
    *code = &build->code;
    if (build->code.info.kind != TSR_IMAGE_PROGRAM)
        return CL_SUCCESS;
    uint32_t most = build->coded / ONE_MORE_FOR;
    return want(program, build, index, most < MOST_TOGETHER ? most : MOST_TOGETHER, code);
}

cl_int tsr__code_of_binary(struct _cl_program *program, struct tsr_build *build, struct tsr_code **code)
{
    *code = &build->code;
    if (build->code.info.kind != TSR_IMAGE_PROGRAM)
        return CL_SUCCESS;
    *code = &build->whole;
    return is_missing(program, *code) ? make(program, build, NULL, TSR_BODIES_ALL, *code, 1) : CL_SUCCESS;
}

/* Shared by the threads of tsr__code_of_all: each takes the next kernels that no thread has taken. */
struct makers {
    struct _cl_program *program;
    struct tsr_build *build;
    uint32_t cpus;
    uint32_t next; /* guarded by the program's lock */
    cl_int err;
};

/* Several requests for each thread, with ever fewer kernels, so that all threads end at about the same time. */
static uint32_t together(const struct makers *m, uint32_t left)
{
    uint32_t share = left / (ONE_MORE_FOR * m->cpus);
    return share < 1 ? 1 : share < MOST_TOGETHER ? share : MOST_TOGETHER;
}

static void *make_some(void *data)
{
    struct makers *m = data;
    pthread_mutex_lock(&m->program->lock);
    uint32_t count = m->build->code.info.kernel_count;
    while (m->next < count && m->err == CL_SUCCESS) {
        uint32_t at = m->next, end = at + together(m, count - at);
        m->next = end;
        for (; at < end && m->err == CL_SUCCESS; at++) {
            struct tsr_code *code;
            cl_int err = want(m->program, m->build, at, end - at, &code);
            if (err != CL_SUCCESS)
                m->err = err;
        }
    }
    pthread_mutex_unlock(&m->program->lock);
    return NULL;
}

cl_int tsr__code_of_all(struct _cl_program *program, struct tsr_build *build)
{
    enum { MOST = 16 };
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct makers m = {program, build, cpus < 1 ? 1 : cpus < MOST ? (uint32_t)cpus : MOST, 0, CL_SUCCESS};
    pthread_t threads[MOST];
    if (build->code.info.kind != TSR_IMAGE_PROGRAM)
        return CL_SUCCESS;
    uint32_t missing = build->code.info.kernel_count - build->coded, started = 0;
    program->kernel_count++;
    pthread_mutex_unlock(&program->lock);
    while (started + 1 < missing && started + 1 < m.cpus && tsr__build_thread(&threads[started], make_some, &m))
        started++;
    make_some(&m);
    while (started)
        pthread_join(threads[--started], NULL);
    pthread_mutex_lock(&program->lock);
    program->kernel_count--;
    return m.err;
}

/* ---- packets that are not full ------------------------------------------------------------------------------------------------------ */

/* Makes this code of a kernel in a thread of its own. */
struct partial_maker {
    struct _cl_program *program;
    struct tsr_build *build;
    uint32_t index;
    pthread_t thread;
};

static cl_int make_partial(struct _cl_program *program, struct tsr_build *build, uint32_t index)
{
    struct tsr_code *code = &build->partials[index];
    const char *name = build->code.info.kernels[index].name;
    if (!is_missing(program, code))
        return CL_SUCCESS;
    tsr_log(TSR_LOG_COMPILE, "%s: code for packets that are not full", name);
    return make(program, build, name, TSR_BODIES_PARTIAL, code, 1);
}

static void *make_partial_alone(void *data)
{
    struct partial_maker *m = data;
    pthread_mutex_lock(&m->program->lock);
    make_partial(m->program, m->build, m->index);
    pthread_mutex_unlock(&m->program->lock);
    return NULL;
}

/* Whether the kernel has code, but none for such packets. */
static bool lacks_partial(const struct tsr_build *build, uint32_t index)
{
    const struct tsr_code *code = build->kernels[index].with ? build->kernels[index].with : &build->kernels[index];
    const struct tsr_code *partial = &build->partials[index];
    uint32_t at = tsr_find_kernel(&code->info, build->code.info.kernels[index].name);
    return at < code->info.kernel_count && code->info.kernels[at].flags & TSR_KERNEL_PARTIAL_LATER && !partial->image && !partial->busy;
}

/* An application whose launches have such packets will have more of them: the n-th launch that waits has the code of up to n kernels made,
 * one on each CPU. */
static cl_int make_partials(struct _cl_program *program, struct tsr_build *build, uint32_t index)
{
    enum { MOST = 16 };
    struct partial_maker others[MOST];
    uint32_t started = 0, count = build->code.info.kernel_count, most = build->partials_wanted++;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    for (uint32_t i = 1; i < count && started < most && started < MOST && started + 1 < cpus; i++) {
        struct partial_maker *m = &others[started];
        *m = (struct partial_maker){program, build, (index + i) % count, 0};
        started += lacks_partial(build, m->index) && tsr__build_thread(&m->thread, make_partial_alone, m);
    }
    program->kernel_count++;
    cl_int err = make_partial(program, build, index);
    pthread_mutex_unlock(&program->lock);
    while (started)
        pthread_join(others[--started].thread, NULL);
    pthread_mutex_lock(&program->lock);
    program->kernel_count--;
    return err;
}

cl_int tsr__code_of_partial(struct _cl_program *program, struct tsr_build *build, const struct tsr_kernel_info *kernel,
                            struct tsr_code **code)
{
    uint32_t count = build->code.info.kernel_count, index = tsr_find_kernel(&build->code.info, kernel->name);
    if (!build->partials)
        build->partials = tsr_calloc(count + (size_t)1, sizeof(*build->partials));
    if (!build->partials)
        return CL_OUT_OF_HOST_MEMORY;
    *code = &build->partials[index];
    cl_int err = is_missing(program, *code) ? make_partials(program, build, index) : CL_SUCCESS;
    const struct tsr_kernel_info *made = (*code)->info.kernels;
    if (err == CL_SUCCESS && (made->sub_group_size != kernel->sub_group_size || made->context_bytes != kernel->context_bytes))
        err = CL_OUT_OF_RESOURCES; /* the compiler has answered with another kernel */
    return err;
}
