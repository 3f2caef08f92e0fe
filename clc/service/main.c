/* SPDX-License-Identifier: Apache-2.0
 * tessera-cc: answers requests on a socket, or compiles one file for a human. */
#include "clc/service/service.h"
#include "tessera/il_code.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const size_t largest_source = (size_t)1 << 30;

/* ---- service ---- */

static volatile sig_atomic_t child_ended;

static void on_child(int number)
{
    (void)number;
    child_ended = 1;
}

/* A descriptor that can be read when the application has ended, or -1. The socket alone does not tell: a child that the application made
 * with a bare clone() may hold its end open. */
static int open_application(void)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.pid <= 0)
        return -1;
    return (int)syscall(SYS_pidfd_open, peer.pid, 0);
}

/* The parent's work: ends the child when the driver hangs up or ends, and tells the driver when the child dies. */
static int watch(pid_t child, const sigset_t *waiting_mask)
{
    int status, application = open_application();
    for (;;) {
        if (child_ended && waitpid(child, &status, WNOHANG) == child)
            break;
        struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLRDHUP}, {.fd = application, .events = POLLIN}};
        if (ppoll(fds, TSR_ARRAY_LEN(fds), NULL, waiting_mask) > 0) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return 0;
        }
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        tsr_wire_send_died(STDIN_FILENO, status);
    return 0;
}

/* The last answer of a process that has no memory to build one. */
static int serve_no_memory(void)
{
    unsigned char room[TSR__NO_MEMORY_ROOM];
    struct tsr_buf answer = tsr__no_memory_answer(room);
    return tsr_wire_send(STDIN_FILENO, TSR_WIRE_RESULT, answer.data, answer.size, UINT64_MAX) == TSR_OK ? 0 : 1;
}

/* Which limit counts: our own, or a hard one of the application, which is smaller. */
static void state_memory_limit(uint64_t own)
{
    struct rlimit space, data;
    if (getrlimit(RLIMIT_AS, &space) || getrlimit(RLIMIT_DATA, &data))
        return;
    rlim_t least = space.rlim_cur < data.rlim_cur ? space.rlim_cur : data.rlim_cur;
    tsr__state_memory_limit(least == RLIM_INFINITY ? 0 : least, least != own);
}

static int answer_requests(void)
{
    const char *why;
    uint64_t limit = tsr_env_size(TSR_ENV_CC_MEMORY);
    tsr__parts(&why); /* read before the jail closes; a missing file is reported at the first request */
    tsr__translate_prepare(true);
    tsr__jail_enter(limit);
    state_memory_limit(limit);
    for (;;) {
        unsigned char *request;
        size_t size;
        uint32_t kind;
        enum tsr_status status = tsr_wire_receive(STDIN_FILENO, &kind, &request, &size, UINT64_MAX);
        if (status == TSR_DIED)
            return 0;
        if (status == TSR_NO_MEMORY)
            return serve_no_memory();
        if (status != TSR_OK || kind != TSR_WIRE_REQUEST) {
            fprintf(stderr, "tessera-cc: bad request: %s\n", tsr_status_text(status));
            return 1;
        }
        struct tsr_buf answer = {0};
        bool whole = tsr__answer_bytes(request, size, &answer);
        tsr_free(request);
        if (answer.failed)
            return serve_no_memory();
        status = tsr_wire_send(STDIN_FILENO, TSR_WIRE_RESULT, answer.data, answer.size, UINT64_MAX);
        tsr_buf_free(&answer);
        if (status == TSR_DIED || (status == TSR_OK && !whole)) /* the next request gets a new process */
            return 0;
        if (status != TSR_OK) {
            fprintf(stderr, "tessera-cc: no answer: %s\n", tsr_status_text(status));
            return 1;
        }
    }
}

static void serve(void *exit_status)
{
    *(int *)exit_status = answer_requests();
}

/* As far as the hard limit goes. */
static void lift_limit(__rlimit_resource_t what)
{
    struct rlimit limit;
    if (!getrlimit(what, &limit)) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(what, &limit);
    }
}

/* The application's limits count for the compiler as well. A write to a file that gets too large fails, and kills nobody. */
static void lift_limits(void)
{
    signal(SIGXFSZ, SIG_IGN);
    lift_limit(RLIMIT_FSIZE);
    lift_limit(RLIMIT_DATA);
}

static int serve_in_child(void)
{
    lift_limits();
    sigset_t child_signal, waiting_mask;
    struct sigaction action = {.sa_handler = on_child};
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, &waiting_mask);
    sigaction(SIGCHLD, &action, NULL);
    pid_t parent = getpid(), child = fork();
    if (child < 0) {
        fprintf(stderr, "tessera-cc: fork: %s\n", strerror(errno));
        return 1;
    }
    if (child > 0)
        return watch(child, &waiting_mask);
    sigprocmask(SIG_SETMASK, &waiting_mask, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        return 1;
    fflush(NULL);
    struct tsr__stack stack = {0};
    int exit_status = 1;
    if (!tsr__run_on_stack(&stack, serve, &exit_status))
        fprintf(stderr, "tessera-cc: no memory for a stack\n");
    _exit(exit_status); /* no static destructors: nothing of LLVM's is worth tidying up */
}

/* ---- command line ---- */

static const char usage[] =
    "Usage: tessera-cc -c FILE.cl -o FILE.tsr [tool options] [build options]\n"
    "\n"
    "Compiles OpenCL C, SPIR-V or the tensor language as clBuildProgram does, for this machine. The driver itself starts tessera-cc "
    "without words.\n"
    "\n"
    "  -c FILE        source, or a SPIR-V module; '-' is standard input\n"
    "  -o FILE        where the program goes; '-' is standard output\n"
    "  --object       stop at an object, as clCompileProgram does\n"
    "  --link         FILEs of -c (one or more) are objects: do as clLinkProgram does\n"
    "  --emit-llvm    the program is the text of the module that clang or the SPIR-V reader makes\n"
    "  --emit-spirv   the program is a module in SPIR-V, for any device that takes it\n"
    "  --code         the program without its description: an ELF shared object or bitcode\n"
    "  --spirv        compile for a GPU (docs/xmx.md), not for this machine; with --code: the module that its driver gets\n"
    "  --dump=FOLDER  write the module after each pass there\n"
    "  --times        print what each stage took, and each pass of the engine\n"
    "  --repeat=N     do it N times over (SPIR-V can be written once)\n"
    "  --help         this text\n"
    "\n"
    "Every other word is a build option (-cl-…, -D, -I, -w, -Werror, -g).\n"
    "\n"
    "Environment:\n";

enum side { HOST, COMPILER, BOTH };
static const struct {
    enum side side;
    const char *name, *values, *default_value, *text;
} variables[] = {
#define TSR_ENV(name, obeys, side, values, default_value, text) {side, "TESSERA_" #name, values, default_value, text},
#include "tessera/env.def"
#undef TSR_ENV
};

static void print_usage(void)
{
    fputs(usage, stdout);
    for (size_t i = 0; i < TSR_ARRAY_LEN(variables); i++) {
        const char *standard = variables[i].default_value;
        bool found_out = *standard == '('; /* the parentheses are those of the table */
        if (variables[i].side == HOST)
            continue;
        printf("  %s=%s\n      %s", variables[i].name, variables[i].values, variables[i].text);
        if (*standard)
            printf("; default: %.*s", (int)strlen(standard) - 2 * found_out, standard + found_out);
        putchar('\n');
    }
}

struct command {
    struct tsr_clc_request request;
    struct tsr__answer_debug debug;
    const char *out, **paths;
    struct tsr_clc_input *files; /* the contents of `paths` */
    uint32_t file_count;
    struct tsr_buf options;
    bool code, spirv, times;
    int repeat;
};

static int complain(const char *format, const char *what)
{
    fputs("tessera-cc: ", stderr);
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return 2;
}

static bool read_stream(FILE *stream, struct tsr_clc_input *file)
{
    struct tsr_buf buf = {0};
    char part[1 << 16];
    for (size_t got; (got = fread(part, 1, sizeof part, stream)) > 0 && buf.size < largest_source;)
        tsr_buf_bytes(&buf, part, got);
    file->data = buf.data;
    file->size = buf.size;
    return !buf.failed && !ferror(stream);
}

static bool read_file(const char *path, struct tsr_clc_input *file)
{
    if (!strcmp(path, "-"))
        return read_stream(stdin, file);
    unsigned char *data;
    size_t size;
    enum tsr_status status = tsr_file_read(path, largest_source, &data, &size);
    if (status != TSR_OK)
        return false;
    file->data = data;
    file->size = size;
    return true;
}

static bool write_file(const char *path, const void *data, size_t size)
{
    FILE *stream = strcmp(path, "-") ? fopen(path, "wb") : stdout;
    if (!stream)
        return false;
    bool good = fwrite(data, 1, size, stream) == size;
    return (stream == stdout ? fflush(stream) : fclose(stream)) == 0 && good;
}

/* One word of the build options, quoted so that the parser gives it back. */
static void add_option(struct tsr_buf *options, const char *word)
{
    tsr_buf_bytes(options, "\"", 1);
    for (; *word; word++)
        tsr_buf_printf(options, *word == '"' || *word == '\\' ? "\\%c" : "%c", *word);
    tsr_buf_bytes(options, "\" ", 2);
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return strcmp(a, "-") && strcmp(b, "-") && !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino &&
           S_ISREG(x.st_mode);
}

/* 0, or the exit status. */
static int read_files(struct command *command)
{
    for (uint32_t i = 0; i < command->file_count; i++) {
        const char *path = command->paths[i];
        if (is_same_file(path, command->out))
            return complain("%s is a source: -o would overwrite it", command->out);
        if (!read_file(path, &command->files[i]))
            return complain("cannot read %s", path);
    }
    return 0;
}

static bool parse_repeat(const char *word, int *repeat)
{
    char *end;
    long number = strtol(word, &end, 10);
    *repeat = (int)number;
    return end > word && !*end && number > 0 && number <= INT_MAX;
}

/* 0, or the exit status. */
static int parse_command(int argc, char **argv, struct command *command)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (!strcmp(word, "-c") && i + 1 < argc) {
            command->paths[command->file_count++] = argv[++i];
        } else if (!strcmp(word, "-o") && i + 1 < argc) {
            command->out = argv[++i];
        } else if (!strcmp(word, "--object")) {
            command->request.op = TSR_CLC_COMPILE;
        } else if (!strcmp(word, "--link")) {
            command->request.op = TSR_CLC_LINK;
        } else if (!strcmp(word, "--emit-llvm")) {
            command->debug.emit_llvm = true;
        } else if (!strcmp(word, "--emit-spirv")) {
            command->debug.emit_spirv = true;
        } else if (!strcmp(word, "--code")) {
            command->code = true;
        } else if (!strcmp(word, "--spirv")) {
            command->spirv = true;
        } else if (!strncmp(word, "--dump=", 7)) {
            command->debug.dump_dir = word + 7;
        } else if (!strcmp(word, "--times")) {
            command->times = true;
        } else if (!strncmp(word, "--repeat=", 9)) {
            if (!parse_repeat(word + 9, &command->repeat))
                return complain("'%s': N is a number from 1 on", word);
        } else if (!strncmp(word, "--", 2)) {
            return complain("no option '%s'; see --help", word);
        } else {
            add_option(&command->options, word);
        }
    }
    if (!command->file_count || !command->out)
        return complain("%s", "-c FILE and -o FILE are needed; see --help");
    if (command->request.op != TSR_CLC_LINK && command->file_count > 1)
        return complain("%s", "one source at a time");
    return read_files(command);
}

static int put_program(const struct command *command, const struct tsr__answer *answer)
{
    const void *data = answer->image.data;
    size_t size = answer->image.size;
    struct tsr_arena arena = {0};
    struct tsr_program_info info;
    if (command->code && tsr_image_read(data, size, &arena, &info) == TSR_OK) {
        struct tsr_il_code il;
        data = info.code;
        size = info.code_size;
        if (command->spirv && tsr_il_code_read(data, size, &arena, &il) == TSR_OK) {
            data = il.spirv;
            size = il.spirv_size;
        }
        if (info.kind != TSR_IMAGE_EXECUTABLE)
            data = tsr__unpack_module(info.code, info.code_size, &arena, &size);
    }
    bool good = write_file(command->out, data, size);
    tsr_arena_free(&arena);
    return good ? 0 : complain("cannot write %s", command->out);
}

struct answering {
    const struct tsr_wire_request *request;
    const struct tsr__answer_debug *debug;
    struct tsr__answer *answer;
};

static void answer_command(void *data)
{
    const struct answering *a = data;
    tsr__answer(a->request, a->debug, a->answer);
}

static int run_command(struct command *command)
{
    int status = 0;
    char *folder = getcwd(NULL, 0);
    struct tsr_wire_request request = {.request = command->request, .directory = folder};
    for (int i = 0; i < command->repeat && !status; i++) {
        struct tsr_buf times = {0};
        struct tsr__answer answer;
        command->debug.times = command->times ? &times : NULL;
        const char *fatal;
        if (!tsr__guard(answer_command, &(struct answering){&request, &command->debug, &answer}, &fatal))
            return complain("%s", fatal ? fatal : "out of memory");
        if (i == 0 || answer.outcome != TSR_CLC_DONE)
            fputs((const char *)answer.log.data, stderr);
        if (times.size)
            fprintf(stderr, "%.*s", (int)times.size, (const char *)times.data);
        status = answer.outcome != TSR_CLC_DONE ? 1 : i + 1 < command->repeat ? 0 : put_program(command, &answer);
        tsr_buf_free(&times);
        tsr__answer_free(&answer);
    }
    free(folder);
    return status;
}

/* By its first word, in either byte order: what is wrong with the rest is for the reader to say. */
static bool is_spirv(const struct tsr_clc_text *source)
{
    uint32_t first = 0;
    if (source->size >= sizeof first)
        memcpy(&first, source->data, sizeof first);
    return first == TSR_SPIRV_MAGIC || first == __builtin_bswap32(TSR_SPIRV_MAGIC);
}

static int command_line(int argc, char **argv)
{
    struct command command = {
        .repeat = 1, .paths = tsr_calloc((size_t)argc, sizeof(char *)), .files = tsr_calloc((size_t)argc, sizeof(struct tsr_clc_input))};
    if (!command.paths || !command.files)
        return complain("%s", "out of memory");
    int status = parse_command(argc, argv, &command);
    if (status)
        return status;
    tsr_buf_bytes(&command.options, "", 1);
    tsr__translate_prepare(false);
    struct tsr_clc_request *q = &command.request;
    q->options = (const char *)command.options.data;
    q->target = (struct tsr_target){
        .triple = TSR_TRIPLE_X86_64, .features = tsr_cpu()->features, .default_sub_group_size = 16, .macros = tsr_clc_all_macros()};
    if (command.spirv) {
        q->target.triple = TSR_TRIPLE_SPIRV64;
        q->target.features =
            TSR_IL_SIZES | TSR_IL_PAIRS | TSR_IL_INT4 | TSR_IL_INT8 | TSR_IL_FP16 | TSR_IL_BF16 | TSR_IL_TF32; /* of any GPU */
    }
    if (q->op == TSR_CLC_LINK) {
        q->inputs = command.files;
        q->input_count = command.file_count;
    } else {
        q->source = (struct tsr_clc_text){NULL, command.files[0].data, command.files[0].size};
        q->language = is_spirv(&q->source) ? TSR_CLC_SPIRV : TSR_CLC_OPENCL_C;
    }
    return run_command(&command);
}

struct words {
    int argc;
    char **argv;
    int exit_status;
};

static void run_words(void *data)
{
    struct words *words = data;
    words->exit_status = command_line(words->argc, words->argv);
}

__attribute__((visibility("default"))) int tsr_cc_main(int argc, char **argv)
{
    int type;
    socklen_t size = sizeof type;
    if (argc == 1 && !getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &size))
        return serve_in_child();
    if (argc == 1 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        print_usage();
        return argc == 1 ? 2 : 0;
    }
    struct words words = {argc, argv, 1};
    struct tsr__stack stack = {0};
    if (!tsr__run_on_stack(&stack, run_words, &words))
        complain("%s", "no memory for a stack");
    fflush(NULL);
    _exit(words.exit_status);
}
