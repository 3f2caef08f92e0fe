/* SPDX-License-Identifier: Apache-2.0
 * The scheduler's lock and parker, over futexes: both are plain words, so a forked child can reset them. */
#include "scheduler/internal.h"

void tsr__lock(struct tsr__lock *lock)
{
    for (unsigned i = 0; i < TSR__LOCK_SPINS; i++) {
        TSR__POINT();
        uint32_t is = 0;
        if (atomic_compare_exchange_strong_explicit(&lock->word, &is, 1, memory_order_acquire, memory_order_relaxed))
            return;
        if (is == 2)
            break;
        tsr__relax(1);
    }
    TSR__POINT();
    while (atomic_exchange_explicit(&lock->word, 2, memory_order_acquire) != 0)
        tsr__futex_wait(&lock->word, 2);
}

void tsr__unlock(struct tsr__lock *lock)
{
    TSR__POINT();
    uint32_t was = atomic_exchange_explicit(&lock->word, 0, memory_order_release);
    assert(was != 0);
    if (was == 2)
        tsr__futex_wake(&lock->word);
}

bool tsr__spin(struct tsr__spin *spin, uint64_t ns)
{
    uint64_t now = tsr_now_ns();
    if (!spin->end) {
        spin->end = now + ns;
        spin->yield = now + TSR__YIELD_NS;
    }
    if (now >= spin->end)
        return false;
    if (now >= spin->yield) {
        spin->yield = now + TSR__YIELD_NS;
        tsr__yield();
    }
    tsr__relax(1);
    return true;
}

uint32_t tsr__park(struct tsr__parker *parker)
{
    for (;;) {
        TSR__POINT();
        uint32_t signals = atomic_load_explicit(&parker->signals, memory_order_acquire) & ~(uint32_t)TSR__SLEEPS;
        if (signals) {
            atomic_fetch_and_explicit(&parker->signals, ~(uint32_t)TSR__SLEEPS, memory_order_relaxed);
            return signals;
        }
        TSR__POINT();
        if (!(atomic_fetch_or_explicit(&parker->signals, TSR__SLEEPS, memory_order_acq_rel) & ~(uint32_t)TSR__SLEEPS))
            tsr__futex_wait(&parker->signals, TSR__SLEEPS);
    }
}

bool tsr__signal(struct tsr__parker *parker, enum tsr__signals signal)
{
    TSR__POINT();
    return atomic_fetch_or_explicit(&parker->signals, signal, memory_order_acq_rel) == TSR__SLEEPS;
}

void tsr__unpark(struct tsr__parker *parker, enum tsr__signals signal)
{
    if (tsr__signal(parker, signal))
        tsr__futex_wake(&parker->signals);
}
