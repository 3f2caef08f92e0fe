/* SPDX-License-Identifier: Apache-2.0
 * The lock of all objects, and the application's threads that wait for a change of them. */
#include <time.h>

#include "device-xmx/standin/standin.h"

pthread_mutex_t tsr__standin_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    pthread_cond_t changed;
    unsigned sleepers;
} host;

static void host_init(void)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&host.changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

uint64_t tsr__standin_deadline(uint64_t timeout_ns)
{
    uint64_t now = tsr_now_ns();
    return timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
}

struct timespec tsr__standin_timespec(uint64_t ns)
{
    enum { NS_PER_S = 1000000000 };
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

bool tsr__standin_sleep(uint64_t until_ns)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, host_init);
    if (until_ns != UINT64_MAX && tsr_now_ns() >= until_ns)
        return false;
    struct timespec until = tsr__standin_timespec(until_ns);
    host.sleepers++;
    if (until_ns == UINT64_MAX)
        pthread_cond_wait(&host.changed, &tsr__standin_lock);
    else
        pthread_cond_timedwait(&host.changed, &tsr__standin_lock, &until);
    host.sleepers--;
    return true;
}

void tsr__standin_changed(void)
{
    struct tsr__driver *driver = tsr__standin_driver();
    if (host.sleepers)
        pthread_cond_broadcast(&host.changed);
    for (unsigned i = 0; i < driver->device_count; i++)
        pthread_cond_signal(&driver->devices[i]->work);
}

ze_result_t tsr__standin_wait(const unsigned *pending, const struct tsr__device *device, uint64_t timeout_ns)
{
    uint64_t until = tsr__standin_deadline(timeout_ns);
    for (;;) {
        if (device && atomic_load(&device->lost))
            return ZE_RESULT_ERROR_DEVICE_LOST;
        if (!*pending)
            return ZE_RESULT_SUCCESS;
        if (!tsr__standin_sleep(until))
            return ZE_RESULT_NOT_READY;
    }
}
