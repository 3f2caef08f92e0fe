/* SPDX-License-Identifier: Apache-2.0
 * Machine code of kernels, of programs that were built without.
 *
 * A program with several kernels is built only as far as bitcode (TSR_IMAGE_PROGRAM). The code of a kernel is made when the application
 * sets the first argument of a kernel object of it, or of others, by threads in the background; whoever needs it waits for it, or makes it
 * if no thread has begun. The code of all is made when the application asks for the binary. As each request carries the whole program, a
 * request makes more and more kernels at once. */
#include <string.h>
#include <unistd.h>

#include "icd/program.h"

/* ---- requests ---- */

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

/* Asks the compiler for the code of `count` kernels, the first of which is `name`, or of all kernels if that is NULL. An error of a single
 * kernel, or of all, is reported; if several kernels fail together, each is marked to be compiled alone. The caller holds the program's
 * lock, which is released while the compiler works. */
static cl_int compile_code(struct _cl_program *program, struct tsr_build *build, const char *name, enum tsr_bodies bodies,
                           struct tsr_code *codes, uint32_t count)
{
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
    tsr__code_compile(build, &request, &result);
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
    return err;
}

/* The same in a call of the application: the program counts as having a kernel meanwhile, so its builds stay as they are. */
static cl_int compile_now(struct _cl_program *program, struct tsr_build *build, const char *name, enum tsr_bodies bodies,
                          struct tsr_code *codes, uint32_t count)
{
    program->kernel_count++;
    cl_int err = compile_code(program, build, name, bodies, codes, count);
    program->kernel_count--;
    return err;
}

static bool has_code(const struct tsr_code *code)
{
    return code->image || code->with;
}

/* Waits for a thread that makes this code, if there is one. Whether the code is still to be made. The program's lock is held. */
static bool is_missing_after_wait(struct _cl_program *program, struct tsr_code *code)
{
    int begun = tsr_no_cancel_begin();
    program->kernel_count++; /* the build cannot be cleared while this thread waits */
    while (code->busy)
        pthread_cond_wait(&program->coded, &program->lock);
    program->kernel_count--;
    tsr_no_cancel_end(begun);
    return !has_code(code);
}

/* ---- kernel by kernel ---- */

enum {
    MOST_TOGETHER = 64, /* most kernels of a request: the bitcode of the program in it costs little beside their code */
    ONE_MORE_FOR = 4,   /* a request takes one more kernel for so many that have code: at most a quarter of the work is for kernels that are
                           never launched */
};

static uint32_t cpus(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (uint32_t)count;
}

/* Whether a thread in the background is to make this code: kernel objects wait for it. One on which the compiler has failed waits for a
 * call that needs it. */
static bool is_wanted(const struct tsr_code *code)
{
    return (code->wanted || (code->expected && code->objects)) && !has_code(code) && !code->busy && code->failed == CL_SUCCESS;
}

/* An application that launches several kernels of a program will launch more of those that it has created: with each kernel that is wanted
 * the next ones are expected, fewer than are wanted by then. Code of kernels that are never launched is less than half of all. */
static bool expect_others(struct tsr_build *build, uint32_t index)
{
    struct tsr_code *codes = build->kernels;
    const uint32_t count = build->code.info.kernel_count;
    uint32_t wanted = 0, expected = 0;
    bool more = false;
    for (uint32_t i = 0; i < count; i++) {
        wanted += codes[i].wanted > 0;
        expected += !codes[i].wanted && codes[i].expected;
    }
    for (uint32_t i = 1; i < count && expected + 1 < wanted; i++) {
        struct tsr_code *next = &codes[(index + i) % count];
        if (next->objects && !next->wanted && !next->expected) {
            next->expected = more = true;
            expected++;
        }
    }
    return more;
}

bool tsr__code_count(struct tsr_build *build, uint32_t index, int objects, int wanted)
{
    struct tsr_code *code = &build->kernels[index];
    code->objects += (uint32_t)objects;
    code->wanted += (uint32_t)wanted;
    const bool others = wanted > 0 && expect_others(build, index);
    return others || (wanted > 0 && is_wanted(code));
}

/* How many kernels a request takes: more if many have code already, and if many are wanted, in several requests for each CPU and with ever
 * fewer kernels, so that all threads end at about the same time. */
static uint32_t most_together(const struct tsr_build *build)
{
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < build->code.info.kernel_count; i++)
        wanted += is_wanted(&build->kernels[i]);
    uint32_t by_coded = build->coded / ONE_MORE_FOR, by_wanted = wanted / (ONE_MORE_FOR * cpus()),
             most = by_coded > by_wanted ? by_coded : by_wanted;
    return most < MOST_TOGETHER ? most : MOST_TOGETHER;
}

/* The number of kernels, from this one on, that can be in one request. */
static uint32_t count_together(const struct tsr_build *build, uint32_t index)
{
    const struct tsr_code *codes = &build->kernels[index];
    const uint32_t most = most_together(build);
    uint32_t count = 1;
    while (count < most && !codes->alone && index + count < build->code.info.kernel_count && !has_code(&codes[count]) &&
           !codes[count].busy && !codes[count].alone)
        count++;
    return count;
}

enum tsr_bodies tsr__first_bodies(const struct _cl_device_id *device)
{
    return device->ops->needs_partial ? TSR_BODIES_FULL : TSR_BODIES_ALL;
}

static cl_int make_kernels(struct _cl_program *program, struct tsr_build *build, uint32_t index, uint32_t count)
{
    const char *name = build->code.info.kernels[index].name;
    cl_int err = compile_code(program, build, name, tsr__first_bodies(build->device), &build->kernels[index], count);
    build->coded += err == CL_SUCCESS ? count : 0;
    if (count == 1)
        build->kernels[index].failed = err;
    return err;
}

cl_int tsr__code_of_kernel(struct _cl_program *program, struct tsr_build *build, uint32_t index, struct tsr_code **code)
{
    *code = &build->code;
    if (build->code.info.kind != TSR_IMAGE_PROGRAM)
        return CL_SUCCESS;
    struct tsr_code *own = &build->kernels[index];
    cl_int err = CL_SUCCESS;
    if (!has_code(own) && !own->busy && has_code(&build->whole)) { /* of a program whose binary has been asked for */
        *code = &build->whole;
        return CL_SUCCESS;
    }
    program->kernel_count++; /* as in make_now */
    if (is_missing_after_wait(program, own) && own->failed != CL_SUCCESS && !own->told)
        err = own->failed; /* in the background */
    for (bool again = true; again && err == CL_SUCCESS && is_missing_after_wait(program, own);) {
        uint32_t count = count_together(build, index);
        err = make_kernels(program, build, index, count);
        again = err != CL_SUCCESS && count > 1;
        err = again ? CL_SUCCESS : err;
    }
    own->told = err != CL_SUCCESS; /* then a call that comes later tries again */
    program->kernel_count--;
    *code = own->with ? own->with : own;
    return err;
}

/* Whether the program has one kernel, without the code for packets that are not full. */
static bool is_partly_made(const struct tsr_program_info *info)
{
    return info->kind == TSR_IMAGE_EXECUTABLE && info->kernel_count == 1 && info->kernels[0].flags & TSR_KERNEL_PARTIAL_LATER &&
           !info->partial_size;
}

/* Makes the image of such a program with that code. The program's lock is held, and released meanwhile. */
static cl_int make_complete(struct _cl_program *program, struct tsr_build *build)
{
    struct tsr_code *partial;
    cl_int err = tsr__code_of_partial(program, build, build->code.info.kernels, &partial);
    if (err != CL_SUCCESS || has_code(&build->whole))
        return err;
    struct tsr_program_info info = build->code.info;
    struct tsr_buf image = {0};
    info.partial = partial->image;
    info.partial_size = partial->image_size;
    tsr_image_write(&info, &image);
    if (!image.failed && tsr__code_take(build->device, &build->whole, image.data, image.size) == TSR_OK)
        return CL_SUCCESS;
    tsr_buf_free(&image);
    return CL_OUT_OF_HOST_MEMORY;
}

cl_int tsr__code_of_binary(struct _cl_program *program, struct tsr_build *build, struct tsr_code **code)
{
    const bool partly = is_partly_made(&build->code.info), complete = build->code.info.kind != TSR_IMAGE_PROGRAM && !partly;
    *code = complete ? &build->code : &build->whole;
    if (complete || has_code(&build->whole))
        return CL_SUCCESS;
    if (partly)
        return make_complete(program, build);
    return is_missing_after_wait(program, *code) ? compile_now(program, build, NULL, TSR_BODIES_ALL, *code, 1) : CL_SUCCESS;
}

/* ---- in the background ---- */

/* Programs that may have wanted kernels, each held and there once, and the threads that take them, at most one for each CPU. */
static struct {
    pthread_mutex_t lock;
    struct _cl_program *first, **end;
    uint32_t threads;
    struct tsr_fork_mutex fork_waits;
} background = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void forget_threads(struct tsr_fork_mutex *fork_waits)
{
    (void)fork_waits;
    background.threads = 0;
}

static void watch_forks(void)
{
    background.end = &background.first;
    background.fork_waits = (struct tsr_fork_mutex){.mutex = &background.lock, .in_child = forget_threads};
    tsr_fork_mutex_add(&background.fork_waits);
}

static struct _cl_program *next_program(void)
{
    pthread_mutex_lock(&background.lock);
    struct _cl_program *program = background.first;
    if (program) {
        background.first = program->next_wanting;
        background.end = background.first ? background.end : &background.first;
        program->next_wanting = NULL;
        program->wanting = false;
    } else {
        background.threads--;
    }
    pthread_mutex_unlock(&background.lock);
    return program;
}

/* The program's lock is held. */
static struct tsr_build *find_wanted(struct _cl_program *program, uint32_t *index)
{
    for (cl_uint b = 0; b < program->build_count; b++) {
        struct tsr_build *build = &program->builds[b];
        const bool missing = build->kernels && !has_code(&build->whole);
        for (uint32_t i = 0; missing && i < build->code.info.kernel_count; i++)
            if (is_wanted(&build->kernels[i])) {
                *index = i;
                return build;
            }
    }
    return NULL;
}

static void *make_wanted(void *unused)
{
    for (struct _cl_program *program; (program = next_program());) {
        uint32_t index, count = 0;
        bool more = false;
        pthread_mutex_lock(&program->lock);
        struct tsr_build *build = find_wanted(program, &index);
        if (build) {
            program->making++;
            count = count_together(build, index);
            set_busy(&build->kernels[index], count, true);
            more = find_wanted(program, &(uint32_t){0});
        }
        pthread_mutex_unlock(&program->lock);
        if (more)
            tsr__code_begin(program);
        if (build) {
            pthread_mutex_lock(&program->lock);
            make_kernels(program, build, index, count);
            program->making--;
            pthread_cond_broadcast(&program->coded);
            pthread_mutex_unlock(&program->lock);
        }
        tsr__drop(program);
    }
    return unused;
}

void tsr__code_begin(struct _cl_program *program)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&background.lock);
    if (!program->wanting) {
        tsr__hold(program);
        program->wanting = true;
        *background.end = program;
        background.end = &program->next_wanting;
    }
    pthread_t thread;
    if (background.threads < cpus() && tsr__build_thread(&thread, make_wanted, NULL)) {
        background.threads++;
        pthread_detach(thread);
    }
    pthread_mutex_unlock(&background.lock);
}

void tsr__code_forget(struct tsr_fork_mutex *fork_waits)
{
    struct _cl_program *program = TSR_CONTAINER_OF(fork_waits, struct _cl_program, fork_waits);
    pthread_cond_init(&program->coded, NULL);
    program->making = 0;
    for (cl_uint b = 0; b < program->build_count; b++) {
        struct tsr_build *build = &program->builds[b];
        const uint32_t count = build->code.info.kernel_count;
        build->whole.busy = false;
        if (build->kernels)
            set_busy(build->kernels, count, false);
        if (build->partials)
            set_busy(build->partials, count, false);
        for (struct tsr__group_code *groups = build->group_codes; groups; groups = groups->next)
            groups->code.busy = false;
    }
}

/* ---- packets that are not full ---- */

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
    if (!is_missing_after_wait(program, code))
        return CL_SUCCESS;
    tsr_log(TSR_LOG_COMPILE, "%s: code for packets that are not full", name);
    return compile_now(program, build, name, TSR_BODIES_PARTIAL, code, 1);
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
    for (uint32_t i = 1; i < count && started < most && started < MOST && started + 1 < cpus(); i++) {
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
    cl_int err = is_missing_after_wait(program, *code) ? make_partials(program, build, index) : CL_SUCCESS;
    const struct tsr_kernel_info *made = (*code)->info.kernels;
    if (err == CL_SUCCESS && (made->sub_group_size != kernel->sub_group_size || made->context_bytes != kernel->context_bytes))
        err = CL_OUT_OF_RESOURCES; /* the compiler has answered with another kernel */
    return err;
}
