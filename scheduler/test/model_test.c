/* SPDX-License-Identifier: Apache-2.0
 * A small model checker: the scheduler's own code, built with TSR_MODEL, runs on coroutines that can change at each step between threads,
 * and every order of the steps with up to a bound of preemptions is tried. Sequential consistency only; ThreadSanitizer looks at the rest.
 *
 * Checked: nobody sleeps for ever, every unit runs once and after the task has begun, every task ends once and in order. That the checker
 * can find such faults is shown with a kernel whose futexes lose wake-ups, one whose futexes do not compare, and a lock that does not lock.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "scheduler/internal.h"

/* ---- the machine: coroutines, futexes, and the order of steps ---- */

enum { MAX_THREADS = 6, STACK = 1 << 17, MAX_CHOICES = 4000, MAX_STEPS = 20000 };

enum fault { SOUND, LOST_WAKES, BLIND_SLEEP, LOCK_OPENS };

static struct thread {
    ucontext_t context;
    void (*body)(void *);
    void *argument;
    bool worker, finished;
    _Atomic uint32_t *sleeps_on;
    struct tsr__self self;
    unsigned char *stack;
} threads[MAX_THREADS];
static unsigned thread_count, current;
static ucontext_t explorer;

static enum fault fault;
static const char *violation;
static bool exploring; /* else steps are taken without a change of threads */
static unsigned preemptions, bound, steps;
static uint64_t model_time;
static struct {
    unsigned char options, chosen;
} trail[MAX_CHOICES];
static unsigned trail_length, trail_at;
static struct tsr_pool *pool;

static bool enabled(unsigned i)
{
    return !threads[i].finished && !threads[i].sleeps_on;
}

static void give_up(const char *what)
{
    violation = what;
    swapcontext(&threads[current].context, &explorer);
}

/* Which thread makes the next step. may_stay: the current one can go on; else it sleeps, ends, or waits for what others do. */
static unsigned choose(bool may_stay, bool preempting)
{
    unsigned options[MAX_THREADS], count = 0;
    if (may_stay)
        options[count++] = current;
    if (!(may_stay && preempting && preemptions >= bound))
        for (unsigned i = 0; i < thread_count; i++)
            if (i != current && enabled(i))
                options[count++] = i;
    if (!count)
        return MAX_THREADS;
    unsigned chosen = 0;
    if (count > 1) {
        if (trail_at == MAX_CHOICES)
            give_up("more choices than the trail holds");
        if (trail_at == trail_length) {
            trail[trail_length].chosen = 0;
            trail_length++;
        }
        trail[trail_at].options = (unsigned char)count;
        chosen = trail[trail_at++].chosen;
    }
    if (may_stay && preempting && chosen)
        preemptions++;
    return options[chosen];
}

static void go_to(unsigned next)
{
    unsigned from = current;
    if (next == from)
        return;
    current = next;
    swapcontext(&threads[from].context, next == MAX_THREADS ? &explorer : &threads[next].context);
}

void tsr__model_point(void)
{
    if (!exploring)
        return;
    if (++steps > MAX_STEPS)
        give_up("no end in sight");
    if (fault == LOCK_OPENS)
        atomic_store(&pool->lock.word, 0);
    go_to(choose(true, true));
}

void tsr__relax(unsigned pauses)
{
    (void)pauses;
    unsigned next = choose(false, false);
    if (next != MAX_THREADS)
        go_to(next);
}

void tsr__futex_wait(_Atomic uint32_t *word, uint32_t expected)
{
    tsr__model_point();
    if (*word != expected && fault != BLIND_SLEEP)
        return;
    threads[current].sleeps_on = word;
    go_to(choose(false, false)); /* nobody left: back to the explorer */
}

void tsr__futex_wake(_Atomic uint32_t *word)
{
    tsr__model_point();
    for (unsigned i = 0; i < thread_count && fault != LOST_WAKES; i++)
        if (threads[i].sleeps_on == word) {
            threads[i].sleeps_on = NULL;
            break;
        }
}

static void thread_entry(void)
{
    struct thread *t = &threads[current];
    t->body(t->argument);
    t->finished = true;
    go_to(choose(false, false));
}

static void add_thread(void (*body)(void *), void *argument, bool worker)
{
    struct thread *t = &threads[thread_count++];
    unsigned char *stack = t->stack ? t->stack : malloc(STACK);
    *t = (struct thread){.body = body, .argument = argument, .worker = worker, .stack = stack};
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = stack;
    t->context.uc_stack.ss_size = STACK;
    makecontext(&t->context, thread_entry, 0);
}

static bool refuse_threads;
bool tsr__thread_start(void (*body)(void *), void *argument, const char *name, const cpu_set_t *cpus)
{
    (void)name, (void)cpus;
    tsr__model_point();
    if (refuse_threads || thread_count == MAX_THREADS)
        return false;
    add_thread(body, argument, true);
    return true;
}

struct tsr__self *tsr__self(void)
{
    return &threads[current].self;
}

void tsr__yield(void) {}
int tsr__cpu(void)
{
    return 0;
}

/* Each look at the clock finds that more time has passed than anybody spins. */
uint64_t tsr_now_ns(void)
{
    return model_time += 2 * TSR__LINGER_NS;
}

/* ---- what is of no interest here ---- */

static cpu_set_t cpus;
const cpu_set_t *tsr_cpus_allowed(void)
{
    return &cpus;
}
const cpu_set_t *tsr__cpus_inherited(void)
{
    return &cpus;
}
bool tsr__cpus_pinned(void)
{
    return true;
}
unsigned tsr_cpu_count(const cpu_set_t *set)
{
    return (unsigned)CPU_COUNT(set);
}
bool tsr__trace_on(void)
{
    return false;
}
void tsr__trace_range(const struct tsr_task *task, const struct tsr__seat *seat, uint64_t begin, uint64_t end, uint64_t start_ns,
                      uint64_t end_ns)
{
    (void)task, (void)seat, (void)begin, (void)end, (void)start_ns, (void)end_ns;
}
void tsr__trace_flush(void) {}
void tsr__trace_reset(void) {}

/* The handler for forked children makes every pool as new: just what the next run needs. */
static void (*renew_pools)(void);
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    (void)prepare, (void)parent;
    renew_pools = child;
    return 0;
}

/* ---- exploring ---- */

struct scenario {
    const char *name;
    unsigned width, bound;
    bool no_threads;
    void (*prepare)(void);
    void (*bodies[3])(void *);
    bool (*right)(void); /* at the end */
};

static void run_once(const struct scenario *s)
{
    while (pool->free_ranges) {
        struct tsr__range *range = pool->free_ranges;
        pool->free_ranges = range->next;
        tsr_free(range);
    }
    renew_pools();
    thread_count = 0;
    preemptions = steps = trail_at = 0;
    violation = NULL;
    current = 0;
    for (unsigned i = 0; i < 3 && s->bodies[i]; i++)
        add_thread(s->bodies[i], NULL, false);
    s->prepare();
    exploring = true;
    swapcontext(&explorer, &threads[0].context);
    exploring = false;
    for (unsigned i = 0; i < thread_count && !violation; i++)
        if (!threads[i].finished && !threads[i].worker)
            violation = "a thread sleeps for ever";
    if (!violation && !s->right())
        violation = "the tasks did not end as they should";
}

/* Tries all orders. NULL: all were right. */
static const char *explore(const struct scenario *s, unsigned long *runs)
{
    bound = s->bound;
    refuse_threads = s->no_threads;
    CPU_ZERO(&cpus);
    for (unsigned i = 0; i < s->width; i++)
        CPU_SET(i, &cpus);
    pool = tsr_pool_get(&cpus);
    trail_length = 0;
    for (*runs = 1;; ++*runs) {
        run_once(s);
        if (violation)
            return violation;
        trail_length = trail_at; /* a run may be shorter than the one before */
        while (trail_length && trail[trail_length - 1].chosen + 1 == trail[trail_length - 1].options)
            trail_length--;
        if (!trail_length)
            return NULL;
        trail[trail_length - 1].chosen++;
    }
}

/* ---- scenarios ---- */

static struct probe {
    struct tsr_task task;
    unsigned dones, releases, seen[4], order;
} probes[3];
static unsigned ended;
static int statuses[3];
static bool awaits_0; /* probes[1] runs until probes[0] has ended, as a program's own function may */
static _Atomic uint32_t ended_0;

static int probe_run(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    struct probe *p = TSR_CONTAINER_OF(task, struct probe, task);
    (void)worker;
    if (task->phase != TSR_TASK_RUNNING)
        give_up("a unit runs before the task has begun");
    tsr__model_point();
    if (awaits_0 && p == &probes[1])
        tsr__futex_wait(&ended_0, 0);
    for (uint64_t i = begin; i < end; i++)
        p->seen[i]++;
    return 0;
}

static void probe_done(struct tsr_task *task, int status)
{
    struct probe *p = TSR_CONTAINER_OF(task, struct probe, task);
    (void)status;
    p->dones++;
    p->order = ++ended;
    if (p == &probes[0]) {
        ended_0 = 1;
        tsr__futex_wake(&ended_0);
    }
}

static void probe_released(struct tsr_task *task)
{
    TSR_CONTAINER_OF(task, struct probe, task)->releases++;
}

static void init(unsigned i, uint64_t units, uint64_t cost, bool external)
{
    probes[i] = (struct probe){
        .task = {
            .run = probe_run, .done = probe_done, .released = probe_released, .units = units, .unit_cost = cost, .external = external}};
    tsr_task_init(&probes[i].task, external ? NULL : pool);
    statuses[i] = 1;
    ended = 0;
    awaits_0 = false;
    ended_0 = 0;
}

/* Ended once, each unit run once. */
static bool whole(unsigned i)
{
    const struct probe *p = &probes[i];
    bool right = p->dones == 1 && p->releases == 1 && p->task.phase == TSR_TASK_DONE && p->task.status == 0;
    for (unsigned u = 0; u < p->task.units; u++)
        right = right && p->seen[u] == 1;
    return right;
}

static void wait_0(void *unused)
{
    (void)unused;
    tsr_task_wait(&probes[0].task, &statuses[0]);
}
static void wait_1(void *unused)
{
    (void)unused;
    tsr_task_wait(&probes[1].task, &statuses[1]);
}
static void finish_0(void *unused)
{
    (void)unused;
    tsr_task_finish(&probes[0].task, 0);
}

/* A worker goes to sleep while work comes. */
static void two_small(void)
{
    init(0, 1, 100, false);
    init(1, 1, 100, false);
}
static void submit_and_flush_each(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < 2; i++) {
        tsr_task_submit(&probes[i].task);
        tsr_pool_flush(pool);
    }
}
static void submit_and_flush_0(void *unused)
{
    (void)unused;
    tsr_task_submit(&probes[0].task);
    tsr_pool_flush(pool);
}
static void submit_and_flush_1(void *unused)
{
    (void)unused;
    tsr_task_submit(&probes[1].task);
    tsr_pool_flush(pool);
}
static bool both(void)
{
    return whole(0) && whole(1);
}

/* A user event, waited for while it ends. */
static void user_event(void)
{
    init(0, 0, 0, true);
    tsr_task_submit(&probes[0].task);
}
static bool waited_0(void)
{
    return whole(0) && statuses[0] == 0;
}

/* A task behind a user event. */
static void behind_event(void)
{
    user_event();
    init(1, 1, 100, false);
    tsr_task_after(&probes[1].task, &probes[0].task, true);
    tsr_task_submit(&probes[1].task);
}
static bool in_order(void)
{
    return both() && probes[0].order < probes[1].order;
}
static bool waited_in_order(void)
{
    return in_order() && statuses[1] == 0;
}

/* The dependency is submitted by another thread, later and without a flush. */
static void open_chain(void)
{
    two_small();
    tsr_task_after(&probes[1].task, &probes[0].task, true);
    tsr_task_submit(&probes[1].task);
}
static void submit_0(void *unused)
{
    (void)unused;
    tsr_task_submit(&probes[0].task);
}

/* A dependency is stated while the other task ends. */
static bool whole_0(void)
{
    return whole(0);
}

static void order_submit_wait_1(void *unused)
{
    tsr_task_after(&probes[1].task, &probes[0].task, true);
    tsr_task_submit(&probes[1].task);
    wait_1(unused);
}
static void event_and_small(void)
{
    user_event();
    init(1, 1, 100, false);
}

/* One task, shared. */
static void shared(void)
{
    init(0, 3, 20000, false);
    tsr_task_submit(&probes[0].task);
}

/* One that is opened to the threads while they may be asleep, or look for it, and one behind it. */
static void submit_wait_shared(void *unused)
{
    shared();
    wait_0(unused);
}
static void nothing(void) {}
static void shared_chain(void)
{
    init(0, 2, 20000, false);
    init(1, 2, 20000, false);
    tsr_task_after(&probes[1].task, &probes[0].task, true);
    tsr_task_submit(&probes[1].task);
    tsr_task_submit(&probes[0].task);
}
/* Two at a time: the second has to go by the ready list. */
static void two_shared(void)
{
    init(0, 2, 20000, false);
    init(1, 2, 20000, false);
    tsr_task_submit(&probes[0].task);
}
static void flush_only(void *unused)
{
    (void)unused;
    tsr_pool_flush(pool);
}
/* A small one comes while threads share one. */
static void shared_and_small(void)
{
    init(0, 2, 20000, false);
    init(1, 1, 100, false);
    tsr_task_submit(&probes[0].task);
}

/* One that waits for a shared task without the scheduler's knowledge takes a thread; another has to come for the shared one. */
static void shared_and_awaiting(void)
{
    init(0, 2, 20000, false);
    init(1, 1, 1000000, false);
    awaits_0 = true;
    tsr_task_submit(&probes[0].task);
    tsr_task_submit(&probes[1].task);
}

/* Whoever waits for the small one leaves the shared one, of which units remain. */
static void shared_and_small_ready(void)
{
    shared_and_small();
    tsr_task_submit(&probes[1].task);
}

/* One thread's small task, another's as well. */
static void submit_wait_0(void *unused)
{
    tsr_task_submit(&probes[0].task);
    wait_0(unused);
}
static void submit_wait_1(void *unused)
{
    tsr_task_submit(&probes[1].task);
    wait_1(unused);
}
static bool waited_both(void)
{
    return both() && statuses[0] == 0 && statuses[1] == 0;
}

static const struct scenario scenarios[] = {
    {"flush while the worker goes to sleep", 1, 5, false, two_small, {submit_and_flush_each}, both},
    {"two flush at once", 1, 3, false, two_small, {submit_and_flush_0, submit_and_flush_1}, both},
    {"two flush at once, two workers", 2, 2, false, two_small, {submit_and_flush_0, submit_and_flush_1}, both},
    {"wait for a user event", 1, 20, false, user_event, {wait_0, finish_0}, waited_0},
    {"two wait for a user event", 1, 3, false, user_event, {wait_0, wait_0, finish_0}, waited_0},
    {"wait behind a user event", 1, 3, false, behind_event, {wait_1, finish_0}, waited_in_order},
    {"wait behind a user event, no worker to be had", 1, 5, true, behind_event, {wait_1, finish_0}, waited_in_order},
    {"two wait behind a user event", 1, 2, false, behind_event, {wait_1, wait_1, finish_0}, waited_in_order},
    {"nobody waits behind a user event", 1, 20, false, behind_event, {finish_0}, in_order},
    {"dependency submitted later", 1, 3, false, open_chain, {wait_1, submit_0}, waited_in_order},
    {"dependency submitted later, no worker to be had", 1, 5, true, open_chain, {wait_1, submit_0}, waited_in_order},
    {"order after a task that ends", 1, 3, false, event_and_small, {order_submit_wait_1, finish_0}, waited_in_order},
    {"a shared task", 2, 3, false, shared, {wait_0}, waited_0},
    {"a shared task, two wait", 2, 2, false, shared, {wait_0, wait_0}, waited_0},
    {"a shared task comes", 2, 3, false, nothing, {submit_wait_shared}, waited_0},
    {"a shared task without a waiting thread", 2, 3, false, shared, {flush_only}, whole_0},
    {"a shared task without a waiting thread, one flushes again", 2, 2, false, shared, {flush_only, flush_only}, whole_0},
    {"a chain of shared tasks", 2, 3, false, shared_chain, {wait_1}, waited_in_order},
    {"a chain of shared tasks, three workers", 3, 1, false, shared_chain, {wait_1}, waited_in_order},
    {"a chain of shared tasks, two wait", 2, 2, false, shared_chain, {wait_1, wait_0}, waited_in_order},
    {"a chain of shared tasks without a waiting thread", 2, 3, false, shared_chain, {flush_only}, in_order},
    {"a chain of shared tasks, no worker to be had", 2, 2, true, shared_chain, {wait_1, wait_0}, waited_in_order},
    {"two shared tasks", 2, 2, false, two_shared, {wait_0, submit_wait_1}, waited_both},
    {"two shared tasks, one without a waiting thread", 2, 2, false, two_shared, {wait_0, submit_and_flush_1}, both},
    {"a small task beside a shared one", 2, 2, false, shared_and_small, {wait_0, submit_and_flush_1}, both},
    {"a small task is waited for beside a shared one", 2, 2, false, shared_and_small_ready, {wait_1, flush_only}, both},
    {"a task awaits a shared one", 2, 2, false, shared_and_awaiting, {flush_only}, both},
    {"each its own", 1, 3, false, two_small, {submit_wait_0, submit_wait_1}, waited_both},
};

static void all_orders(void **state)
{
    (void)state;
    fault = SOUND;
    for (unsigned i = 0; i < TSR_ARRAY_LEN(scenarios); i++) {
        unsigned long runs;
        const char *why = explore(&scenarios[i], &runs);
        print_message("%-50s %7lu orders, up to %u preemptions%s%s\n", scenarios[i].name, runs, scenarios[i].bound, why ? ": " : "",
                      why ? why : "");
        assert_null(why);
        assert_true(runs > 1);
    }
}

/* With a fault, some scenario must fail; in a child, since a broken lock corrupts lists. */
static void faults_are_found(void **state)
{
    (void)state;
    for (enum fault f = LOST_WAKES; f <= LOCK_OPENS; f++) {
        pid_t pid = fork();
        if (!pid) {
            static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT};
            for (unsigned i = 0; i < TSR_ARRAY_LEN(deadly); i++)
                signal(deadly[i], SIG_DFL);
            alarm(20);
            fault = f;
            for (unsigned i = 0; i < TSR_ARRAY_LEN(scenarios); i++) {
                unsigned long runs;
                const char *why = explore(&scenarios[i], &runs);
                if (why) {
                    fprintf(stderr, "fault %d: %s: %s, order %lu\n", (int)f, scenarios[i].name, why, runs);
                    _exit(1);
                }
            }
            _exit(0);
        }
        int status = 0;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_not_equal(status, 0);
        assert_false(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_orders), cmocka_unit_test(faults_are_found)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (unsigned i = 0; i < MAX_THREADS; i++)
        free(threads[i].stack);
    return failed;
}
