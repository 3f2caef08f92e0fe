/* SPDX-License-Identifier: Apache-2.0
 * Frames between driver and compiler: byte forms, strict decoding, sending and receiving with a deadline. */
#include "clc/common/wire.h"
#include "tessera/abi.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { HEAD_SIZE = 16, FIRST_READ = 1 << 16 };

/* ---- byte forms ---- */

static void put_text(struct tsr_buf *buf, const struct tsr_clc_text *text)
{
    tsr_buf_str(buf, text->name);
    tsr_buf_blob(buf, text->data, text->size);
}

void tsr_wire_write_request(const struct tsr_wire_request *request, struct tsr_buf *buf)
{
    const struct tsr_clc_request *q = &request->request;
    tsr_buf_u32(buf, q->op);
    tsr_buf_u32(buf, q->language);
    put_text(buf, &q->source);
    tsr_buf_u32(buf, q->header_count);
    for (uint32_t i = 0; i < q->header_count; i++)
        put_text(buf, &q->headers[i]);
    tsr_buf_u32(buf, q->spec_count);
    for (uint32_t i = 0; i < q->spec_count; i++) {
        tsr_buf_u32(buf, q->spec_constants[i].id);
        tsr_buf_blob(buf, q->spec_constants[i].data, q->spec_constants[i].size);
    }
    tsr_buf_u32(buf, q->input_count);
    for (uint32_t i = 0; i < q->input_count; i++)
        tsr_buf_blob(buf, q->inputs[i].data, q->inputs[i].size);
    tsr_buf_str(buf, q->kernel);
    tsr_buf_u32(buf, q->kernel_count);
    tsr_buf_u32(buf, q->bodies);
    tsr_buf_u32(buf, q->by_kernel | (uint32_t)q->without_code << 1);
    tsr_buf_str(buf, q->options);
    tsr_buf_str(buf, q->target.triple);
    tsr_buf_u64(buf, q->target.features);
    tsr_buf_u32(buf, q->target.engine);
    for (int d = 0; d < 3; d++)
        tsr_buf_u32(buf, q->target.group_size[d]);
    tsr_buf_u32(buf, q->target.default_sub_group_size);
    tsr_buf_u32(buf, q->target.sub_group_sizes);
    tsr_buf_str(buf, q->target.macros);
    tsr_buf_str(buf, request->directory);
}

void tsr_wire_write_result(const struct tsr_wire_result *result, struct tsr_buf *buf)
{
    tsr_buf_u32(buf, result->outcome);
    tsr_buf_u32(buf, result->keep);
    tsr_buf_str(buf, result->log ? result->log : "");
    tsr_buf_blob(buf, result->image, result->image_size);
    tsr_buf_u32(buf, result->file_count);
    for (uint32_t i = 0; i < result->file_count; i++) {
        tsr_buf_str(buf, result->files[i].path);
        tsr_buf_u32(buf, result->files[i].found);
        tsr_buf_u32(buf, result->files[i].same_as);
        tsr_buf_u64(buf, result->files[i].hash.lo);
        tsr_buf_u64(buf, result->files[i].hash.hi);
    }
}

static struct tsr_clc_text get_text(struct tsr_reader *r)
{
    struct tsr_clc_text text = {.name = tsr_read_str(r)};
    text.data = tsr_read_blob(r, &text.size);
    return text;
}

/* Array for a count that has just been read; NULL: the count is damaged or memory is out, told apart by r->failed. */
static void *new_array(const struct tsr_reader *r, struct tsr_arena *arena, uint32_t count, size_t item)
{
    return r->failed ? NULL : tsr_arena_alloc(arena, (count ? count : 1) * item);
}

static enum tsr_status at_end(const struct tsr_reader *r)
{
    return r->failed || r->at != r->end ? TSR_DAMAGED : TSR_OK;
}

/* Strict: one order, sizes that scalars have, and none for a source that has none. So equal requests have equal bytes. */
static enum tsr_status get_spec_constants(struct tsr_reader *r, struct tsr_arena *arena, struct tsr_clc_request *q)
{
    q->spec_count = tsr_read_count(r, 13);
    struct tsr_spirv_constant *constants = new_array(r, arena, q->spec_count, sizeof *constants);
    if (!constants)
        return r->failed ? TSR_DAMAGED : TSR_NO_MEMORY;
    for (uint32_t i = 0; i < q->spec_count; i++) {
        size_t size;
        constants[i].id = tsr_read_u32(r);
        constants[i].data = tsr_read_blob(r, &size);
        if (!constants[i].data || !size || size > 8 || size & (size - 1) || (i && constants[i].id <= constants[i - 1].id))
            return TSR_DAMAGED;
        constants[i].size = (uint32_t)size;
    }
    q->spec_constants = constants;
    return q->spec_count && q->language != TSR_CLC_SPIRV ? TSR_DAMAGED : TSR_OK;
}

/* Of an engine that makes code for one size of work-groups, and of no other. */
static bool is_group_size(const struct tsr_target *target)
{
    uint64_t items = 1, any = 0;
    for (int d = 0; d < 3; d++) {
        any |= target->group_size[d];
        items = target->group_size[d] <= TSR_MAX_WORK_GROUP ? items * target->group_size[d] : 0;
    }
    return target->engine == TSR_ENGINE_GROUP_SIZE ? items && items <= TSR_MAX_WORK_GROUP : !any;
}

enum tsr_status tsr_wire_read_request(const void *data, size_t size, struct tsr_arena *arena, struct tsr_wire_request *request)
{
    struct tsr_reader r = tsr_reader_over(data, size);
    struct tsr_clc_request q = {0};
    uint32_t op = tsr_read_u32(&r);
    if (op > TSR_CLC_CODE)
        return TSR_DAMAGED;
    q.op = op;
    uint32_t language = tsr_read_u32(&r);
    if (language > TSR_CLC_SPIRV)
        return TSR_DAMAGED;
    q.language = language;
    q.source = get_text(&r);
    q.header_count = tsr_read_count(&r, 16);
    struct tsr_clc_text *headers = new_array(&r, arena, q.header_count, sizeof *headers);
    if (!headers)
        return r.failed ? TSR_DAMAGED : TSR_NO_MEMORY;
    for (uint32_t i = 0; i < q.header_count; i++) {
        headers[i] = get_text(&r);
        if (!headers[i].name)
            return TSR_DAMAGED;
    }
    q.headers = headers;
    enum tsr_status status = get_spec_constants(&r, arena, &q);
    if (status != TSR_OK)
        return status;
    q.input_count = tsr_read_count(&r, 8);
    struct tsr_clc_input *inputs = new_array(&r, arena, q.input_count, sizeof *inputs);
    if (!inputs)
        return r.failed ? TSR_DAMAGED : TSR_NO_MEMORY;
    for (uint32_t i = 0; i < q.input_count; i++)
        inputs[i].data = tsr_read_blob(&r, &inputs[i].size);
    q.inputs = inputs;
    q.kernel = tsr_read_str(&r);
    q.kernel_count = tsr_read_u32(&r);
    uint32_t bodies = tsr_read_u32(&r), code = tsr_read_u32(&r);
    q.bodies = bodies;
    q.by_kernel = code & 1;
    q.without_code = code >> 1 & 1;
    q.options = tsr_read_str(&r);
    q.target.triple = tsr_read_str(&r);
    q.target.features = tsr_read_u64(&r);
    uint32_t engine = tsr_read_u32(&r);
    q.target.engine = engine;
    for (int d = 0; d < 3; d++)
        q.target.group_size[d] = tsr_read_u32(&r);
    q.target.default_sub_group_size = tsr_read_u32(&r);
    q.target.sub_group_sizes = tsr_read_u32(&r);
    q.target.macros = tsr_read_str(&r);
    const char *directory = tsr_read_str(&r);
    if (bodies > TSR_BODIES_PARTIAL || code > 3 || engine > TSR_ENGINE_LANES_IN_Z || !is_group_size(&q.target) ||
        (directory && directory[0] != '/'))
        return TSR_DAMAGED;
    *request = (struct tsr_wire_request){.request = q, .directory = directory};
    return at_end(&r);
}

enum tsr_status tsr_wire_read_result(const void *data, size_t size, struct tsr_arena *arena, struct tsr_wire_result *result)
{
    struct tsr_reader r = tsr_reader_over(data, size);
    struct tsr_wire_result out = {0};
    uint32_t outcome = tsr_read_u32(&r), keep = tsr_read_u32(&r);
    out.outcome = outcome;
    out.keep = keep;
    out.log = tsr_read_str(&r);
    out.image = tsr_read_blob(&r, &out.image_size);
    out.file_count = tsr_read_count(&r, 32);
    if (outcome > TSR_CLC_NO_MEMORY || keep > 1 || !out.log || (outcome == TSR_CLC_DONE) != (out.image_size > 0))
        return TSR_DAMAGED;
    struct tsr_wire_file *files = new_array(&r, arena, out.file_count, sizeof *files);
    if (!files)
        return r.failed ? TSR_DAMAGED : TSR_NO_MEMORY;
    for (uint32_t i = 0; i < out.file_count; i++) {
        files[i].path = tsr_read_str(&r);
        uint32_t found = tsr_read_u32(&r);
        files[i].found = found;
        files[i].same_as = tsr_read_u32(&r);
        files[i].hash.lo = tsr_read_u64(&r);
        files[i].hash.hi = tsr_read_u64(&r);
        if (!files[i].path || files[i].path[0] != '/' || found > TSR_WIRE_READ || files[i].same_as > i)
            return TSR_DAMAGED;
    }
    out.files = files;
    *result = out;
    return at_end(&r);
}

/* ---- looking for files ---- */

enum tsr_wire_found tsr_wire_look(const char *path, struct stat *st)
{
    if (!stat(path, st)) {
        if (S_ISDIR(st->st_mode))
            return TSR_WIRE_FOLDER;
        if (S_ISREG(st->st_mode))
            return TSR_WIRE_PRESENT;
        errno = ENOENT;
    }
    memset(st, 0, sizeof *st);
    switch (errno) {
    case ENOENT:
    case ENOTDIR:
        return TSR_WIRE_ABSENT;
    case EACCES:
    case ELOOP:
    case ENAMETOOLONG:
        return TSR_WIRE_REFUSED;
    default:
        return TSR_WIRE_UNKNOWN;
    }
}

/* ---- frames ---- */

/* Whether the descriptor is still our socket. Asked before each call: a wait for an answer is long, and other threads close descriptors. */
static bool is_lost(const struct tsr_fd *socket)
{
    if (tsr_fd_is_ours(socket))
        return false;
    errno = EBADF;
    return true;
}

/* Waits until the socket is ready for `events`. Closing the descriptor wakes no waiting thread, so a wait with a deadline looks from time
 * to time whether the application has done so. */
static enum tsr_status wait_for(const struct tsr_fd *socket, short events, uint64_t deadline_ns)
{
    const uint64_t slice_ns = 250000000;
    for (;;) {
        struct timespec left = {0};
        if (deadline_ns != UINT64_MAX) {
            uint64_t now = tsr_now_ns();
            if (now >= deadline_ns)
                return TSR_TIMEOUT;
            if (is_lost(socket))
                return TSR_DIED;
            uint64_t wait_ns = deadline_ns - now < slice_ns ? deadline_ns - now : slice_ns;
            left.tv_sec = (time_t)(wait_ns / 1000000000u);
            left.tv_nsec = (long)(wait_ns % 1000000000u);
        }
        struct pollfd fd = {.fd = socket->number, .events = events};
        int ready = ppoll(&fd, 1, deadline_ns == UINT64_MAX ? NULL : &left, NULL);
        if (ready > 0)
            return TSR_OK; /* an error or a hang-up shows in the next call */
        if (ready < 0 && errno != EINTR)
            return TSR_IO;
    }
}

/* TSR_OK: errno says that the call may be repeated. */
static enum tsr_status after_error(const struct tsr_fd *socket, short events, uint64_t deadline_ns)
{
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        return wait_for(socket, events, deadline_ns);
    if (errno == EINTR)
        return TSR_OK;
    return errno == EPIPE || errno == ECONNRESET ? TSR_DIED : TSR_IO;
}

static enum tsr_status send_all(const struct tsr_fd *socket, const unsigned char *data, size_t size, uint64_t deadline_ns)
{
    while (size) {
        if (is_lost(socket))
            return TSR_DIED;
        ssize_t sent = send(socket->number, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            data += sent;
            size -= (size_t)sent;
            continue;
        }
        enum tsr_status status = after_error(socket, POLLOUT, deadline_ns);
        if (status != TSR_OK)
            return status;
    }
    return TSR_OK;
}

static enum tsr_status receive_all(const struct tsr_fd *socket, unsigned char *data, size_t size, uint64_t deadline_ns)
{
    while (size) {
        if (is_lost(socket))
            return TSR_DIED;
        ssize_t got = recv(socket->number, data, size, MSG_DONTWAIT);
        if (got == 0) {
            errno = 0;
            return TSR_DIED;
        }
        if (got > 0) {
            data += got;
            size -= (size_t)got;
            continue;
        }
        enum tsr_status status = after_error(socket, POLLIN, deadline_ns);
        if (status != TSR_OK)
            return status;
    }
    return TSR_OK;
}

enum tsr_status tsr_wire_send_on(const struct tsr_fd *socket, enum tsr_wire_kind kind, const void *data, size_t size, uint64_t deadline_ns)
{
    if (size > TSR_WIRE_LIMIT)
        return TSR_LIMIT;
    unsigned char head[HEAD_SIZE];
    for (int i = 0; i < 4; i++) {
        head[i] = (unsigned char)((uint32_t)TSR_WIRE_MAGIC >> 8 * i);
        head[4 + i] = (unsigned char)((uint32_t)kind >> 8 * i);
    }
    for (int i = 0; i < 8; i++)
        head[8 + i] = (unsigned char)((uint64_t)size >> 8 * i);
    enum tsr_status status = send_all(socket, head, sizeof head, deadline_ns);
    return status == TSR_OK ? send_all(socket, data, size, deadline_ns) : status;
}

enum tsr_status tsr_wire_receive_on(const struct tsr_fd *socket, uint32_t *kind, unsigned char **data, size_t *size, uint64_t deadline_ns)
{
    unsigned char head[HEAD_SIZE];
    enum tsr_status status = receive_all(socket, head, sizeof head, deadline_ns);
    if (status != TSR_OK)
        return status;
    struct tsr_reader r = tsr_reader_over(head, sizeof head);
    uint32_t magic = tsr_read_u32(&r);
    *kind = tsr_read_u32(&r);
    uint64_t length = tsr_read_u64(&r);
    if (magic != TSR_WIRE_MAGIC || *kind < TSR_WIRE_REQUEST || *kind > TSR_WIRE_DIED || length > TSR_WIRE_LIMIT)
        return TSR_DAMAGED;
    /* Memory grows with the bytes received: a frame's head alone cannot make us allocate a gigabyte. */
    unsigned char *bytes = NULL;
    size_t have = 0, capacity = 0;
    do {
        capacity = capacity ? 4 * capacity : FIRST_READ;
        if (capacity > length)
            capacity = (size_t)length;
        unsigned char *grown = tsr_realloc(bytes, capacity ? capacity : 1);
        status = grown ? receive_all(socket, grown + have, capacity - have, deadline_ns) : TSR_NO_MEMORY;
        if (grown)
            bytes = grown;
        have = capacity;
    } while (status == TSR_OK && have < length);
    if (status != TSR_OK) {
        int error = errno;
        tsr_free(bytes);
        errno = error;
        return status;
    }
    *data = bytes;
    *size = (size_t)length;
    return TSR_OK;
}

enum tsr_status tsr_wire_send(int socket, enum tsr_wire_kind kind, const void *data, size_t size, uint64_t deadline_ns)
{
    struct tsr_fd fd = tsr_fd_keep(socket);
    return tsr_wire_send_on(&fd, kind, data, size, deadline_ns);
}

enum tsr_status tsr_wire_receive(int socket, uint32_t *kind, unsigned char **data, size_t *size, uint64_t deadline_ns)
{
    struct tsr_fd fd = tsr_fd_keep(socket);
    return tsr_wire_receive_on(&fd, kind, data, size, deadline_ns);
}

void tsr_wire_send_died(int socket, int wait_status)
{
    /* From here on sending a request fails, so no request can come between the check and the answer. */
    shutdown(socket, SHUT_RD);
    char byte;
    bool unread = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
    struct tsr_buf body = {0};
    tsr_buf_u32(&body, (uint32_t)wait_status);
    tsr_buf_u32(&body, unread);
    if (!body.failed)
        tsr_wire_send(socket, TSR_WIRE_DIED, body.data, body.size, UINT64_MAX);
    tsr_buf_free(&body);
}
