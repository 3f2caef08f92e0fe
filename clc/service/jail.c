/* SPDX-License-Identifier: Apache-2.0
 * The sandbox of the compiler process: seccomp and Landlock. The process compiles untrusted source; an exploit of clang
 * must not reach the rest of the system. */
#include "clc/service/service.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Answered with EPERM. Debian's headers lack the newest system calls; kernels of that age mostly lack them as well. */
static const unsigned short denied[] = {
    /* network */
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    /* programs and processes */
    SYS_execve,
    SYS_execveat,
    SYS_fork,
    SYS_vfork,
    SYS_kill,
    SYS_tkill,
    SYS_pidfd_open,
    SYS_pidfd_send_signal,
    SYS_pidfd_getfd,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_setns,
    SYS_unshare,
    SYS_kcmp,
    /* the system */
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_fsopen,
    SYS_fsmount,
    SYS_move_mount,
    SYS_open_tree,
    SYS_mount_setattr,
    SYS_swapon,
    SYS_swapoff,
    SYS_reboot,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_quotactl,
    SYS_acct,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_personality,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    /* other people's files */
    SYS_unlink,
    SYS_unlinkat,
    SYS_rename,
    SYS_renameat,
    SYS_renameat2,
    SYS_link,
    SYS_linkat,
    SYS_symlink,
    SYS_symlinkat,
    SYS_mkdir,
    SYS_mkdirat,
    SYS_rmdir,
    SYS_mknod,
    SYS_mknodat,
    SYS_chmod,
    SYS_fchmodat,
    SYS_chown,
    SYS_lchown,
    SYS_fchownat,
    SYS_truncate,
    SYS_utime,
    SYS_utimes,
    SYS_utimensat,
    SYS_futimesat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_creat,
};

enum { HEAD = 10, TAIL = 2, DENIED = sizeof denied / sizeof denied[0] };

static void forbid_calls(void)
{
    struct sock_filter filter[HEAD + DENIED + TAIL];
    unsigned n = 0;
    const unsigned deny = HEAD + DENIED + 1;
#define LOAD(field) (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(value, then, otherwise) (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, then, otherwise)
#define ANSWER(what) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, what)
    filter[n++] = LOAD(arch);
    filter[n] = IF_EQUAL(AUDIT_ARCH_X86_64, 0, (unsigned char)(deny - n - 1));
    n++;
    filter[n++] = LOAD(nr);
    filter[n] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000 /* x32 */, (unsigned char)(deny - n - 1), 0);
    n++;
    /* Threads may be made, processes not; clone3 hides its flags in memory, and libc falls back to clone. */
    filter[n++] = IF_EQUAL(SYS_clone3, 0, 1);
    filter[n++] = ANSWER(SECCOMP_RET_ERRNO | ENOSYS);
    filter[n++] = IF_EQUAL(SYS_clone, 0, 3);
    filter[n++] = LOAD(args[0]);
    filter[n] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, (unsigned char)(deny - n - 1));
    n++;
    filter[n++] = ANSWER(SECCOMP_RET_ALLOW);
    for (unsigned i = 0; i < DENIED; i++, n++)
        filter[n] = IF_EQUAL(denied[i], (unsigned char)(deny - n - 1), 0);
    filter[n++] = ANSWER(SECCOMP_RET_ALLOW);
    filter[n++] = ANSWER(SECCOMP_RET_ERRNO | EPERM);
    _Static_assert(HEAD + DENIED + TAIL < 256, "jumps are bytes");
    struct sock_fprog program = {(unsigned short)n, filter};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0); /* a kernel without it: nothing to be done */
}

/* With landlock, files and folders can be read and nothing else. */
static void forbid_writing(void)
{
    struct landlock_ruleset_attr attr = {
        .handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                             LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
                             LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                             LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM,
    };
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
    if (rules < 0)
        return;
    syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
}

void tsr__jail_enter(uint64_t memory_limit)
{
    struct rlimit none = {0, 0}, memory = {memory_limit, memory_limit}, files = {256, 256};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_NOFILE, &files);
    if (memory_limit)
        setrlimit(RLIMIT_AS, &memory);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return;
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* other processes of the user neither attach nor read it */
    forbid_writing();
    forbid_calls();
}
