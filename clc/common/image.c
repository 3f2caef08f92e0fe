/* SPDX-License-Identifier: Apache-2.0
 * The byte form of a compiled program: written by the compiler process, read by the host from replies, cache files and the application.
 *
 * u32 magic, u32 format version, 16 bytes build id, XXH3-128 of all that follows, string of the target's triple, u64 features needed, u32
 * kind, u64 global bytes, u32 kernel count, the kernels, blob of code, blob of the code for packets that are not full, which is an image,
 * blob of the module. The build id is not a part of what the checksum covers: damage there makes an image of another build, whose module is
 * used and not its code. The checksum guards against damage, not against malice: every field is checked as well. */
#include "tessera/program.h"
#include "tessera/tiles.h"

#include "clc/common/build_id.h"

#include <string.h>

enum {
    IMAGE_MAGIC = 0x50525354, /* "TSRP" */
    IMAGE_VERSION = 12,       /* also raised when bitcode that earlier builds have made would mean something else */
    HASH_AT = 4 + 4 + 16,
    BODY_AT = HASH_AT + 16,
    MAX_ARGS_SIZE = 1 << 20,
};

static void put_arg(struct tsr_buf *buf, const struct tsr_arg_info *arg)
{
    tsr_buf_str(buf, arg->name);
    tsr_buf_str(buf, arg->type_name);
    tsr_buf_u32(buf, arg->kind);
    tsr_buf_u32(buf, arg->address_qualifier);
    tsr_buf_u32(buf, arg->access_qualifier);
    tsr_buf_u64(buf, arg->type_qualifier);
    tsr_buf_u32(buf, arg->size);
    tsr_buf_u32(buf, arg->align);
    tsr_buf_u32(buf, arg->offset);
    tsr_buf_u32(buf, arg->pointee_align);
    tsr_buf_u32(buf, arg->nontemporal_bytes);
    tsr_buf_u32(buf, arg->image_type);
    tsr_buf_u32(buf, arg->image_depth);
}

static void put_kernel(struct tsr_buf *buf, const struct tsr_kernel_info *k)
{
    tsr_buf_str(buf, k->name);
    tsr_buf_str(buf, k->attributes ? k->attributes : "");
    tsr_buf_str(buf, k->entry);
    tsr_buf_u32(buf, k->args_size);
    tsr_buf_u32(buf, k->flags);
    for (int i = 0; i < 3; i++)
        tsr_buf_u64(buf, k->reqd_local_size[i]);
    for (int i = 0; i < 3; i++)
        tsr_buf_u64(buf, k->local_size_hint[i]);
    tsr_buf_u32(buf, k->reqd_sub_group_size);
    tsr_buf_u32(buf, k->sub_group_size);
    tsr_buf_u64(buf, k->local_bytes);
    tsr_buf_u64(buf, k->context_bytes);
    tsr_buf_u64(buf, k->private_bytes);
    tsr_buf_u64(buf, k->device_stack_bytes);
    tsr_buf_u32(buf, k->groups_at_once);
    tsr_buf_u32(buf, k->column_rows);
    tsr_buf_u32(buf, k->asked_arguments);
    tsr_buf_u32(buf, k->alone_arguments);
    tsr_buf_u32(buf, k->tile_shapes);
    tsr_buf_u32(buf, k->arg_count);
    for (uint32_t i = 0; i < k->arg_count; i++)
        put_arg(buf, &k->args[i]);
}

void tsr_image_write(const struct tsr_program_info *info, struct tsr_buf *buf)
{
    size_t start = buf->size;
    tsr_buf_u32(buf, IMAGE_MAGIC);
    tsr_buf_u32(buf, IMAGE_VERSION);
    tsr_buf_bytes(buf, tsr_clc_build_id, sizeof tsr_clc_build_id);
    tsr_buf_u64(buf, 0); /* the checksum, below */
    tsr_buf_u64(buf, 0);
    tsr_buf_str(buf, info->triple);
    tsr_buf_u64(buf, info->cpu_features);
    tsr_buf_u32(buf, info->kind);
    tsr_buf_u64(buf, info->global_bytes);
    tsr_buf_u32(buf, info->kernel_count);
    for (uint32_t i = 0; i < info->kernel_count; i++)
        put_kernel(buf, &info->kernels[i]);
    tsr_buf_blob(buf, info->code, info->code_size);
    tsr_buf_blob(buf, info->partial, info->partial_size);
    tsr_buf_blob(buf, info->module, info->module_size);
    if (buf->failed)
        return;
    struct tsr_hash hash = tsr_hash_bytes(buf->data + start + BODY_AT, buf->size - start - BODY_AT);
    for (int i = 0; i < 8; i++) {
        buf->data[start + HASH_AT + i] = (unsigned char)(hash.lo >> 8 * i);
        buf->data[start + HASH_AT + 8 + i] = (unsigned char)(hash.hi >> 8 * i);
    }
}

static bool power_of_two(uint32_t v)
{
    return v && !(v & (v - 1));
}

static bool get_arg(struct tsr_reader *r, uint32_t args_size, struct tsr_arg_info *arg)
{
    arg->name = tsr_read_str(r);
    arg->type_name = tsr_read_str(r);
    uint32_t kind = tsr_read_u32(r);
    arg->kind = kind;
    arg->address_qualifier = tsr_read_u32(r);
    arg->access_qualifier = tsr_read_u32(r);
    arg->type_qualifier = tsr_read_u64(r);
    arg->size = tsr_read_u32(r);
    arg->align = tsr_read_u32(r);
    arg->offset = tsr_read_u32(r);
    arg->pointee_align = tsr_read_u32(r);
    arg->nontemporal_bytes = tsr_read_u32(r);
    arg->image_type = tsr_read_u32(r);
    uint32_t depth = tsr_read_u32(r);
    arg->image_depth = depth;
    if (r->failed || kind > TSR_ARG_QUEUE || depth > 1 || !power_of_two(arg->align) || arg->align > TSR_MAX_ALIGN ||
        !power_of_two(arg->pointee_align))
        return false;
    if (arg->offset % arg->align || (uint64_t)arg->offset + arg->size > args_size)
        return false;
    return kind == TSR_ARG_VALUE || arg->size == (kind == TSR_ARG_SAMPLER ? 4u : 8u);
}

static enum tsr_status get_kernel(struct tsr_reader *r, struct tsr_arena *arena, bool coded, struct tsr_kernel_info *k)
{
    k->name = tsr_read_str(r);
    k->attributes = tsr_read_str(r);
    k->entry = tsr_read_str(r);
    k->args_size = tsr_read_u32(r);
    k->flags = tsr_read_u32(r);
    for (int i = 0; i < 3; i++)
        k->reqd_local_size[i] = tsr_read_u64(r);
    for (int i = 0; i < 3; i++)
        k->local_size_hint[i] = tsr_read_u64(r);
    k->reqd_sub_group_size = tsr_read_u32(r);
    k->sub_group_size = tsr_read_u32(r);
    k->local_bytes = tsr_read_u64(r);
    k->context_bytes = tsr_read_u64(r);
    k->private_bytes = tsr_read_u64(r);
    k->device_stack_bytes = tsr_read_u64(r);
    k->groups_at_once = tsr_read_u32(r);
    k->column_rows = tsr_read_u32(r);
    k->asked_arguments = tsr_read_u32(r);
    k->alone_arguments = tsr_read_u32(r);
    k->tile_shapes = tsr_read_u32(r);
    k->arg_count = tsr_read_count(r, 52);
    if (r->failed || !k->name || !k->name[0] || !k->attributes || !k->entry || (coded && !k->entry[0]))
        return TSR_DAMAGED;
    if (k->args_size % 8 || k->args_size > MAX_ARGS_SIZE || k->sub_group_size > TSR_MAX_GROUP_LANES ||
        k->groups_at_once > TSR_MOST_INTERLEAVED || k->column_rows > TSR_CACHE_LINE || k->tile_shapes >= TSR_TILE_SHAPES ||
        (coded && !power_of_two(k->sub_group_size)))
        return TSR_DAMAGED;
    k->args = tsr_arena_alloc(arena, k->arg_count * sizeof *k->args);
    if (!k->args)
        return TSR_NO_MEMORY;
    for (uint32_t i = 0; i < k->arg_count; i++)
        if (!get_arg(r, k->args_size, &k->args[i]))
            return TSR_DAMAGED;
    return TSR_OK;
}

static enum tsr_status get_body(struct tsr_reader *r, struct tsr_arena *arena, struct tsr_program_info *info)
{
    info->triple = tsr_read_str(r);
    info->cpu_features = tsr_read_u64(r);
    uint32_t kind = tsr_read_u32(r);
    info->kind = kind;
    info->global_bytes = tsr_read_u64(r);
    info->kernel_count = tsr_read_count(r, 100);
    if (r->failed || !info->triple || kind < TSR_IMAGE_OBJECT || kind > TSR_IMAGE_PROGRAM)
        return TSR_DAMAGED;
    info->kernels = tsr_arena_alloc(arena, info->kernel_count * sizeof *info->kernels);
    if (!info->kernels)
        return TSR_NO_MEMORY;
    for (uint32_t i = 0; i < info->kernel_count; i++) {
        enum tsr_status status = get_kernel(r, arena, kind != TSR_IMAGE_PROGRAM, &info->kernels[i]);
        if (status != TSR_OK)
            return status;
        if (i && strcmp(info->kernels[i - 1].name, info->kernels[i].name) >= 0)
            return TSR_DAMAGED;
    }
    info->code = tsr_read_blob(r, &info->code_size);
    info->partial = tsr_read_blob(r, &info->partial_size);
    info->module = tsr_read_blob(r, &info->module_size);
    bool beside_code = kind == TSR_IMAGE_EXECUTABLE || !(info->module_size || info->partial_size);
    return r->failed || r->at != r->end || !info->code_size || !beside_code ? TSR_DAMAGED : TSR_OK;
}

enum tsr_status tsr_image_read(const void *data, size_t size, struct tsr_arena *arena, struct tsr_program_info *info)
{
    struct tsr_reader r = tsr_reader_over(data, size);
    if (tsr_read_u32(&r) != IMAGE_MAGIC)
        return TSR_DAMAGED;
    uint32_t version = tsr_read_u32(&r);
    const void *id = tsr_read_bytes(&r, sizeof tsr_clc_build_id);
    uint64_t lo = tsr_read_u64(&r), hi = tsr_read_u64(&r);
    if (r.failed)
        return TSR_DAMAGED;
    if (version != IMAGE_VERSION)
        return TSR_MISMATCH;
    struct tsr_hash hash = tsr_hash_bytes(r.at, (size_t)(r.end - r.at));
    if (hash.lo != lo || hash.hi != hi)
        return TSR_DAMAGED;
    struct tsr_program_info out = {.other_build = memcmp(id, tsr_clc_build_id, sizeof tsr_clc_build_id)};
    enum tsr_status status = get_body(&r, arena, &out);
    if (status == TSR_OK)
        *info = out;
    return status;
}
