/* SPDX-License-Identifier: Apache-2.0
 * The byte form of code for devices whose driver compiles SPIR-V: u32 magic, u32 flags, count of constants, each with id and bytes, blob of
 * SPIR-V, string of the native key, blob of native code. */
#include "tessera/il_code.h"

enum {
    IL_CODE_MAGIC = 0x43495354, /* "TSIC" */
    UNOPTIMISED = 1,
    DEBUG_INFO = 2,
};

void tsr_il_code_write(const struct tsr_il_code *code, struct tsr_buf *buf)
{
    tsr_buf_u32(buf, IL_CODE_MAGIC);
    tsr_buf_u32(buf, (code->unoptimised ? UNOPTIMISED : 0) | (code->debug ? DEBUG_INFO : 0));
    tsr_buf_u32(buf, code->constant_count);
    for (uint32_t i = 0; i < code->constant_count; i++) {
        tsr_buf_u32(buf, code->constants[i].id);
        tsr_buf_blob(buf, code->constants[i].data, code->constants[i].size);
    }
    tsr_buf_blob(buf, code->spirv, code->spirv_size);
    tsr_buf_str(buf, code->native_key);
    tsr_buf_blob(buf, code->native, code->native_size);
}

enum tsr_status tsr_il_code_read(const void *data, size_t size, struct tsr_arena *arena, struct tsr_il_code *code)
{
    struct tsr_reader r = tsr_reader_over(data, size);
    struct tsr_il_code out = {0};
    if (tsr_read_u32(&r) != IL_CODE_MAGIC)
        return TSR_DAMAGED;
    uint32_t flags = tsr_read_u32(&r);
    out.unoptimised = flags & UNOPTIMISED;
    out.debug = flags & DEBUG_INFO;
    out.constant_count = tsr_read_count(&r, 12);
    if (r.failed || flags & ~(uint32_t)(UNOPTIMISED | DEBUG_INFO))
        return TSR_DAMAGED;
    out.constants = tsr_arena_alloc(arena, (out.constant_count + 1) * sizeof *out.constants);
    if (!out.constants)
        return TSR_NO_MEMORY;
    for (uint32_t i = 0; i < out.constant_count; i++) {
        size_t bytes;
        out.constants[i].id = tsr_read_u32(&r);
        out.constants[i].data = tsr_read_blob(&r, &bytes);
        if (r.failed || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
            return TSR_DAMAGED;
        out.constants[i].size = (uint32_t)bytes;
    }
    out.spirv = tsr_read_blob(&r, &out.spirv_size);
    out.native_key = tsr_read_str(&r);
    out.native = tsr_read_blob(&r, &out.native_size);
    if (r.failed || r.at != r.end || !out.spirv_size || !out.native_key != !out.native_size)
        return TSR_DAMAGED;
    if (!out.native_size)
        out.native = NULL;
    *code = out;
    return TSR_OK;
}
