/* SPDX-License-Identifier: Apache-2.0
 * What libc lacks and every other folder uses: status codes, log, environment, memory, lists, byte buffers, hashes, files, CPU features. */
#ifndef TESSERA_BASE_H
#define TESSERA_BASE_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TSR_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define TSR_CONTAINER_OF(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
#define TSR_PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))

/* ---- status ---- */

/* What a function below the OpenCL API can answer. OpenCL error codes exist in icd/ only. */
enum tsr_status {
#define TSR_STATUS(name, text) TSR_##name,
#include "tessera/status.def"
#undef TSR_STATUS
};

/* Static text of a status, never NULL. */
const char *tsr_status_text(enum tsr_status status);

/* ---- environment (base/env.c, base/env_parse.c; the table is tessera/env.def) ---- */

enum tsr_env_name {
#define TSR_ENV(name, obeys, side, values, default_value, text) TSR_ENV_##name,
#include "tessera/env.def"
#undef TSR_ENV
    TSR_ENV_COUNT
};

/* Value of TESSERA_<name>, or NULL if unset or empty. Reads the environment at each call: callers keep what they need. A privileged process
 * (tsr_is_privileged) finds no value of a variable of the kind OWNER. */
const char *tsr_env(enum tsr_env_name name);
/* The process has more rights than who started it: set-uid or set-gid program, file capabilities (AT_SECURE). */
bool tsr_is_privileged(void);
/* The value, or the default of the table. */
const char *tsr_env_text(enum tsr_env_name name);
/* As above parsed. Anything malformed is logged once, with the accepted values, and counts as unset.
 * Sizes take the suffixes K, M and G (powers of 1024). Booleans take 0/1, no/yes, off/on, false/true. */
long long tsr_env_int(enum tsr_env_name name, long long min, long long max);
uint64_t tsr_env_size(enum tsr_env_name name);
bool tsr_env_bool(enum tsr_env_name name);
/* Index of the value among the words `choices` (case is ignored), one of which is the default. */
unsigned tsr_env_choice(enum tsr_env_name name, const char *const *choices, unsigned count);
/* Does TESSERA_ENGINE name the reference engine? */
bool tsr_env_names_reference(void);
/* The same for variables whose default the code finds out: `otherwise`, if the variable is unset. */
long long tsr_env_int_or(enum tsr_env_name name, long long otherwise, long long min, long long max);
uint64_t tsr_env_size_or(enum tsr_env_name name, uint64_t otherwise);
bool tsr_env_bool_or(enum tsr_env_name name, bool otherwise);

/* A copy of the environment of the process, for threads of the driver: none of them may read what the application can change at any time.
 * NULL: out of memory. (base/environment.c) */
struct tsr_environment;
struct tsr_environment *tsr_environment_copy(void);
void tsr_environment_free(struct tsr_environment *copy);
/* The calling thread reads this copy from now on, NULL: the environment of the process; here and by the functions above. Answers what it
 * has read so far. */
const struct tsr_environment *tsr_environment_use(const struct tsr_environment *copy);
const char *tsr_getenv(const char *name);
char **tsr_environ(void);

/* ---- log (base/log.c) ---- */

/* TESSERA_DEBUG=group,group,… or all; to standard error or to TESSERA_LOG_FILE. */

enum tsr_log_group {
#define TSR_LOG(name, text) TSR_LOG_##name,
#include "tessera/log.def"
#undef TSR_LOG
    TSR_LOG_COUNT
};

/* True if the group is on; costs one load once the environment has been read. */
bool tsr_log_on(enum tsr_log_group group);
/* One line, one write(2); the newline is added. Any thread, also between fork and exec. */
void tsr_log(enum tsr_log_group group, const char *format, ...) TSR_PRINTF_LIKE(2, 3);
/* Text of any length as it is, whatever groups are on. */
void tsr_log_text(const char *text);

/* ---- memory (base/memory.c) ---- */

/* malloc that can be made to fail: TESSERA_FAIL_ALLOC=n fails the n-th and all later ones. */

void *tsr_malloc(size_t size);               /* NULL on failure; size 0 gives a unique pointer */
void *tsr_calloc(size_t count, size_t size); /* NULL on failure or overflow */
void *tsr_realloc(void *p, size_t size);
void *tsr_aligned(size_t align, size_t size); /* align: a power of two; release with tsr_free */
char *tsr_strdup(const char *s);
char *tsr_strndup(const char *s, size_t n);
char *tsr_format(const char *format, ...) TSR_PRINTF_LIKE(1, 2); /* malloc'd text, NULL on failure */
void tsr_free(void *p);
/* For tests: fail the n-th allocation from now on and every later one, as TESSERA_FAIL_ALLOC does; 0: none. */
void tsr_fail_alloc(long long n);

/* Arena (base/arena.c): allocations that are freed at once; an all-zero struct is an empty one. Not thread-safe. NULL: out of memory, which
 * code that sets a handler which does not return need not look for. */
struct tsr_arena {
    struct tsr_arena_block *head;
};
void *tsr_arena_alloc(struct tsr_arena *arena, size_t size); /* zeroed, aligned to 16 */
char *tsr_arena_format(struct tsr_arena *arena, const char *format, ...) TSR_PRINTF_LIKE(2, 3);
void tsr_arena_free(struct tsr_arena *arena);
/* Called by the thread whose arena got no memory, of any arena of the process; if it returns, the allocation answers NULL. NULL: none. */
void tsr_arena_on_failure(void (*handler)(size_t size));

/* ---- intrusive list ---- */

struct tsr_list {
    struct tsr_list *next, *prev;
};
static inline void tsr_list_init(struct tsr_list *l)
{
    l->next = l->prev = l;
}
static inline bool tsr_list_empty(const struct tsr_list *l)
{
    return l->next == l;
}
static inline void tsr_list_push(struct tsr_list *head, struct tsr_list *e) /* at the end */
{
    e->prev = head->prev;
    e->next = head;
    head->prev->next = e;
    head->prev = e;
}
static inline void tsr_list_remove(struct tsr_list *e)
{
    e->prev->next = e->next;
    e->next->prev = e->prev;
    e->next = e->prev = e;
}
#define TSR_LIST_ITEM(e, type, member) TSR_CONTAINER_OF(e, type, member)

/* ---- byte buffer (base/buf.c): little-endian writer and bounds-checked reader ---- */

/* Growing buffer. After a failed allocation `failed` stays set and writes do nothing, so that callers check once at the end. */
struct tsr_buf {
    unsigned char *data;
    size_t size, capacity;
    bool failed;
};
void tsr_buf_bytes(struct tsr_buf *buf, const void *data, size_t size);
void tsr_buf_u32(struct tsr_buf *buf, uint32_t v);
void tsr_buf_u64(struct tsr_buf *buf, uint64_t v);
void tsr_buf_blob(struct tsr_buf *buf, const void *data, size_t size); /* u64 length, then the bytes */
void tsr_buf_str(struct tsr_buf *buf, const char *s);                  /* as a blob with its final zero; NULL = empty blob */
void tsr_buf_printf(struct tsr_buf *buf, const char *format, ...) TSR_PRINTF_LIKE(2, 3); /* text, no zero */
void tsr_buf_free(struct tsr_buf *buf);

/* Reader over memory that it does not own. The first read past the end, or of a malformed item, sets `failed`; all later reads give 0 or
 * NULL. */
struct tsr_reader {
    const unsigned char *at, *end;
    bool failed;
};
struct tsr_reader tsr_reader_over(const void *data, size_t size);
uint32_t tsr_read_u32(struct tsr_reader *r);
uint64_t tsr_read_u64(struct tsr_reader *r);
const void *tsr_read_bytes(struct tsr_reader *r, size_t size); /* pointer into the memory */
const void *tsr_read_blob(struct tsr_reader *r, size_t *size); /* pointer into the memory */
const char *tsr_read_str(struct tsr_reader *r);                /* NULL for the empty blob; must end in zero, else failed */
/* Count of following records of at least `min_size` bytes each: failed if they cannot fit, so that no count makes a huge allocation. */
uint32_t tsr_read_count(struct tsr_reader *r, size_t min_size);

/* ---- hash (base/hash.c, over xxhash) ---- */

struct tsr_hash {
    uint64_t lo, hi;
};
struct tsr_hasher;                       /* streaming state */
struct tsr_hasher *tsr_hasher_new(void); /* NULL: out of memory; the functions below take NULL and end in the hash 0 */
void tsr_hasher_add(struct tsr_hasher *h, const void *data, size_t size);
void tsr_hasher_add_str(struct tsr_hasher *h,
                        const char *s);               /* with its length, so that neighbours do not run together; NULL differs from "" */
struct tsr_hash tsr_hasher_end(struct tsr_hasher *h); /* frees h */
struct tsr_hash tsr_hash_bytes(const void *data, size_t size);
void tsr_hash_hex(struct tsr_hash hash, char out[33]);

/* ---- files and the system (base/file.c, base/prim_linux.c) ---- */

/* Whole file into malloc'd memory with a zero after the end (not counted). Regular files only, at most `limit` bytes. */
enum tsr_status tsr_file_read(const char *path, size_t limit, unsigned char **data, size_t *size);
/* Write to a temporary name in the same folder, then rename. Mode 0600. */
enum tsr_status tsr_file_write_atomic(const char *path, const void *data, size_t size);
/* The same, but replaces nothing: EXISTS if there is anything of that name. Relative names count from the folder `dir` (or AT_FDCWD). */
enum tsr_status tsr_file_write_new(int dir, const char *name, const void *data, size_t size);
/* Whether the name has the form of the temporary names of these two: the length of the name that the file was to get, otherwise 0. */
size_t tsr_file_temporary(const char *name);
/* mkdir -p with mode 0700 for what is created. */
enum tsr_status tsr_dir_make(const char *path);
/* The folder that holds the shared object or program which contains `address`, malloc'd. NO_MEMORY; any other status: it is not known, as
 * the dynamic linker has a relative path only and there is no /proc. *folder is NULL then. */
enum tsr_status tsr_dir_of_code(const void *address, char **folder);
/* An anonymous file (memfd, close-on-exec) holding the bytes; -1 on failure, with errno. */
int tsr_memfd(const char *name, const void *data, size_t size);
/* Opens or makes a file to add lines to, close-on-exec; -1 with errno, also for a FIFO that nobody reads. */
int tsr_append_open(const char *path);
/* Writes all; false with errno set if that fails. The calling thread gets no SIGXFSZ from a limit on file sizes and no SIGPIPE. */
bool tsr_write_all(int fd, const void *data, size_t size);
uint64_t tsr_now_ns(void); /* CLOCK_MONOTONIC */

/* A descriptor that is kept between calls of the API, and the file that it stands for. An application may close descriptors that it does
 * not know, as daemons do, and get the number for a file of its own: so each use and the closing look first. */
struct tsr_fd {
    int number; /* -1: none */
    uint64_t device, inode;
};
struct tsr_fd tsr_fd_keep(int number);        /* of a descriptor just made; -1 gives none */
bool tsr_fd_is_ours(const struct tsr_fd *fd); /* errno stays as it is */
void tsr_fd_close(struct tsr_fd *fd);         /* if it is ours; in any case `fd` is none then */

/* ---- fork (base/fork.c) ---- */

/* fork() in another thread waits, for five seconds at most, for the end of what stands between these two: calls into the dynamic linker,
 * descriptors that exist for a moment, locks of the whole driver. Sections nest. They must be short, and none may begin under a lock that a
 * hook takes. */
void tsr_no_fork_begin(void);
void tsr_no_fork_end(void);
/* Called at each fork() when no section is open: before it, and after it on either side. Each may be NULL. Static, never removed. */
struct tsr_fork_hooks {
    void (*before)(void), (*in_parent)(void), (*in_child)(void);
    struct tsr_fork_hooks *next;
};
void tsr_fork_watch(struct tsr_fork_hooks *hooks);
/* An object's mutex that several threads take: fork() waits until no other thread holds it, so the child finds it free and what it guards
 * whole. It must be held for a short time, and under it no section begins, no such mutex is taken but one added earlier, and none is added
 * or removed. A thread that forks while it holds one itself, in the handler of a signal, waits a second. */
struct tsr_fork_mutex {
    pthread_mutex_t *mutex;
    void (*in_child)(struct tsr_fork_mutex *); /* called in the child, under the mutex; may be NULL */
    struct tsr_fork_mutex *next, **link;
    bool taken;
};
void tsr_fork_mutex_add(struct tsr_fork_mutex *added); /* mutex and in_child are set; before other threads see the object */
void tsr_fork_mutex_remove(struct tsr_fork_mutex *removed);
/* Mutexes for many small objects of a kind: each object has the one that its address leads to. fork() waits for them as for the others, and
 * the same holds for what is done under them, but other mutexes may be taken, and those of tables added earlier. Static, all zero, never
 * removed. */
enum { TSR_FORK_TABLE_SIZE = 64 };
struct tsr_fork_table {
    struct {
        _Alignas(64) pthread_mutex_t mutex;
        bool free; /* at the fork */
    } of[TSR_FORK_TABLE_SIZE];
    _Atomic bool closed; /* for a fork: who has locked a mutex gives it back, and waits */
    struct tsr_fork_table *next;
};
void tsr_fork_table_add(struct tsr_fork_table *added);
static inline pthread_mutex_t *tsr_table_mutex(struct tsr_fork_table *table, const void *object)
{
    uintptr_t address = (uintptr_t)object >> 4;
    return &table->of[(address ^ address >> 6) % TSR_FORK_TABLE_SIZE].mutex;
}
void tsr_table_lock(struct tsr_fork_table *table, const void *object);
static inline void tsr_table_unlock(struct tsr_fork_table *table, const void *object)
{
    pthread_mutex_unlock(tsr_table_mutex(table, object));
}

/* The application may cancel a thread that is in one of the driver's calls. It must not end between these two, where the driver waits for
 * others, opens files or calls the application: a lock, a descriptor or a compiler process would stay behind. Sections of tsr_no_fork_begin
 * are such sections as well; they nest. */
int tsr_no_cancel_begin(void);
void tsr_no_cancel_end(int begun); /* what the former returned */

/* ---- CPU features (base/cpu.c; the table is tessera/cpu.def) ---- */

enum tsr_cpu_feature {
#define TSR_CPU(name, llvm, leaf, subleaf, reg, bit, level) TSR_CPU_##name,
#include "tessera/cpu.def"
#undef TSR_CPU
    TSR_CPU_COUNT,
    /* No instructions, but functions of the device that stand for those of AMX (device-amx/tiles_*.c). */
    TSR_CPU_TILES_VECTORS = TSR_CPU_COUNT,
    TSR_CPU_TILES_MODEL,
    /* VDPBF16PS is as fast as a fused multiply-add and does twice as much: AMD's CPUs. NATIVE only, as its arithmetic is another one. */
    TSR_CPU_BF16_PAIRS,
    /* No instructions either, but what code had better avoid: any CPU can run it. */
    TSR_CPU_SLOW_GATHERS,
    /* Four vector operations of integers start in a cycle, and the simplest takes two, so that eight must be under way: AMD's CPUs from
     * family 26 on. */
    TSR_CPU_FOUR_VECTOR_UNITS
};
/* Bits of what no code needs. */
#define TSR_CPU_ADVICE (UINT64_C(1) << TSR_CPU_SLOW_GATHERS | UINT64_C(1) << TSR_CPU_FOUR_VECTOR_UNITS)

/* Instruction levels that TESSERA_CPU can force; each includes the ones before. NATIVE is everything there is. */
enum tsr_cpu_level { TSR_CPU_LEVEL_SSE2, TSR_CPU_LEVEL_AVX2, TSR_CPU_LEVEL_AVX512, TSR_CPU_LEVEL_NATIVE };

struct tsr_cpu {
    uint64_t features;        /* bit per enum tsr_cpu_feature: CPUID, XCR0 and TESSERA_CPU all allow it */
    enum tsr_cpu_level level; /* the cap in force */
    char vendor[13], brand[49];
    unsigned family, model, stepping;
    unsigned vector_bits;                           /* widest usable vector register: 128, 256 or 512 */
    unsigned line_size, l1d_size, l2_size, l3_size; /* bytes, of the calling CPU's caches by CPUID */
    unsigned core_threads;                          /* CPUs that are one core, of those that CPUID tells; at least 1 */
};
/* Detected once, from CPUID and XCR0 only (never by model name). Any thread. Costs microseconds. */
const struct tsr_cpu *tsr_cpu(void);
static inline bool tsr_cpu_has(const struct tsr_cpu *cpu, enum tsr_cpu_feature f)
{
    return cpu->features >> f & 1;
}
/* What CPUs of a level have, by TESSERA_CPU's name for it: all that may be in such code, whether this CPU has it or not; of "native", what
 * this CPU has. For code that runs elsewhere. False: there is no such level. */
bool tsr_cpu_features_of(const char *level, uint64_t *features);
/* "+avx2,+fma,-avx512f,…": every feature of the table, for LLVM. Static buffer size is enough for the whole table: 2048. */
void tsr_cpu_llvm_features(uint64_t features, char *out, size_t size);
/* Asks the kernel for AMX tile data (arch_prctl); true if granted, once per process, inherited by later threads. From then on signal
 * handlers need larger stacks, and sigaltstack refuses small ones; so ask for code that uses tiles only. */
bool tsr_cpu_request_amx(void);

#endif
