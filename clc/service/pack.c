/* SPDX-License-Identifier: Apache-2.0
 * Modules as images hold them: bitcode in a frame of zstd. */
#include "clc/service/service.h"

#include <llvm-c/BitWriter.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    LEVEL = 3,              /* bitcode is dense: the highest levels save another 4 % and take ten times as long */
    MOST_BITCODE = 1 << 30, /* as in clc/common/wire.h: no request brings more */
};

void tsr__pack_module(LLVMModuleRef module, struct tsr_buf *packed)
{
    LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
    size_t size = LLVMGetBufferSize(bitcode), room = ZSTD_compressBound(size);
    void *bytes = tsr_malloc(room);
    size_t got = bytes ? ZSTD_compress(bytes, room, LLVMGetBufferStart(bitcode), size, LEVEL) : 0;
    LLVMDisposeMemoryBuffer(bitcode);
    if (!bytes || ZSTD_isError(got)) /* the room suffices, so zstd has no memory */
        tsr__out_of_memory();
    tsr_buf_bytes(packed, bytes, got);
    tsr_free(bytes);
}

const void *tsr__unpack_module(const void *packed, size_t packed_size, struct tsr_arena *arena, size_t *size)
{
    unsigned long long stated = ZSTD_getFrameContentSize(packed, packed_size); /* an error is a very large size */
    if (!stated || stated > MOST_BITCODE)
        return NULL;
    *size = (size_t)stated;
    void *bitcode = tsr_arena_alloc(arena, *size);
    size_t got = ZSTD_decompress(bitcode, *size, packed, packed_size);
    if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
        tsr__out_of_memory();
    return got == *size ? bitcode : NULL;
}
