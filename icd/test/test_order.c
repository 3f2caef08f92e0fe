/* SPDX-License-Identifier: Apache-2.0
 * Tests of order: random graphs over several queues against a model, and threads that share queues. */
#include <pthread.h>
#include <stdatomic.h>

#include "icd/test/cl_test.h"

static unsigned seed = 1;
static unsigned below(unsigned limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % limit;
}

/* ---- random graphs ---- */

enum { NODES = 400, QUEUES = 3, WAITS = 4, GATES = 6, BYTES = (NODES + 7) / 8 };

/* One command. A native kernel looks whether all that must come before it has ended. */
static struct node {
    unsigned char before[BYTES]; /* nodes that it must follow, as bits */
    atomic_bool ran;
    bool is_point;  /* marker or barrier: nothing to run */
    bool must_fail; /* by its wait list */
    cl_event event;
} nodes[NODES];
static atomic_int violations;

static bool bit(const unsigned char *set, int i)
{
    return set[i / 8] >> i % 8 & 1;
}

static void CL_CALLBACK run_node(void *data)
{
    struct node *node = *(struct node **)data;
    for (int i = 0; i < NODES; i++)
        if (bit(node->before, i) && !nodes[i].is_point && !nodes[i].must_fail && !atomic_load(&nodes[i].ran))
            atomic_fetch_add(&violations, 1);
    if (node->must_fail)
        atomic_fetch_add(&violations, 1);
    if (atomic_exchange(&node->ran, true))
        atomic_fetch_add(&violations, 1);
}

/* What precedes a node that is before this one is before it as well. */
static void add_before(struct node *node, int i)
{
    node->before[i / 8] |= (unsigned char)(1 << i % 8);
    for (int b = 0; b < BYTES; b++)
        node->before[b] |= nodes[i].before[b];
}

static void one_graph(cl_context context, cl_device_id device, bool with_failures)
{
    memset(nodes, 0, sizeof nodes);
    const cl_command_queue_properties kinds[QUEUES] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                                       CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE};
    cl_command_queue queues[QUEUES];
    cl_event gates[GATES];
    bool gate_fails[GATES];
    int last[QUEUES], barrier[QUEUES], queue_of[NODES];
    for (int q = 0; q < QUEUES; q++) {
        queues[q] = test_queue(context, device, kinds[q]);
        last[q] = barrier[q] = -1;
    }
    for (int g = 0; g < GATES; g++) {
        CHECK_CREATE(gates[g], clCreateUserEvent(context, &err), CL_SUCCESS);
        gate_fails[g] = with_failures && below(3) == 0;
    }
    for (int i = 0; i < NODES; i++) {
        struct node *node = &nodes[i];
        int q = queue_of[i] = (int)below(QUEUES);
        cl_event waits[WAITS];
        cl_uint count = i ? below(WAITS + 1) : 0;
        for (cl_uint k = 0; k < count; k++) {
            if (below(12) == 0) {
                unsigned g = below(GATES);
                waits[k] = gates[g];
                node->must_fail |= gate_fails[g];
            } else {
                int other = (int)below((unsigned)i);
                waits[k] = nodes[other].event;
                node->must_fail |= nodes[other].must_fail;
                add_before(node, other);
            }
        }
        unsigned kind = below(12);
        node->is_point = kind < 2;
        if (q == 0 && last[q] >= 0)
            add_before(node, last[q]);
        if (barrier[q] >= 0)
            add_before(node, barrier[q]);
        if (node->is_point && !count)
            for (int k = 0; k < i; k++)
                if (queue_of[k] == q)
                    add_before(node, k);
        const cl_event *list = count ? waits : NULL;
        if (kind == 0) {
            CHECK(clEnqueueMarkerWithWaitList(queues[q], count, list, &node->event));
        } else if (kind == 1) {
            CHECK(clEnqueueBarrierWithWaitList(queues[q], count, list, &node->event));
            barrier[q] = i;
        } else {
            CHECK(clEnqueueNativeKernel(queues[q], run_node, &node, sizeof node, 0, NULL, NULL, count, list, &node->event));
        }
        last[q] = i;
        if (below(50) == 0)
            CHECK(clFlush(queues[below(QUEUES)]));
    }
    for (int g = 0; g < GATES; g++)
        CHECK(clSetUserEventStatus(gates[g], gate_fails[g] ? -100 - g : CL_COMPLETE));
    for (int q = 0; q < QUEUES; q++)
        CHECK(clFinish(queues[q]));
    CHECK_THAT(atomic_load(&violations) == 0);
    for (int i = 0; i < NODES; i++) {
        cl_int status;
        CHECK(clGetEventInfo(nodes[i].event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        CHECK_THAT(status == (nodes[i].must_fail ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE));
        CHECK_THAT(atomic_load(&nodes[i].ran) == (!nodes[i].is_point && !nodes[i].must_fail));
        CHECK(clReleaseEvent(nodes[i].event));
    }
    for (int g = 0; g < GATES; g++)
        CHECK(clReleaseEvent(gates[g]));
    for (int q = 0; q < QUEUES; q++)
        CHECK(clReleaseCommandQueue(queues[q]));
}

static void test_graphs(void **state)
{
    (void)state;
    cl_device_id device = test_device();
    cl_context context = test_context(device);
    for (int round = 0; round < 20; round++) {
        seed = (unsigned)round + 1;
        one_graph(context, device, round % 2);
    }
    CHECK(clReleaseContext(context));
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 300 };

struct shared {
    cl_command_queue queue;
    bool in_order;
    int counter;            /* touched by commands of an in-order queue only, so without a lock */
    atomic_int ran, called; /* commands, callbacks */
};

static void CL_CALLBACK count_one(void *data)
{
    struct shared *shared = *(struct shared **)data;
    if (shared->in_order)
        shared->counter++;
    atomic_fetch_add(&shared->ran, 1);
}

static void CL_CALLBACK count_callback(cl_event event, cl_int status, void *user_data)
{
    struct shared *shared = user_data;
    atomic_fetch_add(&shared->called, status == CL_COMPLETE);
    clReleaseEvent(event);
}

/* What can be done on one queue from many threads; answers the number of calls that failed. */
static void *use_queue(void *data)
{
    struct shared *shared = data;
    intptr_t failed = 0;
    for (int i = 0; i < ROUNDS; i++) {
        cl_event event = NULL, other = NULL;
        failed += !!clEnqueueNativeKernel(shared->queue, count_one, &shared, sizeof shared, 0, NULL, NULL, 0, NULL, &event);
        failed += !!clEnqueueMarkerWithWaitList(shared->queue, i % 2, i % 2 ? &event : NULL, &other);
        switch (i % 7) {
        case 0:
            failed += !!clWaitForEvents(1, &other);
            break;
        case 1:
            failed += !!clFinish(shared->queue);
            break;
        case 2:
            failed += !!clFlush(shared->queue);
            break;
        case 3:
            failed += !!clEnqueueBarrier(shared->queue);
            break;
        default:
            break;
        }
        failed += !!clReleaseEvent(other);
        failed += !!clSetEventCallback(event, CL_COMPLETE, count_callback, shared);
    }
    return (void *)failed;
}

static void test_threads(void **state)
{
    (void)state;
    for (int in_order = 0; in_order < 2; in_order++) {
        struct test_world w = test_begin(in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        struct shared shared = {.queue = w.queue, .in_order = in_order};
        pthread_t threads[THREADS];
        for (int t = 0; t < THREADS; t++)
            CHECK_THAT(!pthread_create(&threads[t], NULL, use_queue, &shared));
        for (int t = 0; t < THREADS; t++) {
            void *failed;
            pthread_join(threads[t], &failed);
            CHECK_THAT(!failed);
        }
        CHECK(clFinish(w.queue));
        CHECK_THAT(atomic_load(&shared.ran) == THREADS * ROUNDS && atomic_load(&shared.called) == THREADS * ROUNDS);
        CHECK_THAT(shared.counter == (in_order ? THREADS * ROUNDS : 0));
        test_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_graphs), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
