// SPDX-License-Identifier: Apache-2.0
// needs: __opencl_c_pipes
// kernel: through
// global: 480
// local: 1
// local: 24
// local: 160
// pipe: 12 11
// pipe: as 0
// pipe: 16 480
// pipe: as 2
// buffer: int 3 = 0
// buffer: int 480 = 0
// expect: 4 = 0 0 0
// expect: 5 = 1

/* A packet whose size is no power of two, in a pipe that is full and empty all the time; and packets by reservations of groups. */
struct packet {
    int id, twice, again;
};

kernel void through(write_only pipe struct packet out, read_only pipe struct packet in, write_only pipe int4 wide_out,
                    read_only pipe int4 wide_in, global int *sums, volatile global atomic_int *seen)
{
    int id = get_global_id(0), wrong = 0;
    /* As many packets go in as come out, whoever reads them. */
    struct packet own = {id, 2 * id, id}, got = {0, 0, 0};
    int written = write_pipe(out, &own) == 0, read = read_pipe(in, &got) == 0;
    atomic_fetch_add((volatile global atomic_int *)&sums[0], (written ? id + 1 : 0) - (read ? got.id + 1 : 0));
    wrong += read && (got.twice != 2 * got.id || got.again != got.id);
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    while (read_pipe(in, &got) == 0)
        atomic_fetch_add((volatile global atomic_int *)&sums[0], -(got.id + 1));

    /* Each sub-group reserves for its work-items, each work-group reads for its own. */
    reserve_id_t mine = sub_group_reserve_write_pipe(wide_out, get_sub_group_size());
    int4 wide = (int4)(id, id + 1, id + 2, id + 3);
    wrong += !is_valid_reserve_id(mine);
    wrong += write_pipe(wide_out, mine, get_sub_group_local_id(), &wide) != 0;
    wrong += write_pipe(wide_out, mine, get_sub_group_size(), &wide) >= 0;
    sub_group_commit_write_pipe(wide_out, mine);
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    /* Packets of another work-group may come first, which has reserved and not committed yet. */
    reserve_id_t ours = work_group_reserve_read_pipe(wide_in, get_local_size(0));
    while (!is_valid_reserve_id(ours))
        ours = work_group_reserve_read_pipe(wide_in, get_local_size(0));
    wrong += read_pipe(wide_in, ours, get_local_id(0), &wide) != 0;
    wrong += any(wide != wide.x + (int4)(0, 1, 2, 3));
    atomic_fetch_add(&seen[wide.x], 1);
    work_group_commit_read_pipe(wide_in, ours);
    wrong += get_pipe_max_packets(out) != 11 || get_pipe_max_packets(wide_in) != get_global_size(0);
    atomic_fetch_add((volatile global atomic_int *)&sums[1], wrong);
}
