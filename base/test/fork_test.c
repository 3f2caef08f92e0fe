/* SPDX-License-Identifier: Apache-2.0
 * Sections and mutexes that fork waits for: a child never finds what another thread does in them half done. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tessera/base.h"
#include "tessera/sanitizer.h"

static _Atomic bool stop;
static _Atomic int half_done[3]; /* by each thread */

static void *work(void *data)
{
    _Atomic int *mine = data;
    while (!atomic_load(&stop)) {
        tsr_no_fork_begin();
        atomic_store(mine, 1);
        usleep(100);
        tsr_no_fork_begin(); /* they nest */
        tsr_no_fork_end();
        atomic_store(mine, 0);
        tsr_no_fork_end();
    }
    return NULL;
}

static int status_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void fork_waits_for_sections_and_is_not_kept_waiting(void **state)
{
    (void)state;
    pthread_t threads[TSR_ARRAY_LEN(half_done)];
    for (size_t i = 0; i < TSR_ARRAY_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &half_done[i]), 0);
    uint64_t begin = tsr_now_ns();
    for (int i = 0; i < 100; i++) {
        pid_t child = fork();
        if (!child) {
            bool half = false;
            for (size_t k = 0; k < TSR_ARRAY_LEN(half_done); k++)
                half |= atomic_load(&half_done[k]);
            tsr_no_fork_begin(); /* and no section is open here */
            tsr_no_fork_end();
            pid_t grandchild = fork();
            if (!grandchild)
                _exit(half);
            int status;
            _exit(waitpid(grandchild, &status, 0) != grandchild || status);
        }
        assert_int_equal(status_of(child), 0);
    }
    assert_true(tsr_now_ns() - begin < 10000000000u);
    atomic_store(&stop, true);
    for (size_t i = 0; i < TSR_ARRAY_LEN(threads); i++)
        pthread_join(threads[i], NULL);
}

/* As the handler of a signal may do. */
static void a_thread_may_fork_in_its_own_section(void **state)
{
    (void)state;
    tsr_no_fork_begin();
    pid_t child = fork();
    if (!child) {
        tsr_no_fork_end();
        tsr_no_fork_begin();
        tsr_no_fork_end();
        _exit(0);
    }
    tsr_no_fork_end();
    assert_int_equal(status_of(child), 0);
}

static int before, in_parent, in_child;
static void count_before(void)
{
    before++;
}
static void count_parent(void)
{
    in_parent++;
}
static void count_child(void)
{
    in_child++;
}

static void hooks_are_called_on_either_side(void **state)
{
    (void)state;
    static struct tsr_fork_hooks hooks = {count_before, count_parent, count_child, NULL}, nothing = {NULL, NULL, NULL, NULL};
    tsr_fork_watch(&hooks);
    tsr_fork_watch(&nothing);
    pid_t child = fork();
    if (!child)
        _exit(before != 1 || in_parent || in_child != 1);
    assert_int_equal(status_of(child), 0);
    assert_true(before == 1 && in_parent == 1 && !in_child);
}

/* ---- mutexes of objects ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int changes, told;

static void count_told(struct tsr_fork_mutex *of)
{
    told += of->mutex == &mutex;
}

static struct tsr_fork_mutex guarded = {.mutex = &mutex, .in_child = count_told};

static void *change(void *data)
{
    (void)data;
    while (!atomic_load(&stop)) {
        pthread_mutex_lock(&mutex);
        changes++;
        usleep(200);
        changes++;
        pthread_mutex_unlock(&mutex);
        usleep(10);
    }
    return NULL;
}

static void a_child_finds_mutexes_free_and_what_they_guard_whole(void **state)
{
    (void)state;
    pthread_t thread;
    atomic_store(&stop, false);
    tsr_fork_mutex_add(&guarded);
    assert_int_equal(pthread_create(&thread, NULL, change, NULL), 0);
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        if (!child)
            _exit(pthread_mutex_trylock(&mutex) || changes % 2 || told != 1);
        assert_int_equal(status_of(child), 0);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    tsr_fork_mutex_remove(&guarded);
    assert_int_equal(told, 0);
    pid_t child = fork();
    if (!child)
        _exit(told != 0);
    assert_int_equal(status_of(child), 0);
}

static struct tsr_fork_table tables[4];      /* more mutexes than ThreadSanitizer lets a thread hold */
static long counts[2 * TSR_FORK_TABLE_SIZE]; /* of objects, by their addresses */

static void *change_all(void *data)
{
    (void)data;
    for (size_t i = 0; !atomic_load(&stop); i = (i + 1) % TSR_ARRAY_LEN(counts)) {
        tsr_table_lock(&tables[3], &counts[i]);
        counts[i]++;
        tsr_table_lock(&tables[0], &counts[i]); /* which was added earlier */
        usleep(20);
        tsr_table_unlock(&tables[0], &counts[i]);
        counts[i]++;
        tsr_table_unlock(&tables[3], &counts[i]);
    }
    return NULL;
}

static void a_child_finds_the_mutexes_of_tables_free(void **state)
{
    (void)state;
    pthread_t thread;
    atomic_store(&stop, false);
    for (size_t i = 0; i < TSR_ARRAY_LEN(tables); i++)
        tsr_fork_table_add(&tables[i]);
    assert_int_equal(pthread_create(&thread, NULL, change_all, NULL), 0);
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        if (!child) {
            bool bad = false;
            for (size_t c = 0; c < TSR_ARRAY_LEN(counts); c++) {
                for (size_t t = 0; t < TSR_ARRAY_LEN(tables); t++) {
                    bad |= pthread_mutex_trylock(tsr_table_mutex(&tables[t], &counts[c]));
                    tsr_table_unlock(&tables[t], &counts[c]);
                }
                bad |= counts[c] % 2;
            }
            _exit(bad);
        }
        assert_int_equal(status_of(child), 0);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}

/* As the handler of a signal may do. It is waited for in vain, but not for ever. */
static void a_thread_may_fork_under_such_a_mutex(void **state)
{
    (void)state;
    if (TSR_TSAN) { /* which calls the order of locks a fault */
        skip();
    }
    tsr_fork_mutex_add(&guarded);
    pthread_mutex_lock(&mutex);
    uint64_t begin = tsr_now_ns();
    pid_t child = fork();
    if (!child) {
        pthread_mutex_unlock(&mutex);
        _exit(told != 0);
    }
    assert_true(tsr_now_ns() - begin < 10000000000u);
    pthread_mutex_unlock(&mutex);
    assert_int_equal(status_of(child), 0);
    tsr_fork_mutex_remove(&guarded);
}

/* Of another library, whose handlers were registered later and so run first: it holds its lock while the driver waits. */
static pthread_mutex_t foreign = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool in_section;

static void take_foreign(void)
{
    pthread_mutex_lock(&foreign);
}

static void give_foreign(void)
{
    pthread_mutex_unlock(&foreign);
}

static void *call_library_in_section(void *unused)
{
    tsr_no_fork_begin();
    atomic_store(&in_section, true);
    usleep(200000); /* until fork() has begun */
    take_foreign();
    give_foreign();
    tsr_no_fork_end();
    return unused;
}

static void a_lock_of_another_library_is_no_dead_lock(void **state)
{
    (void)state;
    if (TSR_TSAN) { /* as above */
        skip();
    }
    pthread_t thread;
    assert_int_equal(pthread_atfork(take_foreign, give_foreign, give_foreign), 0);
    assert_int_equal(pthread_create(&thread, NULL, call_library_in_section, NULL), 0);
    while (!atomic_load(&in_section))
        usleep(1000);
    alarm(60);
    pid_t child = fork();
    if (!child) {
        tsr_no_fork_begin();
        tsr_no_fork_end();
        _exit(0);
    }
    assert_int_equal(status_of(child), 0);
    pthread_join(thread, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fork_waits_for_sections_and_is_not_kept_waiting),
                                       cmocka_unit_test(a_thread_may_fork_in_its_own_section),
                                       cmocka_unit_test(hooks_are_called_on_either_side),
                                       cmocka_unit_test(a_child_finds_mutexes_free_and_what_they_guard_whole),
                                       cmocka_unit_test(a_child_finds_the_mutexes_of_tables_free),
                                       cmocka_unit_test(a_thread_may_fork_under_such_a_mutex),
                                       cmocka_unit_test(a_lock_of_another_library_is_no_dead_lock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
