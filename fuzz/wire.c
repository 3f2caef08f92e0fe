/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of the talk between driver and compiler: byte forms of requests and results, and frames. What can be read must be written back
 * as the same bytes. */
#include <sys/socket.h>
#include <unistd.h>

#include "clc/common/wire.h"
#include "fuzz/fuzz.h"

enum { REQUEST, RESULT, FRAME, KINDS };

void fuzz_begin(void) {}

static void add_frame(struct tsr_buf *seed, uint32_t kind, const char *text)
{
    tsr_buf_u32(seed, TSR_WIRE_MAGIC);
    tsr_buf_u32(seed, kind);
    tsr_buf_blob(seed, text, strlen(text));
}

bool fuzz_seed(unsigned index, struct tsr_buf *seed)
{
    static const struct tsr_clc_text headers[] = {{"a.h", "#define A", 9}, {"b/c.h", "", 0}};
    static const struct tsr_clc_input inputs[] = {{"TSRP", 4}, {"", 0}};
    static const struct tsr_spirv_constant constants[] = {{1, 1, "\1"}, {5, 4, "abcd"}};
    static const struct tsr_wire_file files[] = {{"/a.h", TSR_WIRE_READ, 0, {1, 2}}, {"/b.h", TSR_WIRE_FOLDER, 1, {3, 4}}};
    struct tsr_wire_request request = {.request = {.op = TSR_CLC_COMPILE,
                                                   .source = {NULL, "kernel void k() {}", 18},
                                                   .header_count = 2,
                                                   .headers = headers,
                                                   .input_count = 2,
                                                   .inputs = inputs,
                                                   .options = "-w",
                                                   .target = {.macros = "-DA", .default_sub_group_size = 16}},
                                       .directory = "/tmp"};
    struct tsr_wire_result result = {.outcome = TSR_CLC_DONE, .keep = true, .log = "log", .image = "TSRP", .image_size = 4};
    unsigned char kind = index < 2 ? REQUEST : index < 4 ? RESULT : FRAME;
    tsr_buf_bytes(seed, &kind, 1);
    switch (index) {
    case 1:
        request = (struct tsr_wire_request){
            .request = {.language = TSR_CLC_SPIRV, .source = {NULL, "\3\2\43\7", 4}, .spec_count = 2, .spec_constants = constants}};
        /* fall through */
    case 0:
        tsr_wire_write_request(&request, seed);
        return true;
    case 2:
        result = (struct tsr_wire_result){.outcome = TSR_CLC_FAILED, .log = "error", .file_count = 2, .files = files};
        /* fall through */
    case 3:
        tsr_wire_write_result(&result, seed);
        return true;
    case 4:
        add_frame(seed, TSR_WIRE_RESULT, "abc");
        add_frame(seed, TSR_WIRE_DIED, "\1\2\3\4");
        return true;
    default:
        return false;
    }
}

static void check_same(const struct tsr_buf *buf, const uint8_t *data, size_t size)
{
    FUZZ_CHECK(!buf->failed && buf->size == size && !memcmp(buf->data, data, size));
}

static void try_request(const uint8_t *data, size_t size)
{
    struct tsr_arena arena = {0};
    struct tsr_wire_request request;
    if (tsr_wire_read_request(data, size, &arena, &request) == TSR_OK) {
        struct tsr_buf buf = {0};
        tsr_wire_write_request(&request, &buf);
        check_same(&buf, data, size);
        tsr_buf_free(&buf);
    }
    tsr_arena_free(&arena);
}

static void try_result(const uint8_t *data, size_t size)
{
    struct tsr_arena arena = {0};
    struct tsr_wire_result result;
    if (tsr_wire_read_result(data, size, &arena, &result) == TSR_OK) {
        struct tsr_buf buf = {0};
        tsr_wire_write_result(&result, &buf);
        check_same(&buf, data, size);
        tsr_buf_free(&buf);
    }
    tsr_arena_free(&arena);
}

/* The other side sends these bytes and hangs up. */
static void try_frames(const uint8_t *data, size_t size)
{
    int ends[2];
    FUZZ_CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
    size_t room = size < 65536 ? size : 65536;
    FUZZ_CHECK(send(ends[1], data, room, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)room);
    close(ends[1]);
    enum tsr_status status;
    do {
        unsigned char *content = NULL;
        size_t length = 0;
        uint32_t kind = 0;
        status = tsr_wire_receive(ends[0], &kind, &content, &length, tsr_now_ns() + 10000000000u);
        FUZZ_CHECK(status != TSR_TIMEOUT && status != TSR_IO && (status == TSR_OK) == (content != NULL));
        if (status == TSR_OK)
            FUZZ_CHECK(length <= room && (!length || memmem(data, room, content, length)));
        tsr_free(content);
    } while (status == TSR_OK);
    close(ends[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const tries[KINDS])(const uint8_t *, size_t) = {try_request, try_result, try_frames};
    if (size)
        tries[data[0] % KINDS](data + 1, size - 1);
    return 0;
}
