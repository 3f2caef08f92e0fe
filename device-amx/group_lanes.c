/* SPDX-License-Identifier: Apache-2.0
 * Which of a kernel's codes a launch runs with: of kernels with barriers or local memory, that with several groups as lanes of a packet,
 * that for this size of groups alone, or the usual one; of kernels with sub-groups the usual one, that whose lanes follow work-groups
 * that are columns, or, where they multiply copies in local memory, that for this size of groups alone; of others the usual one, or in
 * ranges that are narrow where its lanes follow each other, that whose lanes follow another dimension, or that for this size, whose packets
 * are the rows; that one, too, in ranges of one work-item. */
#include "device-amx/costs.h"
#include "device-amx/cpu.h"

static bool power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

static uint64_t packet_bytes(uint64_t local_bytes, uint64_t groups)
{
    return tsr_local_round(local_bytes) * groups;
}

/* In packets as lanes, groups are in one row and begin at multiples of their size. */
static bool may_be_lanes(const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range, uint64_t local_argument_bytes)
{
    uint64_t size = range->local[0], width = kernel->sub_group_size;
    return power_of_two(size) && size <= width && range->local[1] == 1 && range->local[2] == 1 && range->offset[0] % size == 0 &&
           packet_bytes(tsr_local_round(kernel->local_bytes) + local_argument_bytes, width / size) <= TSR__GROUP_LANES_LOCAL;
}

/* As code of one size is made for. */
static bool may_be_sized(const struct tsr_ndrange *range)
{
    bool may = true;
    for (int d = 0; d < 3; d++)
        may = may && range->global[d] % range->local[d] == 0 && tsr__ids_are_ints(range->offset[d], range->global[d]);
    return may;
}

/* The code for a range in which packets would be all but empty: lanes follow the dimension with the most work-items. 0: the usual one. */
static unsigned code_for_narrow(const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range)
{
    unsigned lanes = tsr_lane_dimension(kernel->flags), most = lanes;
    for (unsigned d = 0; d < 3; d++)
        most = range->global[d] > range->global[most] ? d : most;
    bool narrow = range->global[lanes] * TSR__NARROW_PART < tsr_packet_width(kernel);
    return narrow && most != lanes ? 1U << (TSR_GROUPS_IN_X + most) : 0;
}

/* The range has less than a packet in x, and that is a row of a work-group: as a packet of its own size it lacks no lanes, or few. */
static bool has_short_rows(const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range)
{
    uint64_t row = range->local[0];
    return tsr_lane_dimension(kernel->flags) == 0 && range->global[0] < tsr_packet_width(kernel) && row == range->global[0] &&
           row * TSR__NARROW_PART >= tsr_packet_width(kernel) && may_be_sized(range);
}

/* A packet of one work-item is no vector, so that loops run as they are written. */
static bool is_single(const struct tsr_ndrange *range)
{
    return range->global[0] == 1 && range->global[1] == 1 && range->global[2] == 1 && may_be_sized(range);
}

/* The code for work-groups of which each is a column in y or z, and fills packets, or a quarter of one at least. */
static unsigned code_for_columns(const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range)
{
    unsigned d = tsr_column_dimension(range->local);
    return d && range->local[d] * TSR__NARROW_PART >= tsr_packet_width(kernel) ? 1U << (TSR_GROUPS_IN_X + d) : 0;
}

static bool is_of_full_packets(const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range)
{
    return range->local[0] % tsr_packet_width(kernel) == 0 && may_be_sized(range);
}

unsigned tsr__group_codes(const struct tsr_loaded_kernel *loaded, const struct tsr_ndrange *range, uint64_t local_argument_bytes)
{
    enum tsr__group_way way = loaded->module->group_way;
    if (way == TSR__GROUPS_IN_REGIONS)
        return 0;
    if (tsr_lanes_may_follow(loaded->info->flags)) {
        unsigned narrow = code_for_narrow(loaded->info, range);
        bool sized = !narrow && way != TSR__GROUPS_AS_LANES && (has_short_rows(loaded->info, range) || is_single(range));
        return narrow | (unsigned)sized << TSR_GROUPS_OF_SIZE;
    }
    const unsigned columns = tsr_lanes_may_follow_columns(loaded->info->flags) ? code_for_columns(loaded->info, range) : 0;
    if (columns)
        return columns;
    if (tsr_may_be_unstaged(loaded->info->flags))
        return (unsigned)(way != TSR__GROUPS_AS_LANES && is_of_full_packets(loaded->info, range)) << TSR_GROUPS_OF_SIZE;
    if (!tsr_groups_may_be_lanes(loaded->info->flags))
        return 0;
    bool lanes = way != TSR__GROUPS_OF_SIZE && may_be_lanes(loaded->info, range, local_argument_bytes);
    bool sized = way != TSR__GROUPS_AS_LANES && may_be_sized(range);
    return (unsigned)lanes << TSR_GROUPS_AS_LANES | (unsigned)sized << TSR_GROUPS_OF_SIZE;
}

/* Local sizes that share a record are rare. */
static struct tsr__size_record *record_of(struct tsr__entry *entry, const uint64_t local[3])
{
    return &entry->sizes[(local[0] + 7 * local[1] + 13 * local[2]) % TSR__SIZE_RECORDS];
}

/* Of a range that may have code of its size: the usual packets would have one lane. */
static bool is_for_one_lane(const struct tsr_ndrange *range)
{
    return range->local[0] == 1 && range->local[1] == 1 && range->local[2] == 1;
}

/* All of them if the launches so far have taken long. For groups of one the code of their size is made at once, in place of that for
 * packets that are not full: it takes less time to compile, and runs loops as they are written. */
unsigned tsr__wanted_group_codes(const struct tsr_loaded_kernel *const codes[TSR_GROUP_CODES], const struct tsr_ndrange *range,
                                 unsigned missing)
{
    const struct tsr_loaded_kernel *kernel = codes[TSR_GROUPS_USUAL];
    if (kernel->module->group_way != TSR__GROUPS_BY_TIME)
        return missing;
    const unsigned sized = missing & 1U << TSR_GROUPS_OF_SIZE;
    if (sized && is_for_one_lane(range) && kernel->info->flags & TSR_KERNEL_PARTIAL_LATER && tsr__needs_partial(kernel, range))
        return sized;
    if (codes[TSR_GROUPS_OF_SIZE] && is_for_one_lane(range))
        kernel = codes[TSR_GROUPS_OF_SIZE];
    struct tsr__entry *entry = tsr__module_entry(kernel->module, kernel->info);
    if (!entry)
        return 0;
    struct tsr__size_record *record = record_of(entry, range->local);
    uint64_t items = range->global[0] * range->global[1] * range->global[2];
    uint64_t ns = (uint64_t)((unsigned __int128)atomic_load_explicit(&entry->item_ps, memory_order_relaxed) * items / 1000);
    /* Groups of full packets have less to gain. */
    bool full = range->local[0] % kernel->info->sub_group_size == 0 && tsr_groups_may_be_lanes(kernel->info->flags);
    uint64_t most = full ? TSR__FULL_GROUP_CODE_NS : TSR__GROUP_CODE_NS;
    return atomic_fetch_add_explicit(&record->usual_ns, ns, memory_order_relaxed) + ns > most ? missing : 0;
}

/* What launches with each code have taken. */
struct record {
    uint64_t launches, ps;
};

static bool is_clear(struct record code, struct record best)
{
    return code.ps / TSR__GROUP_LANES_CLEAR >= best.ps;
}

/* Is the code for arguments that share memory as these do? */
static bool suits(const struct tsr_kernel_info *code, const void *args, const struct tsr_arg_memory *memory)
{
    return !code->alone_arguments || (memory && !(code->alone_arguments & ~tsr__alone_arguments(code, args, memory)));
}

/* The code that has had the fastest launch; that for narrow ranges if it is there. Other processes make a launch slow now and then, so each
 * gets a few launches at first, and later one now and then. One that takes several times as long as the best gets fewer. */
enum tsr_group_code tsr__choose_group_code(const struct tsr_loaded_kernel *const codes[TSR_GROUP_CODES], const struct tsr_ndrange *range,
                                           const void *args, const struct tsr_arg_memory *memory)
{
    struct record records[TSR_GROUP_CODES] = {0}, best = {0};
    unsigned fastest = TSR_GROUP_CODES, count = 0;
    uint64_t launches = 0;
    for (enum tsr_group_code c = TSR_GROUPS_IN_X; c <= TSR_GROUPS_IN_Z; c++)
        if (codes[c])
            return c;
    const enum tsr__group_way way = codes[TSR_GROUPS_USUAL]->module->group_way;
    bool others_alone = way != TSR__GROUPS_BY_TIME || (codes[TSR_GROUPS_OF_SIZE] && is_for_one_lane(range));
    for (unsigned c = others_alone ? TSR_GROUPS_USUAL + 1 : TSR_GROUPS_USUAL; c < TSR_GROUP_CODES; c++) {
        struct tsr__entry *entry =
            codes[c] && suits(codes[c]->info, args, memory) ? tsr__module_entry(codes[c]->module, codes[c]->info) : NULL;
        if (!entry)
            continue;
        if (way != TSR__GROUPS_BY_TIME)
            return (enum tsr_group_code)c;
        struct tsr__size_record *record = record_of(entry, range->local);
        records[c] = (struct record){atomic_load_explicit(&record->launches, memory_order_relaxed),
                                     atomic_load_explicit(&record->least_ps, memory_order_relaxed)};
        launches += records[c].launches;
        if (!records[c].launches)
            return (enum tsr_group_code)c;
        if (!count++ || records[c].ps < best.ps) {
            fastest = c;
            best = records[c];
        }
    }
    if (!count)
        return TSR_GROUPS_USUAL;
    for (unsigned c = 0; c < TSR_GROUP_CODES; c++) {
        if (!records[c].launches || (c == fastest && count == 1))
            continue;
        bool clear = c != fastest && is_clear(records[c], best);
        if (records[c].launches < (clear ? TSR__GROUP_LANES_CLEAR_TRIES : TSR__GROUP_LANES_TRIES))
            return (enum tsr_group_code)c;
        if (c != fastest && launches % (clear ? TSR__GROUP_LANES_CLEAR_AGAIN : TSR__GROUP_LANES_AGAIN) == c)
            return (enum tsr_group_code)c;
    }
    return (enum tsr_group_code)fastest;
}

void tsr__group_codes_learn(struct tsr__entry *entry, const uint64_t local[3], uint64_t item_ps)
{
    struct tsr__size_record *record = record_of(entry, local);
    uint64_t least = atomic_load_explicit(&record->least_ps, memory_order_relaxed);
    if (!least || item_ps < least)
        atomic_store_explicit(&record->least_ps, item_ps, memory_order_relaxed);
    atomic_fetch_add_explicit(&record->launches, 1, memory_order_relaxed);
}

void tsr__group_lanes_lay_out(struct tsr_launch *launch)
{
    struct tsr_group *group = &launch->group;
    uint64_t groups = launch->flags & TSR_KERNEL_ONE_LANE ? TSR_MOST_INTERLEAVED : group->sub_group_size / group->enqueued_local_size[0];
    assert(groups && group->enqueued_local_size[1] == 1 && group->enqueued_local_size[2] == 1);
    group->local_pitch = tsr_local_round(launch->local_bytes);
    launch->local_bytes = packet_bytes(launch->local_bytes, groups);
}
