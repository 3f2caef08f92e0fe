/* SPDX-License-Identifier: Apache-2.0
 * Frames: what is written is read back; whatever is cut off or changed is refused or read without harm. */
#include "clc/common/wire.h"
#include "tessera/abi.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static const struct tsr_clc_text headers[] = {{"a.h", "int a;", 6}, {"dir/b.h", "", 0}};
static const struct tsr_clc_input inputs[] = {{"\0\1\2", 3}, {"x", 1}};

static const struct tsr_spirv_constant constants[] = {{2, 1, "\1"}, {7, 8, "12345678"}};

static struct tsr_wire_request sample_request(void)
{
    return (struct tsr_wire_request){
        .request = {.op = TSR_CLC_LINK,
                    .language = TSR_CLC_SPIRV,
                    .source = {NULL, "kernel", 6},
                    .header_count = 2,
                    .headers = headers,
                    .spec_count = 2,
                    .spec_constants = constants,
                    .input_count = 2,
                    .inputs = inputs,
                    .kernel = "k",
                    .kernel_count = 3,
                    .bodies = TSR_BODIES_PARTIAL,
                    .by_kernel = true,
                    .options = "-w",
                    .target = {.triple = "cpu-os",
                               .features = 0x8000000000000001,
                               .engine = TSR_ENGINE_GROUP_SIZE,
                               .group_size = {3, 5, 7},
                               .default_sub_group_size = 16,
                               .sub_group_sizes = 24}},
        .directory = "/here",
    };
}

static const struct tsr_wire_file files[] = {{"/usr/a.h", TSR_WIRE_READ, 0, {1, 2}}, {"/usr/b.h", TSR_WIRE_ABSENT, 1, {3, UINT64_MAX}}};

static struct tsr_wire_result sample_result(void)
{
    return (struct tsr_wire_result){
        .outcome = TSR_CLC_DONE, .keep = true, .log = "warning", .image = "IMG", .image_size = 3, .file_count = 2, .files = files};
}

/* A copy of exact size, so that a sanitizer sees a read past the end. */
static void *exact(const void *data, size_t size)
{
    void *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    return copy;
}

static void request_round_trip(void **state)
{
    (void)state;
    struct tsr_wire_request in = sample_request(), out;
    struct tsr_buf buf = {0};
    struct tsr_arena arena = {0};
    tsr_wire_write_request(&in, &buf);
    assert_false(buf.failed);
    assert_int_equal(tsr_wire_read_request(buf.data, buf.size, &arena, &out), TSR_OK);
    assert_int_equal(out.request.op, TSR_CLC_LINK);
    assert_null(out.request.source.name);
    assert_int_equal(out.request.source.size, 6);
    assert_memory_equal(out.request.source.data, "kernel", 6);
    assert_int_equal(out.request.header_count, 2);
    assert_string_equal(out.request.headers[1].name, "dir/b.h");
    assert_int_equal(out.request.headers[1].size, 0);
    assert_int_equal(out.request.language, TSR_CLC_SPIRV);
    assert_int_equal(out.request.spec_count, 2);
    assert_int_equal(out.request.spec_constants[0].id, 2);
    assert_int_equal(out.request.spec_constants[0].size, 1);
    assert_int_equal(out.request.spec_constants[1].id, 7);
    assert_int_equal(out.request.spec_constants[1].size, 8);
    assert_memory_equal(out.request.spec_constants[1].data, "12345678", 8);
    assert_int_equal(out.request.input_count, 2);
    assert_string_equal(out.request.kernel, "k");
    assert_int_equal(out.request.kernel_count, 3);
    assert_true(out.request.by_kernel);
    assert_memory_equal(out.request.inputs[0].data, "\0\1\2", 3);
    assert_string_equal(out.request.options, "-w");
    assert_string_equal(out.request.target.triple, "cpu-os");
    assert_true(out.request.target.features == 0x8000000000000001);
    assert_int_equal(out.request.bodies, TSR_BODIES_PARTIAL);
    assert_int_equal(out.request.target.engine, TSR_ENGINE_GROUP_SIZE);
    for (uint32_t d = 0; d < 3; d++)
        assert_int_equal(out.request.target.group_size[d], 3 + 2 * d);
    assert_int_equal(out.request.target.default_sub_group_size, 16);
    assert_int_equal(out.request.target.sub_group_sizes, 24);
    assert_null(out.request.target.macros);
    assert_string_equal(out.directory, "/here");
    tsr_arena_free(&arena);
    tsr_buf_free(&buf);
}

static void result_round_trip(void **state)
{
    (void)state;
    struct tsr_wire_result in = sample_result(), out;
    struct tsr_buf buf = {0};
    struct tsr_arena arena = {0};
    tsr_wire_write_result(&in, &buf);
    assert_int_equal(tsr_wire_read_result(buf.data, buf.size, &arena, &out), TSR_OK);
    assert_int_equal(out.outcome, TSR_CLC_DONE);
    assert_true(out.keep);
    assert_string_equal(out.log, "warning");
    assert_memory_equal(out.image, "IMG", 3);
    assert_int_equal(out.file_count, 2);
    assert_string_equal(out.files[1].path, "/usr/b.h");
    assert_true(out.files[1].hash.hi == UINT64_MAX);
    assert_int_equal(out.files[0].found, TSR_WIRE_READ);
    assert_int_equal(out.files[1].found, TSR_WIRE_ABSENT);
    assert_int_equal(out.files[1].same_as, 1);
    tsr_arena_free(&arena);
    tsr_buf_free(&buf);
}

static enum tsr_status read_as(bool request, const void *data, size_t size)
{
    struct tsr_arena arena = {0};
    struct tsr_wire_request q;
    struct tsr_wire_result r;
    enum tsr_status status = request ? tsr_wire_read_request(data, size, &arena, &q) : tsr_wire_read_result(data, size, &arena, &r);
    tsr_arena_free(&arena);
    return status;
}

static void spoil(bool request, const struct tsr_buf *good)
{
    for (size_t n = 0; n < good->size; n++) { /* every truncation is refused */
        void *cut = exact(good->data, n);
        assert_int_equal(read_as(request, cut, n), TSR_DAMAGED);
        free(cut);
    }
    unsigned char *longer = malloc(good->size + 1);
    assert_non_null(longer);
    memcpy(longer, good->data, good->size);
    longer[good->size] = 0;
    assert_int_equal(read_as(request, longer, good->size + 1), TSR_DAMAGED);
    free(longer);
    for (size_t bit = 0; bit < good->size * 8; bit++) { /* a flip is refused or gives other values; never harm */
        unsigned char *flipped = exact(good->data, good->size);
        flipped[bit / 8] ^= (unsigned char)(1u << bit % 8);
        read_as(request, flipped, good->size);
        free(flipped);
    }
}

static void spoiled_forms(void **state)
{
    (void)state;
    struct tsr_buf buf = {0};
    struct tsr_wire_request q = sample_request();
    tsr_wire_write_request(&q, &buf);
    spoil(true, &buf);
    buf.size = 0;
    struct tsr_wire_result r = sample_result();
    tsr_wire_write_result(&r, &buf);
    spoil(false, &buf);
    tsr_buf_free(&buf);
}

/* Equal requests have equal bytes, as these are the key of the cache: one order of the constants, each once, and only where they matter. */
static void odd_constants(void **state)
{
    (void)state;
    static const struct tsr_spirv_constant cases[][2] = {
        {{7, 4, "1234"}, {2, 4, "1234"}},
        {{2, 4, "1234"}, {2, 4, "1234"}},
        {{2, 3, "123"}, {7, 4, "1234"}},
        {{2, 0, ""}, {7, 4, "1234"}},
        {{2, 4, "1234"}, {7, 16, "1234567890123456"}},
    };
    for (size_t i = 0; i <= TSR_ARRAY_LEN(cases); i++) {
        struct tsr_wire_request q = sample_request();
        struct tsr_buf buf = {0};
        if (i < TSR_ARRAY_LEN(cases))
            q.request.spec_constants = cases[i];
        else
            q.request.language = TSR_CLC_OPENCL_C;
        tsr_wire_write_request(&q, &buf);
        assert_int_equal(read_as(true, buf.data, buf.size), TSR_DAMAGED);
        tsr_buf_free(&buf);
    }
}

/* Sizes of work-groups are there for the engine that has one, and can be those of groups. */
static void odd_group_sizes(void **state)
{
    (void)state;
    static const struct {
        enum tsr_engine engine;
        uint32_t size[3];
        enum tsr_status status;
    } cases[] = {
        {TSR_ENGINE_GROUP_SIZE, {1, 1, 1}, TSR_OK},
        {TSR_ENGINE_GROUP_SIZE, {TSR_MAX_WORK_GROUP, 1, 1}, TSR_OK},
        {TSR_ENGINE_GROUP_SIZE, {TSR_MAX_WORK_GROUP, 2, 1}, TSR_DAMAGED},
        {TSR_ENGINE_GROUP_SIZE, {UINT32_MAX, UINT32_MAX, UINT32_MAX}, TSR_DAMAGED},
        {TSR_ENGINE_GROUP_SIZE, {4, 4, 0}, TSR_DAMAGED},
        {TSR_ENGINE_LANES, {0, 0, 0}, TSR_OK},
        {TSR_ENGINE_LANES_IN_Z, {0, 0, 0}, TSR_OK},
        {TSR_ENGINE_LANES_IN_Z + 1, {0, 0, 0}, TSR_DAMAGED},
        {TSR_ENGINE_LANES, {0, 4, 0}, TSR_DAMAGED},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct tsr_wire_request q = sample_request();
        struct tsr_buf buf = {0};
        q.request.target.engine = cases[i].engine;
        memcpy(q.request.target.group_size, cases[i].size, sizeof cases[i].size);
        tsr_wire_write_request(&q, &buf);
        assert_int_equal(read_as(true, buf.data, buf.size), cases[i].status);
        tsr_buf_free(&buf);
    }
}

static void huge_counts(void **state)
{
    (void)state;
    struct tsr_buf buf = {0};
    tsr_buf_u32(&buf, TSR_CLC_BUILD);
    tsr_buf_str(&buf, NULL);
    tsr_buf_str(&buf, NULL);
    tsr_buf_u32(&buf, UINT32_MAX); /* headers */
    assert_int_equal(read_as(true, buf.data, buf.size), TSR_DAMAGED);
    tsr_buf_free(&buf);
}

/* ---- frames ---- */

struct sender {
    int socket;
    const void *data;
    size_t size;
    enum tsr_status status;
};

static void *run_sender(void *data)
{
    struct sender *s = data;
    s->status = tsr_wire_send(s->socket, TSR_WIRE_RESULT, s->data, s->size, UINT64_MAX);
    return NULL;
}

static void large_frame(void **state)
{
    (void)state;
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    size_t size = (33u << 20) + 7;
    unsigned char *sent = malloc(size);
    assert_non_null(sent);
    for (size_t i = 0; i < size; i++)
        sent[i] = (unsigned char)(i * 2654435761u >> 13);
    struct sender sender = {pair[0], sent, size, TSR_IO};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_sender, &sender), 0);
    uint32_t kind;
    unsigned char *got;
    size_t got_size;
    assert_int_equal(tsr_wire_receive(pair[1], &kind, &got, &got_size, UINT64_MAX), TSR_OK);
    pthread_join(thread, NULL);
    assert_int_equal(sender.status, TSR_OK);
    assert_int_equal(kind, TSR_WIRE_RESULT);
    assert_int_equal(got_size, size);
    assert_memory_equal(got, sent, size);
    tsr_free(got);
    free(sent);
    close(pair[0]);
    close(pair[1]);
}

/* What a receiver says to these bytes followed by the end of the stream. */
static enum tsr_status receive_bytes(const void *data, size_t size)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(write(pair[0], data, size), (ssize_t)size);
    close(pair[0]);
    uint32_t kind;
    unsigned char *got;
    size_t got_size;
    enum tsr_status status = tsr_wire_receive(pair[1], &kind, &got, &got_size, UINT64_MAX);
    if (status == TSR_OK)
        tsr_free(got);
    close(pair[1]);
    return status;
}

static void bad_frames(void **state)
{
    (void)state;
    struct tsr_buf head = {0};
    tsr_buf_u32(&head, TSR_WIRE_MAGIC);
    tsr_buf_u32(&head, TSR_WIRE_REQUEST);
    tsr_buf_u64(&head, 0);
    assert_int_equal(receive_bytes(head.data, head.size), TSR_OK);
    for (size_t n = 1; n < head.size; n++)
        assert_int_equal(receive_bytes(head.data, n), TSR_DIED);
    head.data[4] = 9;
    assert_int_equal(receive_bytes(head.data, head.size), TSR_DAMAGED);
    head.data[4] = TSR_WIRE_REQUEST;
    head.data[13] = 1; /* 2^40 bytes */
    assert_int_equal(receive_bytes(head.data, head.size), TSR_DAMAGED);
    head.data[13] = 0;
    head.data[11] = 0x40; /* 2^30 bytes are announced, none come: no gigabyte may be taken for them */
    assert_int_equal(receive_bytes(head.data, head.size), TSR_DIED);
    tsr_buf_free(&head);
}

static void deadline(void **state)
{
    (void)state;
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    uint32_t kind;
    unsigned char *got;
    size_t got_size;
    uint64_t begin = tsr_now_ns();
    assert_int_equal(tsr_wire_receive(pair[1], &kind, &got, &got_size, begin + 20000000), TSR_TIMEOUT);
    assert_true(tsr_now_ns() - begin >= 20000000);
    close(pair[1]);
    assert_int_equal(tsr_wire_send(pair[0], TSR_WIRE_REQUEST, "x", 1, UINT64_MAX), TSR_DIED); /* and no SIGPIPE */
    close(pair[0]);
}

/* Whether the folder in which the application stands goes into the request, and so into the key. */
static bool gets_folder(const char *source, const char *options)
{
    struct tsr_clc_request request = {.source = {NULL, source, strlen(source)}, .options = options};
    return tsr_wire_reads_files(&request);
}

static void sources_that_read_files(void **state)
{
    (void)state;
    static const char *const reading[] = {
        "?\?=include <a>",      "_Pragma(\"GCC dependency a\")",
        "#include <a>",         "#  include NAME",
        "#include_next <a>",    "#import \"a\"",
        "#embed \"a\"",         "#if __has_include(<a>)",
        "#if __has_embed(<a>)", "#pragma GCC dependency \"a\"",
        "%:include <a>",        "#inc\\\nlude <a>",
        "#inc\\ \r\nlude <a>",  "#emb?\?/\ned \"a\"",
    };
    static const char *const others[] = {
        "kernel void include() {}",
        "",
        "kernel void include() {}",
        "kernel void k() {}",
        "#define A \\\n  1\nkernel void k() {}",
        "#define A(x) do {\\\nx; } while (0)",
        "\\\n",
        "a\\",
        "?\?/\nx",
        "\nx\n",
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(reading); i++)
        if (!gets_folder(reading[i], ""))
            fail_msg("%s reads files", reading[i]);
    for (size_t i = 0; i < TSR_ARRAY_LEN(others); i++)
        if (gets_folder(others[i], ""))
            fail_msg("%s reads no files", others[i]);
    assert_true(gets_folder("", "-I a"));
    struct tsr_clc_text header = {"a.h", "#include <a>", 12};
    struct tsr_clc_request request = {.header_count = 1, .headers = &header};
    assert_true(tsr_wire_reads_files(&request));
    request.language = TSR_CLC_SPIRV; /* whose bytes may hold any words */
    request.options = "-I a";
    assert_false(tsr_wire_reads_files(&request));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request_round_trip), cmocka_unit_test(result_round_trip),
        cmocka_unit_test(spoiled_forms),      cmocka_unit_test(odd_constants),
        cmocka_unit_test(odd_group_sizes),    cmocka_unit_test(huge_counts),
        cmocka_unit_test(large_frame),        cmocka_unit_test(bad_frames),
        cmocka_unit_test(deadline),           cmocka_unit_test(sources_that_read_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
