/* SPDX-License-Identifier: Apache-2.0
 * clBuildProgram, clCompileProgram, clLinkProgram: in the caller's thread or in one of their own, and the queries about a build.
 *
 * A job is the work of one call: it owns or holds all it needs, so the application may release and overwrite everything as soon as the call
 * has returned. While a job runs, its builds are CL_BUILD_IN_PROGRESS and no other thread changes them. */
#include <string.h>

#include "icd/program.h"
#include "tessera/clc.h"

/* The work of a job for one device. */
struct part {
    struct tsr_build *build;
    enum tsr_clc_op op; /* what the compiler is asked for */
    bool keeps_image;   /* the build has an executable image already: nothing to compile */
    cl_uint input_count;
    struct tsr_clc_input *inputs; /* copies */
    bool done;
};

struct job {
    struct _cl_program *program; /* held */
    enum tsr_clc_op call;        /* what the application called */
    char *options;
    cl_uint part_count;
    struct part *parts;
    cl_uint header_count;
    uint32_t spec_count;
    struct tsr_spirv_constant *spec_constants; /* as they were at the call; their values lie in spec_values */
    struct tsr__spec_value *spec_values;
    struct tsr_clc_text *headers;         /* names are copies; texts belong to header_programs */
    struct _cl_program **header_programs; /* held */
    void(CL_CALLBACK *notify)(cl_program, void *);
    void *user_data;
};

static void part_clear(struct part *part)
{
    for (cl_uint i = 0; i < part->input_count; i++)
        tsr_free((void *)part->inputs[i].data);
    tsr_free(part->inputs);
}

static void job_free(struct job *job)
{
    if (!job)
        return;
    for (cl_uint i = 0; i < job->header_count; i++) {
        if (job->headers)
            tsr_free((void *)job->headers[i].name);
        if (job->header_programs && job->header_programs[i])
            tsr__drop(job->header_programs[i]);
    }
    for (cl_uint i = 0; i < job->part_count; i++)
        part_clear(&job->parts[i]);
    tsr_free(job->headers);
    tsr_free(job->header_programs);
    tsr_free(job->spec_constants);
    tsr_free(job->spec_values);
    tsr_free(job->parts);
    tsr_free(job->options);
    if (job->program)
        tsr__drop(job->program);
    tsr_free(job);
}

/* Copies the values of specialisation constants. False: out of memory. */
static bool take_spec_values(struct job *job)
{
    struct _cl_program *program = job->program;
    pthread_mutex_lock(&program->lock);
    uint32_t count = program->spec_count;
    job->spec_constants = tsr_calloc(count + 1, sizeof(*job->spec_constants));
    job->spec_values = tsr_calloc(count + 1, sizeof(*job->spec_values));
    bool good = job->spec_constants && job->spec_values;
    for (uint32_t i = 0; i < count && good; i++) {
        job->spec_values[i] = program->spec_values[i];
        job->spec_constants[i] = (struct tsr_spirv_constant){job->spec_values[i].id, job->spec_values[i].size, job->spec_values[i].bytes};
    }
    job->spec_count = good ? count : 0;
    pthread_mutex_unlock(&program->lock);
    return good;
}

/* A job for these devices of the program, which the caller has checked; no devices mean all. NULL: out of memory. */
static struct job *job_new(struct _cl_program *program, enum tsr_clc_op op, const char *options, cl_uint num_devices,
                           const cl_device_id *device_list)
{
    struct job *job = tsr_calloc(1, sizeof(*job));
    if (!job)
        return NULL;
    tsr__hold(program);
    job->program = program;
    job->call = op;
    job->options = tsr_strdup(options ? options : "");
    job->parts = tsr_calloc(program->build_count, sizeof(*job->parts));
    if (!job->options || !job->parts || (program->il && !take_spec_values(job))) {
        job_free(job);
        return NULL;
    }
    for (cl_uint i = 0; i < program->build_count; i++) {
        bool wanted = !num_devices;
        for (cl_uint j = 0; j < num_devices; j++)
            wanted |= device_list[j] == program->builds[i].device;
        if (wanted)
            job->parts[job->part_count++] = (struct part){.build = &program->builds[i], .op = op};
    }
    return job;
}

/* ---- the work ---- */

static enum tsr_clc_language language_of(const struct _cl_program *program)
{
    return program->il ? TSR_CLC_SPIRV : TSR_CLC_OPENCL_C;
}

static bool add_input(struct part *part, const void *data, size_t size)
{
    void *copy = tsr_malloc(size);
    if (!copy)
        return false;
    memcpy(copy, data, size);
    part->inputs[part->input_count++] = (struct tsr_clc_input){copy, size};
    return true;
}

static void compile(struct job *job, const struct part *part, struct tsr_clc_result *result)
{
    const struct _cl_program *program = job->program;
    if (program->il && !part->build->device->caps->spirv) {
        result->outcome = TSR_CLC_FAILED;
        result->log = tsr_strdup("error: this device takes no SPIR-V (its CL_DEVICE_IL_VERSION is empty)\n");
        return;
    }
    struct tsr_clc_request request = {
        .op = part->op,
        .language = language_of(program),
        .source = {.data = program->il ? (const char *)program->il : program->source,
                   .size = program->il ? program->il_size : program->source_size},
        .spec_count = job->spec_count,
        .spec_constants = job->spec_constants,
        .header_count = job->header_count,
        .headers = job->headers,
        .input_count = part->input_count,
        .inputs = part->inputs,
        .by_kernel = true,
        .bodies = tsr__first_bodies(part->build->device),
        .options = job->call == part->op ? job->options : "",
    };
    uint64_t begin = tsr_now_ns();
    tsr__code_compile(part->build, &request, result);
    tsr_log(TSR_LOG_COMPILE, "request %d took %llu us, outcome %d", part->op, (unsigned long long)(tsr_now_ns() - begin) / 1000,
            result->outcome);
}

/* Whether the request to the compiler is the same for both: devices of one folder, or a device and its sub-device. */
static bool same_request(const struct part *a, const struct part *b)
{
    const struct _cl_device_id *x = a->build->device, *y = b->build->device;
    bool same =
        a->op == b->op && a->keeps_image == b->keeps_image && x->ops == y->ops && x->caps == y->caps && a->input_count == b->input_count;
    for (cl_uint i = 0; i < a->input_count && same; i++)
        same = a->inputs[i].size == b->inputs[i].size && !memcmp(a->inputs[i].data, b->inputs[i].data, a->inputs[i].size);
    return same;
}

/* Gives the build its own copy of the image. */
static enum tsr_status install(struct tsr_build *build, const void *data, size_t size)
{
    unsigned char *image = tsr_malloc(size);
    if (!image)
        return TSR_NO_MEMORY;
    memcpy(image, data, size);
    enum tsr_status status = tsr__build_take_image(build, image, size);
    if (status != TSR_OK)
        tsr_free(image);
    return status;
}

static cl_int failure_code(enum tsr_clc_op op)
{
    return op == TSR_CLC_COMPILE ? CL_COMPILE_PROGRAM_FAILURE : op == TSR_CLC_LINK ? CL_LINK_PROGRAM_FAILURE : CL_BUILD_PROGRAM_FAILURE;
}

static cl_int outcome_code(enum tsr_clc_op op, enum tsr_clc_outcome outcome)
{
    switch (outcome) {
    case TSR_CLC_DONE:
        return CL_SUCCESS;
    case TSR_CLC_INVALID_OPTIONS:
        return op == TSR_CLC_COMPILE ? CL_INVALID_COMPILER_OPTIONS
               : op == TSR_CLC_LINK  ? CL_INVALID_LINKER_OPTIONS
                                     : CL_INVALID_BUILD_OPTIONS;
    case TSR_CLC_UNAVAILABLE:
        return op == TSR_CLC_LINK ? CL_LINKER_NOT_AVAILABLE : CL_COMPILER_NOT_AVAILABLE;
    case TSR_CLC_NO_MEMORY:
        return CL_OUT_OF_HOST_MEMORY;
    default:
        return failure_code(op);
    }
}

/* Whether the build goes on with the code that its binary has, since none could be made anew: code for a lesser CPU runs as well. */
static bool keep_code(const struct part *part, const struct tsr_clc_result *result)
{
    return part->op == TSR_CLC_CODE && result->outcome != TSR_CLC_DONE &&
           install(part->build, part->inputs[0].data, part->inputs[0].size) == TSR_OK;
}

/* Ends the build's CL_BUILD_IN_PROGRESS. The program's lock is held. */
static cl_int end_build(const struct job *job, const struct part *part, const struct tsr_clc_result *result)
{
    struct tsr_build *build = part->build;
    cl_int err = keep_code(part, result) ? CL_SUCCESS : outcome_code(job->call, result->outcome);
    enum tsr_status status = TSR_OK;
    build->options = tsr_strdup(job->options);
    if (!part->keeps_image && result->outcome == TSR_CLC_DONE)
        status = install(build, result->image, result->image_size);
    if (status == TSR_OK)
        build->log = tsr_strdup(result->log ? result->log : "");
    else
        build->log = tsr_format("error: the compiler's result cannot be used: %s\n", tsr_status_text(status));
    if (status != TSR_OK)
        err = status == TSR_NO_MEMORY ? CL_OUT_OF_HOST_MEMORY : failure_code(job->call);
    build->status = err == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    return err;
}

/* Asks the compiler for this part of the job, and ends the builds of all parts that ask for the same. */
static cl_int run_part(struct job *job, cl_uint index)
{
    struct _cl_program *program = job->program;
    struct tsr_clc_result result = {.outcome = TSR_CLC_DONE};
    cl_int err = CL_SUCCESS;
    if (!job->parts[index].keeps_image)
        compile(job, &job->parts[index], &result);
    pthread_mutex_lock(&program->lock);
    for (cl_uint i = index; i < job->part_count; i++) {
        struct part *part = &job->parts[i];
        if (part->done || !same_request(&job->parts[index], part))
            continue;
        cl_int code = end_build(job, part, &result);
        part->done = true;
        if (code != CL_SUCCESS)
            err = code;
    }
    pthread_mutex_unlock(&program->lock);
    if (err != CL_SUCCESS)
        tsr__error(program->context, err, __func__, "result", "the program was not built: %s", result.log ? result.log : "out of memory");
    tsr_clc_result_free(&result);
    return err;
}

/* Runs the job, calls back and frees the job. If one device's build fails, the others still get an executable. */
static cl_int job_run(struct job *job)
{
    cl_int err = CL_SUCCESS;
    for (cl_uint i = 0; i < job->part_count; i++) {
        cl_int code = job->parts[i].done ? CL_SUCCESS : run_part(job, i);
        if (err == CL_SUCCESS)
            err = code;
    }
    int begun = tsr_no_cancel_begin();
    if (job->notify)
        job->notify(job->program, job->user_data);
    tsr_no_cancel_end(begun);
    job_free(job);
    return err;
}

static void *job_thread(void *job)
{
    job_run(job);
    return NULL;
}

/* Runs a job after job_begin: in a thread of its own if there is a callback. */
static cl_int job_start(struct job *job)
{
    pthread_t thread;
    if (job->notify && tsr__build_thread(&thread, job_thread, job)) {
        pthread_detach(thread);
        return CL_SUCCESS;
    }
    /* No callback, or no thread could be started: "can return immediately" is a permission, not a duty. */
    bool asynchronous = job->notify;
    cl_int err = job_run(job);
    return asynchronous ? CL_SUCCESS : err;
}

/* Prepares the part for a program made from a binary: an executable is ready, or gets its code anew if it comes from another CPU or
 * version; objects and libraries are linked. False: there is no binary, or no memory for it. */
static bool take_binary(struct part *part)
{
    const struct tsr_build *build = part->build;
    bool executable = build->kind == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    part->keeps_image = executable && !build->moved;
    if (part->keeps_image || !build->code.image)
        return build->code.image;
    part->op = executable ? TSR_CLC_CODE : TSR_CLC_LINK;
    part->inputs = tsr_calloc(1, sizeof(*part->inputs));
    return part->inputs && add_input(part, build->code.image, build->code.image_size);
}

/* Code that is made in the background for kernels that have been released since. */
static void wait_for_makers(struct _cl_program *program)
{
    int begun = tsr_no_cancel_begin();
    pthread_mutex_lock(&program->lock);
    while (program->making)
        pthread_cond_wait(&program->coded, &program->lock);
    pthread_mutex_unlock(&program->lock);
    tsr_no_cancel_end(begun);
}

/* Marks the builds as running, or reports why they may not run, and frees the job. */
static cl_int job_begin(struct job *job)
{
    struct _cl_program *program = job->program;
    struct _cl_context *context = program->context;
    bool busy = false, attached, missing = false;
    wait_for_makers(program);
    tsr_no_fork_begin(); /* as code is unloaded: not under a lock for which fork() waits */
    pthread_mutex_lock(&program->lock);
    for (cl_uint i = 0; i < job->part_count; i++)
        busy |= job->parts[i].build->status == CL_BUILD_IN_PROGRESS;
    attached = program->kernel_count || program->making;
    bool binary = program->origin == TSR_FROM_BINARY && job->call == TSR_CLC_BUILD;
    for (cl_uint i = 0; i < job->part_count && binary && !busy && !attached; i++)
        missing |= !take_binary(&job->parts[i]);
    bool good = !busy && !attached && !missing;
    for (cl_uint i = 0; i < job->part_count && good; i++) {
        struct tsr_build *build = job->parts[i].build;
        if (job->parts[i].keeps_image) {
            tsr_free(build->options);
            tsr_free(build->log);
            build->options = build->log = NULL;
        } else {
            tsr__build_clear(build);
        }
        tsr_environment_free(build->environment);
        build->environment = tsr_environment_copy();
        build->status = CL_BUILD_IN_PROGRESS;
    }
    pthread_mutex_unlock(&program->lock);
    tsr_no_fork_end();
    if (good)
        return CL_SUCCESS;
    tsr__hold(context); /* for the message: the job may hold the last reference to the program */
    job_free(job);
    cl_int err;
    if (busy)
        err = tsr__error(context, CL_INVALID_OPERATION, __func__, "busy", "an earlier build of the program has not ended yet");
    else if (attached)
        err = tsr__error(context, CL_INVALID_OPERATION, __func__, "attached",
                         "the program has kernels; release them before building it again");
    else
        err = tsr__error(context, CL_INVALID_BINARY, __func__, "missing", "the program has no binary for the device");
    tsr__drop(context);
    return err;
}

/* ---- checks that the three share ---- */

static cl_int check_devices(struct _cl_program *program, cl_uint num_devices, const cl_device_id *device_list)
{
    for (cl_uint i = 0; i < num_devices; i++)
        RETURN_IF(program->context, !tsr__program_build_of(program, device_list[i]), CL_INVALID_DEVICE,
                  "device %u of the list is none of the program's", i);
    return CL_SUCCESS;
}

/* Nothing is built, but the build log tells the reason. */
static void note_refusal(struct _cl_program *program, cl_uint num_devices, const cl_device_id *device_list, const char *why)
{
    pthread_mutex_lock(&program->lock);
    for (cl_uint i = 0; i < program->build_count; i++) {
        struct tsr_build *build = &program->builds[i];
        bool meant = !num_devices;
        for (cl_uint j = 0; j < num_devices; j++)
            meant |= device_list[j] == build->device;
        char *log = meant && build->status != CL_BUILD_IN_PROGRESS ? tsr_format("error: %s\n", why) : NULL;
        if (!log)
            continue;
        tsr_free(build->log);
        build->log = log;
    }
    pthread_mutex_unlock(&program->lock);
}

/* `program`: its log gets the reason; NULL: there is no program yet. */
static cl_int check_options(struct _cl_context *context, struct _cl_program *program, cl_uint num_devices, const cl_device_id *device_list,
                            enum tsr_clc_op op, const char *options)
{
    char *why = tsr_clc_check_options(op, program ? language_of(program) : TSR_CLC_OPENCL_C, options ? options : "");
    if (!why)
        return CL_SUCCESS;
    if (program)
        note_refusal(program, num_devices, device_list, why);
    cl_int err = tsr__error(context, outcome_code(op, TSR_CLC_INVALID_OPTIONS), __func__, "options", "%s", why);
    tsr_free(why);
    return err;
}

TSR_API cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list, const char *options,
                                          void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data)
{
    RETURN_IF(NULL, !tsr__valid(program, TSR_TAG_PROGRAM), CL_INVALID_PROGRAM, "the program is not valid");
    struct _cl_context *context = program->context;
    RETURN_IF(context, !device_list != !num_devices, CL_INVALID_VALUE, "%u devices at %p", num_devices, (void *)device_list);
    RETURN_IF(context, !pfn_notify && user_data, CL_INVALID_VALUE, "user data without a callback");
    cl_int err = check_devices(program, num_devices, device_list);
    if (err == CL_SUCCESS)
        err = check_options(context, program, num_devices, device_list, TSR_CLC_BUILD, options);
    if (err != CL_SUCCESS)
        return err;
    /* "CL_INVALID_OPERATION if program was not created with clCreateProgramWithSource, clCreateProgramWithIL or clCreateProgramWithBinary."
     */
    RETURN_IF(context, program->origin == TSR_FROM_LINK, CL_INVALID_OPERATION, "a linked program cannot be built");
    struct job *job = job_new(program, TSR_CLC_BUILD, options, num_devices, device_list);
    RETURN_IF(context, !job, CL_OUT_OF_HOST_MEMORY, "no memory for a build");
    job->notify = pfn_notify;
    job->user_data = user_data;
    err = job_begin(job);
    return err == CL_SUCCESS ? job_start(job) : err;
}

/* ---- clCompileProgram ---- */

static bool take_headers(struct job *job, cl_uint count, const cl_program *programs, const char **names)
{
    if (!count)
        return true;
    job->headers = tsr_calloc(count, sizeof(*job->headers));
    job->header_programs = tsr_calloc(count, sizeof(*job->header_programs));
    if (!job->headers || !job->header_programs)
        return false;
    for (cl_uint i = 0; i < count; i++, job->header_count++) {
        char *name = tsr_strdup(names[i]);
        if (!name)
            return false;
        tsr__hold(programs[i]);
        job->header_programs[i] = programs[i];
        job->headers[i] = (struct tsr_clc_text){name, programs[i]->source, programs[i]->source_size};
    }
    return true;
}

TSR_API cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list, const char *options,
                                            cl_uint num_input_headers, const cl_program *input_headers, const char **header_include_names,
                                            void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data)
{
    RETURN_IF(NULL, !tsr__valid(program, TSR_TAG_PROGRAM), CL_INVALID_PROGRAM, "the program is not valid");
    struct _cl_context *context = program->context;
    RETURN_IF(context, !device_list != !num_devices, CL_INVALID_VALUE, "%u devices at %p", num_devices, (void *)device_list);
    /* "CL_INVALID_VALUE if num_input_headers is zero and header_include_names or input_headers are not NULL or if num_input_headers is not
     * zero and header_include_names or input_headers are NULL." */
    if (program->il) /* "… num_input_headers, input_headers, and header_include_names are ignored." */
        num_input_headers = 0;
    RETURN_IF(context,
              num_input_headers ? !input_headers || !header_include_names : !program->il && (input_headers || header_include_names),
              CL_INVALID_VALUE, "%u headers, programs at %p, names at %p", num_input_headers, (void *)input_headers,
              (void *)header_include_names);
    RETURN_IF(context, !pfn_notify && user_data, CL_INVALID_VALUE, "user data without a callback");
    cl_int err = check_devices(program, num_devices, device_list);
    if (err != CL_SUCCESS)
        return err;
    for (cl_uint i = 0; i < num_input_headers; i++) {
        RETURN_IF(context, !tsr__valid(input_headers[i], TSR_TAG_PROGRAM), CL_INVALID_PROGRAM, "header %u is not a program", i);
        RETURN_IF(context, input_headers[i]->context != context, CL_INVALID_CONTEXT, "header %u and the program are of two contexts", i);
        RETURN_IF(context, !header_include_names[i], CL_INVALID_VALUE, "header %u has no name", i);
        RETURN_IF(context, !input_headers[i]->source, CL_INVALID_OPERATION, "header %u (%s) has no source", i, header_include_names[i]);
    }
    /* "CL_INVALID_OPERATION if program has no source or IL available." */
    RETURN_IF(context, !program->source && !program->il, CL_INVALID_OPERATION, "the program has no source");
    err = check_options(context, program, num_devices, device_list, TSR_CLC_COMPILE, options);
    if (err != CL_SUCCESS)
        return err;
    struct job *job = job_new(program, TSR_CLC_COMPILE, options, num_devices, device_list);
    if (!job || !take_headers(job, num_input_headers, input_headers, header_include_names)) {
        job_free(job);
        return tsr__error(context, CL_OUT_OF_HOST_MEMORY, __func__, "job", "no memory for a compilation");
    }
    job->notify = pfn_notify;
    job->user_data = user_data;
    err = job_begin(job);
    return err == CL_SUCCESS ? job_start(job) : err;
}

/* ---- clLinkProgram ---- */

/* 1: the program has an object or a library for the device; 0: it has none; -1: a build of it is running. The lock is held. */
static int linkable(const struct _cl_program *program, const struct _cl_device_id *device)
{
    const struct tsr_build *build = tsr__program_build_for(program, device);
    if (build && build->status == CL_BUILD_IN_PROGRESS)
        return -1;
    return build && (build->kind == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT || build->kind == CL_PROGRAM_BINARY_TYPE_LIBRARY);
}

/* Chooses the devices for which all inputs have an object or library: *linked gets them, in the order of the list. "All or none": a device
 * for which only some inputs have one is CL_INVALID_OPERATION. */
static cl_int sort_devices(struct _cl_context *context, cl_uint device_count, const cl_device_id *devices, cl_uint input_count,
                           const cl_program *inputs, cl_device_id *linked, cl_uint *linked_count)
{
    *linked_count = 0;
    for (cl_uint d = 0; d < device_count; d++) {
        cl_uint have = 0;
        for (cl_uint i = 0; i < input_count; i++) {
            pthread_mutex_lock(&inputs[i]->lock);
            int answer = linkable(inputs[i], devices[d]);
            pthread_mutex_unlock(&inputs[i]->lock);
            RETURN_IF(context, answer < 0, CL_INVALID_OPERATION, "a build of input program %u has not ended yet", i);
            have += (cl_uint)answer;
        }
        RETURN_IF(context, have && have != input_count, CL_INVALID_OPERATION,
                  "for device %u, %u of the %u input programs have a compiled object or a library; it must be all or none", d, have,
                  input_count);
        if (have)
            linked[(*linked_count)++] = devices[d];
    }
    RETURN_IF(context, !*linked_count, CL_INVALID_OPERATION, "no input program has a compiled object or a library for any device");
    return CL_SUCCESS;
}

/* Copies the inputs: the application may compile them again while the link runs. */
static bool take_inputs(struct part *part, cl_uint count, const cl_program *programs)
{
    part->inputs = tsr_calloc(count, sizeof(*part->inputs));
    bool good = part->inputs;
    for (cl_uint i = 0; i < count && good; i++) {
        pthread_mutex_lock(&programs[i]->lock);
        const struct tsr_build *build = tsr__program_build_for(programs[i], part->build->device);
        good = build && build->code.image && add_input(part, build->code.image, build->code.image_size);
        pthread_mutex_unlock(&programs[i]->lock);
    }
    return good;
}

TSR_API cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *device_list, const char *options,
                                             cl_uint num_input_programs, const cl_program *input_programs,
                                             void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data, cl_int *errcode_ret)
{
    cl_int err = CL_SUCCESS;
    struct _cl_program *program = NULL;
    struct job *job = NULL;
    cl_device_id *linked = NULL;
    cl_uint linked_count = 0;
    FAIL_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "the context is not valid");
    FAIL_IF(context, !device_list != !num_devices, CL_INVALID_VALUE, "%u devices at %p", num_devices, (void *)device_list);
    FAIL_IF(context, !num_input_programs || !input_programs, CL_INVALID_VALUE, "no input programs");
    for (cl_uint i = 0; i < num_input_programs; i++) {
        FAIL_IF(context, !tsr__valid(input_programs[i], TSR_TAG_PROGRAM), CL_INVALID_PROGRAM, "input program %u is not valid", i);
        FAIL_IF(context, input_programs[i]->context != context, CL_INVALID_CONTEXT, "input program %u is of another context", i);
    }
    FAIL_IF(context, !pfn_notify && user_data, CL_INVALID_VALUE, "user data without a callback");
    for (cl_uint i = 0; i < num_devices; i++)
        FAIL_IF(context, !tsr__context_has(context, device_list[i]), CL_INVALID_DEVICE, "device %u is not of the context", i);
    if (!num_devices) {
        num_devices = context->device_count;
        device_list = context->devices;
    }
    err = check_options(context, NULL, 0, NULL, TSR_CLC_LINK, options);
    if (err != CL_SUCCESS)
        goto fail;
    linked = tsr_calloc(num_devices, sizeof(*linked));
    FAIL_IF(context, !linked, CL_OUT_OF_HOST_MEMORY, "no memory for a list of devices");
    err = sort_devices(context, num_devices, device_list, num_input_programs, input_programs, linked, &linked_count);
    if (err != CL_SUCCESS)
        goto fail;
    program = tsr__program_new(context, num_devices, device_list, TSR_FROM_LINK);
    FAIL_IF(context, !program, CL_OUT_OF_HOST_MEMORY, "no memory for a program");
    job = job_new(program, TSR_CLC_LINK, options, linked_count, linked);
    FAIL_IF(context, !job, CL_OUT_OF_HOST_MEMORY, "no memory for a link");
    for (cl_uint i = 0; i < job->part_count; i++)
        FAIL_IF(context, !take_inputs(&job->parts[i], num_input_programs, input_programs), CL_OUT_OF_HOST_MEMORY, "no memory for a link");
    tsr_free(linked);
    job->notify = pfn_notify;
    job->user_data = user_data;
    err = job_begin(job);
    if (err == CL_SUCCESS)
        err = job_start(job);
    /* "The linking operation can begin": from here the caller gets a program even if the link fails, to ask for the log. */
    if (errcode_ret)
        *errcode_ret = err;
    return program;
fail:
    tsr_free(linked);
    job_free(job);
    if (program)
        tsr__drop(program);
    if (errcode_ret)
        *errcode_ret = err;
    return NULL;
}

/* ---- clGetProgramBuildInfo ---- */

/* The program's lock is held. */
static cl_int build_info(const struct tsr_build *build, cl_program_build_info name, struct tsr_info_out out)
{
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS:
        return tsr__info_value(out, cl_build_status, build->status);
    case CL_PROGRAM_BUILD_OPTIONS:
        return tsr__info_str(out, build->options);
    case CL_PROGRAM_BUILD_LOG:
        return tsr__info_str(out, build->log);
    case CL_PROGRAM_BINARY_TYPE:
        return tsr__info_value(out, cl_program_binary_type, build->kind);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return tsr__info_value(out, size_t, build->code.info.global_bytes);
    default:
        return tsr__error(NULL, CL_INVALID_VALUE, __func__, "param_name", "0x%x is no name of a build query", name);
    }
}

TSR_API cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info param_name,
                                                 size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    RETURN_IF(NULL, !tsr__valid(program, TSR_TAG_PROGRAM), CL_INVALID_PROGRAM, "the program is not valid");
    RETURN_IF(program->context, !tsr__program_build_of(program, device), CL_INVALID_DEVICE, "the device is none of the program's");
    pthread_mutex_lock(&program->lock);
    cl_int err = build_info(tsr__program_build_for(program, device), param_name,
                            (struct tsr_info_out){param_value_size, param_value, param_value_size_ret});
    pthread_mutex_unlock(&program->lock);
    return err;
}
