/* SPDX-License-Identifier: Apache-2.0
 * Finds the functions of matrices and 2D blocks that each kernel reaches, and compares their sub-group sizes with the kernel's. */
#include "clc/service/service.h"

#include "clc/common/names.h"

#include <stdlib.h>
#include <string.h>

#include "tessera/block2d.h"
#include "tessera/matrix.h"

/* A function that only works on sub-groups of one size. */
struct demand {
    const char *name; /* not terminated */
    int length;
    const char *first; /* type of the first argument, where that tells overloads for other sizes apart */
    unsigned size;     /* 0: the function is none */
};

enum { SIZES = 3 /* of sub-groups: 8, 16 and 32 */, SIXTEEN = 16 };

static unsigned index_of_size(unsigned size)
{
    return size / 16;
}

/* Functions reached from a kernel, each once. */
struct walk {
    LLVMValueRef *functions;
    uint32_t count, capacity;
    /* the first call of a function for sub-groups of each size */
    LLVMValueRef call[SIZES];
    struct demand demand[SIZES];
};

static struct demand demand_of(const char *mangled)
{
    static const char *const of_sixteen[] = {"intel_sub_group_2d_block_", "tessera_matrix_"};
    const struct tsr_matrix_builtin *o = tsr_matrix_find(mangled);
    if (o)
        return (struct demand){o->name, (int)strlen(o->name), o->a, o->n};
    size_t length;
    if (!strncmp(mangled, TSR_CLC_SPIRV_MATRIX, strlen(TSR_CLC_SPIRV_MATRIX))) {
        unsigned size = (unsigned)atoi(mangled + strlen(TSR_CLC_SPIRV_MATRIX));
        return (struct demand){"a matrix", (int)strlen("a matrix"), NULL, size == 8 || size == 16 || size == 32 ? size : 0};
    }
    const char *name = tsr__mangled_name(mangled, &length);
    for (size_t i = 0; name && i < TSR_ARRAY_LEN(of_sixteen); i++)
        if (!strncmp(name, of_sixteen[i], strlen(of_sixteen[i])))
            return (struct demand){name, (int)length, NULL, SIXTEEN};
    return (struct demand){0};
}

static void visit(struct walk *walk, LLVMValueRef function)
{
    for (uint32_t i = 0; i < walk->count; i++)
        if (walk->functions[i] == function)
            return;
    if (walk->count == walk->capacity) {
        walk->capacity = walk->capacity ? 2 * walk->capacity : 64;
        walk->functions = tsr_realloc(walk->functions, walk->capacity * sizeof *walk->functions);
        if (!walk->functions)
            tsr__out_of_memory();
    }
    walk->functions[walk->count++] = function;
}

static void walk_call(struct walk *walk, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(callee))
        return;
    size_t size;
    const char *name = LLVMGetValueName2(callee, &size);
    struct demand demand = demand_of(name);
    if (demand.size && !walk->call[index_of_size(demand.size)]) {
        walk->call[index_of_size(demand.size)] = call;
        walk->demand[index_of_size(demand.size)] = demand;
    }
    if (!demand.size && !LLVMIsDeclaration(callee))
        visit(walk, callee);
}

static void walk_from(struct walk *walk, LLVMValueRef kernel)
{
    visit(walk, kernel);
    for (uint32_t i = 0; i < walk->count; i++) /* the list grows meanwhile */
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(walk->functions[i]); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
                if (LLVMGetInstructionOpcode(v) == LLVMCall)
                    walk_call(walk, v);
}

static void put_error(struct tsr_buf *log, LLVMValueRef call)
{
    unsigned length, line = LLVMGetDebugLocLine(call);
    if (line) {
        const char *file = LLVMGetDebugLocFilename(call, &length);
        tsr_buf_printf(log, "%.*s:%u: error: ", (int)length, file, line);
    } else {
        tsr_buf_printf(log, "error: ");
    }
}

static void put_demand(struct tsr_buf *log, const struct demand *d)
{
    tsr_buf_printf(log, "%.*s", d->length, d->name);
    if (d->first)
        tsr_buf_printf(log, " with a first argument of type %s", d->first);
}

static bool check_kernel(struct tsr_kernel_info *kernel, const struct walk *walk, struct tsr_buf *log)
{
    int which = -1;
    for (int i = 0; i < SIZES; i++) {
        if (!walk->call[i])
            continue;
        if (which >= 0) {
            put_error(log, walk->call[i]);
            tsr_buf_printf(log, "kernel '%s' calls ", kernel->name);
            put_demand(log, &walk->demand[i]);
            tsr_buf_printf(log, ", for sub-groups of %u, and ", walk->demand[i].size);
            put_demand(log, &walk->demand[which]);
            tsr_buf_printf(log, ", for sub-groups of %u\n", walk->demand[which].size);
            return false;
        }
        which = i;
    }
    if (which < 0)
        return true;
    const struct demand *d = &walk->demand[which];
    if (kernel->reqd_sub_group_size && kernel->reqd_sub_group_size != d->size) {
        put_error(log, walk->call[which]);
        put_demand(log, d);
        tsr_buf_printf(log, " requires sub-group size %u, but kernel '%s' has intel_reqd_sub_group_size(%u)\n", d->size, kernel->name,
                       kernel->reqd_sub_group_size);
        return false;
    }
    kernel->sub_group_size = d->size;
    return true;
}

bool tsr__matrix_check(LLVMModuleRef module, struct tsr_program_info *info, struct tsr_buf *log)
{
    bool good = true;
    for (uint32_t i = 0; i < info->kernel_count; i++) {
        struct walk walk = {0};
        walk_from(&walk, LLVMGetNamedFunction(module, info->kernels[i].name));
        good &= check_kernel(&info->kernels[i], &walk, log);
        tsr_free(walk.functions);
    }
    return good;
}
