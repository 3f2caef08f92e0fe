/* SPDX-License-Identifier: Apache-2.0
 * What a tree of processes did, from /proc. */
#include "fuzz/watch.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

enum { MOST_PROCESSES = 64, POLL_MS = 250 };

struct tree {
    pid_t pids[MOST_PROCESSES]; /* a parent stands before its children */
    unsigned count;
    bool runnable;   /* one of the threads runs or waits for a CPU */
    uint64_t cpu_ns; /* of all threads that there are */
};

/* The first line of /proc/PID/task/TID/NAME, empty if there is none. */
static void read_line(pid_t pid, const char *tid, const char *name, char *line, int size)
{
    char path[320];
    snprintf(path, sizeof path, "/proc/%d/task/%s/%s", (int)pid, tid, name);
    line[0] = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    if (!fgets(line, size, file))
        line[0] = 0;
    fclose(file);
    line[strcspn(line, "\n")] = 0;
}

static void look_at_thread(struct tree *tree, pid_t pid, const char *tid, bool tell)
{
    char stat[512], children[1024], times[128];
    read_line(pid, tid, "stat", stat, sizeof stat);
    read_line(pid, tid, "schedstat", times, sizeof times);
    read_line(pid, tid, "children", children, sizeof children);
    const char *name_end = strrchr(stat, ')');
    tree->runnable |= name_end && name_end[1] && name_end[2] == 'R';
    tree->cpu_ns += strtoull(times, NULL, 10);
    char *at = children, *end;
    for (long child; (child = strtol(at, &end, 10)) > 0 && tree->count < MOST_PROCESSES; at = end)
        tree->pids[tree->count++] = (pid_t)child;
    if (tell) {
        char function[128], call[256];
        read_line(pid, tid, "wchan", function, sizeof function);
        read_line(pid, tid, "syscall", call, sizeof call);
        fprintf(stderr, "process %d, thread %s: state %c, in %s, system call %s\n", (int)pid, tid,
                name_end && name_end[1] ? name_end[2] : '?', function, call);
    }
}

static struct tree look(pid_t root, bool tell)
{
    struct tree tree = {.pids = {root}, .count = 1};
    for (unsigned i = 0; i < tree.count; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/task", (int)tree.pids[i]);
        DIR *threads = opendir(path);
        for (struct dirent *thread; threads && (thread = readdir(threads));)
            if (thread->d_name[0] != '.')
                look_at_thread(&tree, tree.pids[i], thread->d_name, tell);
        if (threads)
            closedir(threads);
    }
    return tree;
}

static void end_tree(pid_t root)
{
    kill(root, SIGSTOP); /* it starts no more of them */
    struct tree tree = look(root, true);
    for (unsigned i = tree.count; i-- > 0;)
        kill(tree.pids[i], SIGKILL);
}

int fuzz_watch(pid_t child, const volatile unsigned *steps, struct fuzz_limits limits)
{
    const uint64_t second = UINT64_C(1000000000);
    struct pollfd ends = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
    FUZZ_CHECK(ends.fd >= 0);
    uint64_t whole = 0, step = 0, last = tsr_now_ns(), last_cpu = 0;
    unsigned last_steps = 0;
    bool killed = false;
    while (poll(&ends, 1, POLL_MS) == 0 && !killed) {
        struct tree tree = look(child, false);
        uint64_t now = tsr_now_ns(), passed = now - last, cpu = tree.cpu_ns > last_cpu ? tree.cpu_ns - last_cpu : 0;
        uint64_t counts = tree.runnable && cpu < passed ? cpu : passed;
        last = now;
        last_cpu = tree.cpu_ns;
        whole += counts;
        step = *steps == last_steps ? step + counts : 0;
        last_steps = *steps;
        if (step > limits.step * second || whole > limits.whole * second) {
            fprintf(stderr, "step %u takes %.1f s, all together %.1f s\n", last_steps, (double)step / 1e9, (double)whole / 1e9);
            end_tree(child);
            killed = true;
        }
    }
    close(ends.fd);
    int status = 0;
    FUZZ_CHECK(waitpid(child, &status, 0) == child);
    return status;
}
