/* SPDX-License-Identifier: Apache-2.0
 * The start and the end of a memory object, and its flags: what buffers, sub-buffers and images have in common. */
#include "icd/mem.h"

enum {
    FLAGS_ACCESS = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
    FLAGS_HOST_POINTER = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
    FLAGS_HOST_ACCESS = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
    FLAGS_ALL = FLAGS_ACCESS | FLAGS_HOST_POINTER | FLAGS_HOST_ACCESS | CL_MEM_IMMUTABLE_EXT,
    FLAGS_NOT_IMMUTABLE = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY,
};

/* ---- flags ---- */

/* At most one bit of the group is set. */
static bool one_of(cl_mem_flags flags, cl_mem_flags group)
{
    cl_mem_flags set = flags & group;
    return (set & (set - 1)) == 0;
}

bool tsr__mem_flags_valid(cl_mem_flags flags)
{
    return !(flags & ~(cl_mem_flags)FLAGS_ALL) && one_of(flags, FLAGS_ACCESS) && one_of(flags, FLAGS_HOST_ACCESS) &&
           !(flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) &&
           !(flags & CL_MEM_IMMUTABLE_EXT && flags & FLAGS_NOT_IMMUTABLE);
}

cl_mem_flags tsr__mem_flags_of_root(cl_mem_flags flags)
{
    return flags & (FLAGS_ACCESS | CL_MEM_IMMUTABLE_EXT) ? flags : flags | CL_MEM_READ_WRITE;
}

bool tsr__mem_flags_give_contents(cl_mem_flags flags, bool imports)
{
    return !(flags & CL_MEM_IMMUTABLE_EXT) || imports || flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR);
}

cl_int tsr__check_import_flags(const char *function, struct _cl_context *context, cl_mem_flags flags, bool imports)
{
    return imports && flags & FLAGS_HOST_POINTER
               ? tsr__error(context, CL_INVALID_VALUE, function, "flags",
                            "flags 0x%llx ask for memory of the host, but that of the object is imported", (unsigned long long)flags)
               : CL_SUCCESS;
}

cl_int tsr__mem_flags_of_part(const char *function, const struct _cl_mem *parent, cl_mem_flags flags, cl_mem_flags *all)
{
    struct _cl_context *context = parent->context;
    static const struct {
        cl_mem_flags parent, excludes;
        const char *name;
    } rules[] = {
        {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, "CL_MEM_WRITE_ONLY"},
        {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY, "CL_MEM_READ_ONLY"},
        {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, "CL_MEM_HOST_WRITE_ONLY"},
        {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, "CL_MEM_HOST_READ_ONLY"},
        {CL_MEM_IMMUTABLE_EXT, FLAGS_NOT_IMMUTABLE, "CL_MEM_IMMUTABLE_EXT"},
        {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, "CL_MEM_HOST_NO_ACCESS"},
    };
    if (!tsr__mem_flags_valid(flags) || flags & FLAGS_HOST_POINTER)
        return tsr__error(context, CL_INVALID_VALUE, function, "flags",
                          "flags 0x%llx: unknown, some that exclude each other, or one about host pointers", (unsigned long long)flags);
    for (size_t i = 0; i < TSR_ARRAY_LEN(rules); i++)
        if (parent->flags & rules[i].parent && flags & rules[i].excludes)
            return tsr__error(context, CL_INVALID_VALUE, function, "flags", "the memory object is %s", rules[i].name);
    const cl_mem_flags group = FLAGS_ACCESS | CL_MEM_IMMUTABLE_EXT;
    cl_mem_flags access = (flags & group ? flags & group : parent->flags & group) | (parent->flags & CL_MEM_IMMUTABLE_EXT);
    cl_mem_flags host = flags & FLAGS_HOST_ACCESS ? flags & FLAGS_HOST_ACCESS : parent->flags & FLAGS_HOST_ACCESS;
    *all = access | host | (parent->flags & FLAGS_HOST_POINTER);
    return CL_SUCCESS;
}

cl_int tsr__check_host_pointer(const char *function, struct _cl_context *context, cl_mem_flags flags, const void *host_ptr)
{
    bool copied = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    if (copied && !host_ptr)
        return tsr__error(context, CL_INVALID_HOST_PTR, function, "host_ptr", "host_ptr is NULL, yet flags 0x%llx say that it is used",
                          (unsigned long long)flags);
    if (!copied && host_ptr)
        return tsr__error(context, CL_INVALID_HOST_PTR, function, "host_ptr",
                          "host_ptr is given, but neither CL_MEM_USE_HOST_PTR nor CL_MEM_COPY_HOST_PTR");
    if (host_ptr && tsr__memory_owner(context, host_ptr))
        return tsr__error(context, CL_INVALID_HOST_PTR, function, "host_ptr", "%p is memory of a device, which the host cannot touch",
                          host_ptr);
    return CL_SUCCESS;
}

/* ---- life ---- */

/* Forgets the mappings of the object. No command is left: it would hold the object. */
static void forget_mappings(struct _cl_mem *mem)
{
    struct _cl_mem *root = tsr__mem_root(mem);
    tsr_table_lock(&tsr__mem_locks, root);
    for (struct tsr__mapping **link = &root->mappings; *link;) {
        struct tsr__mapping *mapping = *link;
        if (mapping->owner == mem) {
            *link = mapping->next;
            tsr_free(mapping);
        } else {
            link = &mapping->next;
        }
    }
    tsr_table_unlock(&tsr__mem_locks, root);
}

static void mem_destroy(struct tsr_object *object)
{
    struct _cl_mem *mem = (struct _cl_mem *)object;
    if (!tsr__run_destructors(&mem->destructors, object))
        return;
    if (mem->addressed) {
        pthread_mutex_lock(&mem->context->lock);
        tsr__link_leave(&mem->link);
        pthread_mutex_unlock(&mem->context->lock);
    }
    object->tag = 0;
    forget_mappings(mem);
    if (mem->parent && mem->image)
        tsr__residence_forget(mem);
    tsr__residence_free(mem->residence);
    tsr__import_end(mem);
    if (mem->owns_data)
        tsr__mem_free(mem->data);
    if (mem->parent)
        tsr__drop(mem->parent);
    tsr__drop(mem->context);
    tsr_free(mem->properties);
    tsr_free(mem->image);
    tsr__unwatch(mem);
}

struct _cl_mem *tsr__mem_new(struct _cl_context *context, cl_mem_object_type type, cl_mem_flags flags, size_t size)
{
    struct _cl_mem *mem = tsr_calloc(1, sizeof *mem);
    if (!mem)
        return NULL;
    tsr__object_init(&mem->base, TSR_TAG_MEM, mem_destroy);
    tsr__hold(context);
    mem->context = context;
    mem->type = type;
    mem->flags = flags;
    mem->size = size;
    return mem;
}

void tsr__mem_become_part(struct _cl_mem *mem, struct _cl_mem *parent, size_t origin)
{
    tsr__hold(parent);
    mem->parent = parent;
    mem->data = parent->data + origin;
    mem->host_ptr = parent->host_ptr ? (unsigned char *)parent->host_ptr + origin : NULL;
    mem->uses_svm = parent->uses_svm;
}

bool tsr__mem_too_large(const struct _cl_context *context, size_t size)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (size <= context->devices[i]->caps->max_allocation)
            return false;
    return true;
}
