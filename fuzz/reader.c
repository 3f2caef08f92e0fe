/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of struct tsr_reader: the first half of the input chooses the reads, the second half is what they read. */
#include "fuzz/fuzz.h"

void fuzz_begin(void) {}

bool fuzz_seed(unsigned index, struct tsr_buf *seed)
{
    static const unsigned char reads[] = {0, 1, 4, 4, 3, 5, 2, 7};
    if (index)
        return false;
    struct tsr_buf text = {0};
    tsr_buf_u32(&text, 1);
    tsr_buf_u64(&text, 2);
    tsr_buf_str(&text, "name");
    tsr_buf_str(&text, NULL);
    tsr_buf_blob(&text, "blob", 4);
    tsr_buf_u32(&text, 1);
    tsr_buf_bytes(seed, reads, sizeof reads);
    while (seed->size < text.size)
        tsr_buf_bytes(seed, "", 1);
    tsr_buf_bytes(seed, text.data, text.size);
    tsr_buf_free(&text);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t half = size / 2;
    struct tsr_reader r = tsr_reader_over(data + half, size - half);
    for (size_t i = 0; i < half; i++) {
        const unsigned char *before = r.at, *got = NULL;
        bool failed = r.failed;
        size_t length = 0;
        switch (data[i] % 6) {
        case 0:
            tsr_read_u32(&r);
            break;
        case 1:
            tsr_read_u64(&r);
            break;
        case 2:
            length = (size_t)(data[i] >> 3) * 1000;
            got = tsr_read_bytes(&r, length);
            break;
        case 3:
            got = tsr_read_blob(&r, &length);
            break;
        case 4:
            got = (const unsigned char *)tsr_read_str(&r);
            length = got ? strlen((const char *)got) + 1 : 0;
            break;
        default: {
            size_t item = data[i] >> 3;
            uint32_t count = tsr_read_count(&r, item);
            FUZZ_CHECK((uint64_t)count * item <= (uint64_t)(r.end - r.at));
        }
        }
        FUZZ_CHECK(r.at >= before && r.at <= r.end && (!failed || (r.failed && r.at == before)));
        FUZZ_CHECK(!got || (got >= data + half && got + length <= r.end));
        FUZZ_CHECK(!got || !failed);
    }
    return 0;
}
