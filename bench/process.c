/* SPDX-License-Identifier: Apache-2.0
 * What a process pays for a driver: the first enumeration with all device queries, threads and memory afterwards, memory after a first
 * build and after up to 200 cycles of build, run and release, as many as fit in 20 seconds. Each driver that OCL_ICD_VENDORS shows is
 * measured alone, in fresh processes. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

enum { RUNS = 21, CYCLES = 200, CYCLES_US = 20000000 };

struct figures {
    double first_us;                     /* clGetPlatformIDs, clGetDeviceIDs and every query of the device */
    long threads;                        /* after it, beyond the first */
    long list_kib, build_kib, cycle_kib; /* resident memory gained by it, by a build, by the builds after that */
    int cycles;
};

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static long status_of(const char *key)
{
    char line[256];
    long value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key)))
            value = strtol(line + strlen(key), NULL, 10);
    if (file)
        fclose(file);
    return value;
}

static void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, err);
    exit(1);
}

/* Builds, runs and releases a program that no cache has seen. */
static void cycle(cl_context context, cl_device_id device, cl_command_queue queue, int number)
{
    char text[200];
    const char *source = text;
    snprintf(text, sizeof text, "kernel void k(global int *p) { p[get_global_id(0)] += %d; }", (int)getpid() * 1000 + number);
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    check(err, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &err);
    check(err, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    size_t global = 1024;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static int child(int fd, int builds)
{
    struct figures f = {0};
    long start_kib = status_of("VmRSS:");
    cl_platform_id platform;
    cl_device_id device;
    double start = now_us();
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    for (cl_device_info query = 0x1000; query < 0x1100; query++) {
        static char value[1 << 16];
        clGetDeviceInfo(device, query, sizeof value, value, NULL);
    }
    f.first_us = now_us() - start;
    f.threads = status_of("Threads:") - 1;
    f.list_kib = status_of("VmRSS:") - start_kib;
    if (builds) {
        cl_int err;
        cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
        check(err, "clCreateContext");
        cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
        check(err, "clCreateCommandQueueWithProperties");
        cycle(context, device, queue, 0);
        long one = status_of("VmRSS:");
        f.build_kib = one - start_kib;
        double begin = now_us();
        for (f.cycles = 1; f.cycles < builds && now_us() - begin < CYCLES_US; f.cycles++)
            cycle(context, device, queue, f.cycles);
        f.cycle_kib = status_of("VmRSS:") - one;
        clReleaseCommandQueue(queue);
        clReleaseContext(context);
    }
    return write(fd, &f, sizeof f) == sizeof f ? 0 : 1;
}

static int measure(const char *self, const char *vendors, int builds, struct figures *f)
{
    int ends[2], status;
    if (pipe(ends))
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        char fd[16], count[16];
        snprintf(fd, sizeof fd, "%d", ends[1]);
        snprintf(count, sizeof count, "%d", builds);
        setenv("OCL_ICD_VENDORS", vendors, 1);
        execl(self, self, "--child", fd, count, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], f, sizeof *f);
    close(ends[0]);
    return waitpid(pid, &status, 0) == pid && got == sizeof *f ? 0 : -1;
}

static int by_first(const void *a, const void *b)
{
    double x = ((const struct figures *)a)->first_us, y = ((const struct figures *)b)->first_us;
    return (x > y) - (x < y);
}

static void report(const char *self, const char *folder, const char *icd)
{
    char alone[] = "/tmp/bench-process-XXXXXX", command[700];
    struct figures runs[RUNS], builds = {0};
    if (!mkdtemp(alone))
        return;
    snprintf(command, sizeof command, "cp '%s/%s' %s/", folder, icd, alone);
    int failed = system(command);
    for (int i = 0; i < RUNS && !failed; i++)
        failed = measure(self, alone, 0, &runs[i]);
    failed = failed || measure(self, alone, CYCLES, &builds);
    if (failed) {
        printf("%-14s failed\n", icd);
    } else {
        qsort(runs, RUNS, sizeof *runs, by_first);
        printf("%-14s %12.0f %9ld %12.1f %12.1f %9d %11.1f\n", icd, runs[RUNS / 2].first_us, runs[RUNS / 2].threads,
               (double)runs[RUNS / 2].list_kib / 1024, (double)builds.build_kib / 1024, builds.cycles, (double)builds.cycle_kib / 1024);
        fflush(stdout);
    }
    snprintf(command, sizeof command, "rm -r %s", alone);
    if (system(command))
        fprintf(stderr, "%s stays\n", alone);
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--child"))
        return child(atoi(argv[2]), atoi(argv[3]));
    const char *folder = getenv("OCL_ICD_VENDORS");
    DIR *dir = opendir(folder ? folder : "/etc/OpenCL/vendors");
    if (!dir) {
        fprintf(stderr, "OCL_ICD_VENDORS must name a folder of .icd files\n");
        return 1;
    }
    printf("%-14s %12s %9s %12s %12s %9s %11s\n", "driver", "first, us", "threads", "listed, MiB", "built, MiB", "builds", "they, MiB");
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        size_t length = strlen(e->d_name);
        if (length > 4 && !strcmp(e->d_name + length - 4, ".icd"))
            report("/proc/self/exe", folder ? folder : "/etc/OpenCL/vendors", e->d_name);
    }
    closedir(dir);
    return 0;
}
