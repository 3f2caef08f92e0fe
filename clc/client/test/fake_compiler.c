/* SPDX-License-Identifier: Apache-2.0
 * Stands in for tessera-cc in the tests: speaks the wire and does what the first word of the source says. Like the real one it works in a
 * child of its own. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clc/common/wire.h"

static const char *after(const char *text, const char *word)
{
    size_t length = strlen(word);
    return !strncmp(text, word, length) ? text + length : NULL;
}

/* The tests count requests by the length of this file. */
static void count_run(void)
{
    const char *path = getenv("FAKE_RUNS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fputc('x', file);
        fclose(file);
    }
}

static void list_descriptors(struct tsr_buf *image)
{
    DIR *dir = opendir("/proc/self/fd");
    for (struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(dir))
            tsr_buf_printf(image, "%s ", e->d_name);
    closedir(dir);
}

enum { MOST_LOOKUPS = 8 };

/* What is found under the paths, which have blanks between them. Files are read, or with `only_stat` just seen. */
static uint32_t look_up(char *paths, bool only_stat, struct tsr_wire_file *files)
{
    struct stat st[MOST_LOOKUPS];
    uint32_t count = 0;
    for (char *path; count < MOST_LOOKUPS && (path = strsep(&paths, " ")); count++) {
        struct tsr_wire_file *file = &files[count];
        *file = (struct tsr_wire_file){.path = path, .same_as = count};
        file->found = tsr_wire_look(path, &st[count]);
        for (uint32_t i = count; i-- > 0;)
            if (st[i].st_ino && st[i].st_dev == st[count].st_dev && st[i].st_ino == st[count].st_ino)
                file->same_as = i;
        unsigned char *data;
        size_t size;
        if (only_stat || file->found != TSR_WIRE_PRESENT || tsr_file_read(path, 1 << 20, &data, &size) != TSR_OK)
            continue;
        file->found = TSR_WIRE_READ;
        file->hash = tsr_hash_bytes(data, size);
        tsr_free(data);
    }
    return count;
}

static void answer(const struct tsr_wire_request *request)
{
    const struct tsr_clc_request *q = &request->request;
    char *text = tsr_strndup(q->source.data, q->source.size < 1000 ? q->source.size : 1000);
    struct tsr_buf image = {0}, bytes = {0};
    struct tsr_wire_result result = {.outcome = TSR_CLC_DONE, .keep = true, .log = "warning: kept with the image\n"};
    struct tsr_wire_file file, looked[MOST_LOOKUPS];
    const char *rest;
    if ((rest = after(text, "die "))) {
        fprintf(stderr, "famous last words\n");
        signal(atoi(rest), SIG_DFL); /* a sanitizer handles some */
        kill(getpid(), atoi(rest));
    } else if ((rest = after(text, "exit "))) {
        _exit(atoi(rest));
    } else if (after(text, "garbage")) {
        char junk[4096];
        memset(junk, 0x5a, sizeof(junk));
        (void)!write(STDIN_FILENO, junk, sizeof(junk));
        pause();
    } else if (after(text, "nonsense")) {
        tsr_wire_send(STDIN_FILENO, TSR_WIRE_RESULT, "nonsense", 8, UINT64_MAX);
        return;
    } else if (after(text, "huge")) {
        uint32_t head[4] = {TSR_WIRE_MAGIC, TSR_WIRE_RESULT, 0xffffffff, 0xffff};
        (void)!write(STDIN_FILENO, head, sizeof(head));
        pause();
    } else if (after(text, "fail")) {
        result.outcome = TSR_CLC_FAILED;
        result.log = "error: no\n";
    } else if ((rest = after(text, "file "))) {
        unsigned char *data = NULL;
        size_t size = 0;
        if (tsr_file_read(rest, 1 << 20, &data, &size) != TSR_OK) {
            result.outcome = TSR_CLC_FAILED;
            result.log = "error: no such file\n";
        }
        tsr_buf_bytes(&image, data, size);
        file = (struct tsr_wire_file){rest, TSR_WIRE_READ, 0, tsr_hash_bytes(data, size)};
        result.files = &file;
        result.file_count = result.outcome == TSR_CLC_DONE;
    } else if (after(text, "read ") || after(text, "stat ")) {
        result.file_count = look_up(text + 5, text[0] == 's', looked);
        result.files = looked;
    } else if (after(text, "once")) {
        result.keep = false;
    } else if (after(text, "pid")) {
        tsr_buf_printf(&image, "%d", (int)getpid());
    } else if (after(text, "descriptors")) {
        list_descriptors(&image);
    } else if ((rest = after(text, "wait ")) && access(rest, F_OK)) {
        FILE *sign = fopen(rest, "w");
        if (sign)
            fclose(sign);
        usleep(300000);
    } else if ((rest = after(text, "environment "))) {
        tsr_buf_printf(&image, "%s", getenv(rest) ? getenv(rest) : "unset");
    } else if ((rest = after(text, "large "))) {
        char block[1 << 12] = {1};
        for (int i = atoi(rest); i > 0; i--)
            tsr_buf_bytes(&image, block, sizeof(block));
    }
    if (!image.size && result.outcome == TSR_CLC_DONE) {
        /* What arrived, so that the test can compare. */
        struct tsr_hash hash = tsr_hash_bytes(q->source.data, q->source.size);
        tsr_buf_bytes(&image, &hash, sizeof(hash));
        for (uint32_t i = 0; i < q->header_count; i++) {
            hash = tsr_hash_bytes(q->headers[i].data, q->headers[i].size);
            tsr_buf_bytes(&image, &hash, sizeof(hash));
        }
        tsr_buf_printf(&image, "%s|%s", q->options ? q->options : "", request->directory ? request->directory : "");
    }
    count_run();
    result.image = image.data;
    result.image_size = image.size;
    tsr_wire_write_result(&result, &bytes);
    tsr_wire_send(STDIN_FILENO, TSR_WIRE_RESULT, bytes.data, bytes.size, UINT64_MAX);
    tsr_buf_free(&bytes);
    tsr_buf_free(&image);
    tsr_free(text);
}

static void serve(void)
{
    for (;;) {
        uint32_t kind;
        unsigned char *data;
        size_t size;
        if (tsr_wire_receive(STDIN_FILENO, &kind, &data, &size, UINT64_MAX) != TSR_OK)
            _exit(0);
        struct tsr_arena arena = {0};
        struct tsr_wire_request request;
        if (kind != TSR_WIRE_REQUEST || tsr_wire_read_request(data, size, &arena, &request) != TSR_OK)
            _exit(99);
        answer(&request);
        tsr_arena_free(&arena);
        tsr_free(data);
    }
}

int main(void)
{
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve();
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    tsr_wire_send_died(STDIN_FILENO, status);
    return 0;
}
