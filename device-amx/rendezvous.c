/* SPDX-License-Identifier: Apache-2.0
 * Barriers and exchanges between the work-items of a group, and the loop that runs a group whose runners have a fiber each.
 *
 * Mode ALL: a work-item waits until all work-items of the scope have arrived. Mode ACTIVE: it waits until no work-item of the group can
 * run; then, in each sub-group, the work-items at the waiting site with the lowest number exchange values. If no work-item can run and none
 * waits in mode ACTIVE, the program is in illegal divergence: the launch fails and the text names the site. */
#include <string.h>

#include "device-amx/cpu.h"
#include "tessera/enqueue.h"
#include "device-amx/tiles.h"

struct tsr__result {
    struct tsr__result *next; /* spare */
    uint64_t mask;
    uint32_t keepers;
    size_t room;
    _Alignas(TSR_MAX_ALIGN) unsigned char slots[];
};

/* ---- scopes ---- */

struct scope {
    uint32_t first, count; /* its runners: index of the first, and how many */
    uint32_t slots;
    uint32_t *arrived;
};

static struct scope scope_of(const struct tsr__run *run, const struct tsr_item *item, uint32_t scope)
{
    uint32_t size = run->unit, sub_groups = run->group.num_sub_groups;
    struct scope s;
    switch (scope) {
    case TSR_SCOPE_SUB_GROUP:
        s = (struct scope){item->sub_group_id * size, size, size, &run->arrived[item->sub_group_id]};
        break;
    case TSR_SCOPE_PAIR:
        s = (struct scope){item->sub_group_id / 2 * 2 * size, 2 * size, 2 * size, &run->arrived[sub_groups + item->sub_group_id / 2]};
        break;
    default:
        s = (struct scope){0, run->runners, run->runners, &run->arrived[2 * sub_groups]};
        break;
    }
    assert(item->sub_group_id < sub_groups && s.first < run->runners);
    if (s.count > run->runners - s.first)
        s.count = run->runners - s.first;
    return s;
}

size_t tsr__rendezvous_words(const struct tsr_group *group, uint64_t items)
{
    return 2 * (items / group->sub_group_size + 1) + 1;
}

/* ---- results ---- */

static void let_go(struct tsr__run *run, struct tsr__result *result)
{
    assert(!result || result->keepers);
    if (result && --result->keepers == 0) {
        result->next = run->spare;
        run->spare = result;
    }
}

static struct tsr__result *new_result(struct tsr__run *run, size_t bytes)
{
    struct tsr__result *result = run->spare;
    if (result) {
        run->spare = result->next;
        if (result->room < bytes) {
            tsr_free(result);
            result = NULL;
        }
    }
    if (!result) {
        result = tsr_aligned(TSR_MAX_ALIGN, sizeof *result + bytes);
        if (!result)
            return NULL;
        result->room = bytes;
    }
    result->keepers = 0;
    result->mask = 0;
    memset(result->slots, 0, bytes);
    return result;
}

void tsr__rendezvous_forget(struct tsr__run *run, uint32_t items)
{
    for (uint32_t i = 0; i < items && run->exchanged; i++) {
        for (int k = 0; k < 6; k++) {
            let_go(run, run->items[i].kept[k / 2][k % 2]);
            run->items[i].kept[k / 2][k % 2] = NULL;
        }
    }
    run->exchanged = false;
}

void tsr__rendezvous_end(struct tsr__run *run)
{
    while (run->spare) {
        struct tsr__result *next = run->spare->next;
        tsr_free(run->spare);
        run->spare = next;
    }
}

/* ---- illegal divergence ---- */

/* The line of the table of sites, without its newline. */
static const char *site_text(const struct tsr__run *run, uint32_t site, int *length)
{
    const char *line = run->launch->module->sites;
    for (uint32_t i = 1; i < site && line && *line; i++) {
        line = strchr(line, '\n');
        line = line ? line + 1 : "";
    }
    const char *end = line && site ? strchr(line, '\n') : NULL;
    *length = end ? (int)(end - line) : 7;
    return end ? line : "unknown";
}

/* Work-items that run->items[i] runs. */
static uint32_t weight(const struct tsr__run *run, uint32_t i)
{
    return run->unit == 1 ? run->items[i].item.sub_group_size : 1;
}

static uint32_t weight_of(const struct tsr__run *run, const struct scope *s)
{
    uint32_t sum = 0;
    for (uint32_t i = s->first; i < s->first + s->count; i++)
        sum += weight(run, i);
    return sum;
}

static void add_waiting(struct tsr_buf *text, const struct tsr__run *run, const struct scope *s)
{
    enum { MOST = 4 };
    uint32_t seen[MOST], kinds = 0, returned = 0, others = 0;
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        const struct tsr__work_item *w = &run->items[i];
        uint32_t at = 0;
        if (w->state == TSR__RETURNED) {
            returned += weight(run, i);
            continue;
        }
        while (at < kinds && seen[at] != w->item.site)
            at++;
        if (at < kinds)
            continue;
        if (kinds == MOST) {
            others += weight(run, i);
            continue;
        }
        seen[kinds++] = w->item.site;
        uint32_t here = 0;
        for (uint32_t k = s->first; k < s->first + s->count; k++)
            if (run->items[k].state != TSR__RETURNED && run->items[k].item.site == w->item.site)
                here += weight(run, k);
        int length;
        const char *name = site_text(run, w->item.site, &length);
        tsr_buf_printf(text, "%s%u wait%s at call site %u (%.*s)", kinds > 1 ? ", " : "", here, here == 1 ? "s" : "", w->item.site, length,
                       name);
    }
    if (others)
        tsr_buf_printf(text, ", %u elsewhere", others);
    if (returned)
        tsr_buf_printf(text, ", %u ha%s returned", returned, returned == 1 ? "s" : "ve");
}

static void report(struct tsr__run *run, const struct tsr__work_item *who)
{
    struct tsr_buf text = {0};
    struct scope s = scope_of(run, &who->item, who->scope);
    const uint64_t *id = run->group.group_id;
    tsr_buf_printf(&text, "kernel '%s', work-group (%lu, %lu, %lu): illegal divergence: of the %u work-items of ", run->launch->entry->name,
                   (unsigned long)id[0], (unsigned long)id[1], (unsigned long)id[2], weight_of(run, &s));
    if (who->scope == TSR_SCOPE_SUB_GROUP)
        tsr_buf_printf(&text, "sub-group %u, ", who->item.sub_group_id);
    else if (who->scope == TSR_SCOPE_PAIR)
        tsr_buf_printf(&text, "sub-groups %u and %u, ", who->item.sub_group_id & ~1u, who->item.sub_group_id | 1u);
    else
        tsr_buf_printf(&text, "the work-group, ");
    add_waiting(&text, run, &s);
    tsr_buf_bytes(&text, "", 1);
    run->status = tsr__launch_fail(run->launch, text.failed ? NULL : tsr_strdup((const char *)text.data));
    tsr_buf_free(&text);
}

/* ---- rendezvous ---- */

static bool same_call(const struct tsr__work_item *a, const struct tsr__work_item *b)
{
    return a->item.site == b->item.site && a->exchanges == b->exchanges && a->size == b->size && a->scope == b->scope && a->mode == b->mode;
}

/* Wakes the runners of the scope that wait at the same call as `who`, with the values that they gave. */
static void release(struct tsr__run *run, const struct scope *s, const struct tsr__work_item *who)
{
    struct tsr__result *result = NULL;
    struct tsr__work_item pattern = *who;
    if (pattern.exchanges) {
        result = new_result(run, (size_t)s->slots * pattern.size);
        if (!result) {
            run->status = tsr__launch_fail(run->launch, NULL);
            return;
        }
        run->exchanged = true;
    }
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        struct tsr__work_item *w = &run->items[i];
        if (w->state != TSR__WAITS || !same_call(w, &pattern))
            continue;
        w->state = TSR__READY;
        if (!result)
            continue;
        uint32_t slot = i - s->first;
        memcpy(result->slots + (size_t)slot * w->size, w->value, w->size);
        if (slot < 64)
            result->mask |= (uint64_t)1 << slot;
        struct tsr__result **kept = w->kept[w->scope - 1];
        let_go(run, kept[1]);
        kept[1] = kept[0];
        kept[0] = result;
        result->keepers++;
    }
}

/* Waits at a barrier or exchange. Does not return if the launch fails meanwhile. */
static void wait_for_others(struct tsr__work_item *w)
{
    struct tsr__run *run = w->run;
    struct scope s = scope_of(run, &w->item, w->scope);
    assert(w->state == TSR__READY && *s.arrived < s.count);
    w->state = TSR__WAITS;
    if (w->mode == TSR_EXCHANGE_ALL && ++*s.arrived == s.count) {
        *s.arrived = 0;
        bool together = true;
        for (uint32_t i = s.first; i < s.first + s.count && together; i++)
            together = same_call(&run->items[i], w);
        if (together)
            release(run, &s, w);
        else
            report(run, w);
    } else if (s.count == 1) {
        release(run, &s, w);
    }
    if (w->state != TSR__READY)
        tsr__fiber_switch(&w->fiber, &run->worker);
}

static void rt_barrier(struct tsr_item *item, uint32_t scope, uint32_t fence_flags)
{
    (void)fence_flags; /* a group runs on one thread, which sees its own memory operations in order */
    struct tsr__work_item *w = (struct tsr__work_item *)item;
    w->exchanges = false;
    w->scope = scope;
    w->mode = TSR_EXCHANGE_ALL;
    w->size = 0;
    wait_for_others(w);
}

static const void *rt_exchange(struct tsr_item *item, uint32_t scope, uint32_t mode, const void *value, uint32_t size, uint64_t *mask)
{
    struct tsr__work_item *w = (struct tsr__work_item *)item;
    assert(scope - 1 < TSR_ARRAY_LEN(w->kept));
    w->exchanges = true;
    w->scope = scope;
    w->mode = mode;
    w->size = size;
    w->value = value;
    wait_for_others(w);
    const struct tsr__result *result = w->kept[scope - 1][0];
    *mask = result->mask;
    return result->slots;
}

static void rt_print(struct tsr_item *item, const char *format, const unsigned char *args)
{
    struct tsr__work_item *w = (struct tsr__work_item *)item;
    if (w->run->direct) {
        tsr__print(&w->run->text, format, args);
        return;
    }
    /* The worker formats the text: that needs more stack than a work-item may have. */
    w->format = format;
    w->print_args = args;
    w->state = TSR__PRINTS;
    tsr__fiber_switch(&w->fiber, &w->run->worker);
}

static void answer(struct tsr__run *run, struct tsr_enqueue *request)
{
    const struct tsr__enqueuer *enqueuer = run->launch->enqueuer;
    request->result = enqueuer ? enqueuer->answer(run, request) : TSR_ENQUEUE_FAILURE;
}

static void rt_enqueue(struct tsr_item *item, struct tsr_enqueue *request)
{
    struct tsr__work_item *w = (struct tsr__work_item *)item;
    if (w->run->direct) {
        answer(w->run, request);
        return;
    }
    w->request = request;
    w->state = TSR__ENQUEUES;
    tsr__fiber_switch(&w->fiber, &w->run->worker);
}

static void make_ready(struct tsr__work_item *w)
{
    w->state = TSR__READY;
    w->started = false;
}

static void rt_torn(struct tsr_item *item, uint64_t here, uint64_t all)
{
    struct tsr__run *run = ((struct tsr__work_item *)item)->run;
    if (here == all || run->status)
        return;
    int waits = __builtin_popcountll(here), length;
    const char *name = site_text(run, item->site, &length);
    char *text =
        tsr_format("kernel '%s': illegal divergence: of %d work-items of one sub-group, %d wait%s at call site %u (%.*s), %d elsewhere",
                   run->launch->entry->name, __builtin_popcountll(all), waits, waits == 1 ? "s" : "", item->site, length, name,
                   __builtin_popcountll(all & ~here));
    run->status = tsr__launch_fail(run->launch, text);
}

/* For the report: copies the site at which each packet waits from its context to its work-item. */
static void rt_apart(struct tsr_item *item, uint64_t context_bytes)
{
    struct tsr__run *run = ((struct tsr__work_item *)item)->run;
    const struct tsr__work_item *waits = NULL;
    run->runners = tsr__packets_of(run->launch->flags, run->group.sub_group_size, run->group.local_size);
    for (uint32_t i = 0; i < run->runners; i++) {
        struct tsr__work_item *w = &run->items[i];
        w->item.sub_group_size = tsr__packet_lanes(run, i);
        memcpy(&w->item.site, run->contexts + i * context_bytes, sizeof w->item.site);
        w->state = w->item.site ? TSR__WAITS : TSR__RETURNED;
        w->scope = TSR_SCOPE_WORK_GROUP;
        waits = w->item.site ? w : waits;
    }
    report(run, waits);
}

const struct tsr_rt tsr__rt = {rt_barrier,     rt_exchange,     rt_torn,        rt_apart,           rt_print,
                               tsr__space_of,  rt_enqueue,      tsr__tile_move, tsr__tile_operand,  tsr__tile_multiply,
                               tsr__tile_loop, tsr__tile_first, tsr__tile_pack, tsr__matrix_product};

/* ---- the round ---- */

static void work_item_main(void *argument)
{
    struct tsr__work_item *w = argument;
    struct tsr__run *run = w->run;
    tsr__fiber_started(&run->worker);
    run->launch->entry->run(&w->item);
    w->state = TSR__RETURNED;
    run->alive--;
    tsr__fiber_end(&run->worker);
}

static void resume(struct tsr__run *run, uint32_t index)
{
    struct tsr__work_item *w = &run->items[index];
    if (!w->started) {
        w->started = true;
        tsr__fiber_make(run->stacks, index, &w->fiber, work_item_main, w);
    }
    for (;;) {
        tsr__fiber_switch(&run->worker, &w->fiber);
        if (w->state == TSR__PRINTS)
            tsr__print(&run->text, w->format, w->print_args);
        else if (w->state == TSR__ENQUEUES)
            answer(run, w->request);
        else
            return;
        w->state = TSR__READY;
    }
}

/* Of the runners that wait in mode ACTIVE, the one with the lowest site. */
static const struct tsr__work_item *lowest_active(const struct tsr__run *run, uint32_t first, uint32_t count)
{
    const struct tsr__work_item *lowest = NULL;
    for (uint32_t i = first; i < first + count; i++) {
        const struct tsr__work_item *w = &run->items[i];
        if (w->state == TSR__WAITS && w->mode == TSR_EXCHANGE_ACTIVE && (!lowest || w->item.site < lowest->item.site))
            lowest = w;
    }
    return lowest;
}

/* No runner can go on: in each sub-group, wakes the runners at one site of mode ACTIVE. */
static bool release_active(struct tsr__run *run)
{
    bool any = false;
    uint32_t size = run->unit;
    for (uint32_t first = 0; first < run->runners && run->status == 0; first += size) {
        uint32_t count = size < run->runners - first ? size : run->runners - first;
        const struct tsr__work_item *w = lowest_active(run, first, count);
        if (!w)
            continue;
        struct scope s = scope_of(run, &w->item, w->scope);
        release(run, &s, w);
        any = true;
    }
    return any;
}

void tsr__rendezvous_run(struct tsr__run *run)
{
    memset(run->arrived, 0, tsr__rendezvous_words(&run->group, run->count) * sizeof *run->arrived);
    tsr__visit_runners(run, false, make_ready);
    run->alive = run->runners;
    while (run->alive) {
        bool progress = false;
        for (uint32_t i = 0; i < run->runners; i++) {
            if (run->items[i].state != TSR__READY)
                continue;
            resume(run, i);
            progress = true;
            if (run->status)
                return;
        }
        if (progress || release_active(run))
            continue;
        uint32_t i = 0;
        while (run->items[i].state != TSR__WAITS)
            i++;
        report(run, &run->items[i]);
        return;
    }
}
