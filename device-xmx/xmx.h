/* SPDX-License-Identifier: Apache-2.0
 * What the files of device-xmx/ share: Intel GPUs through Level Zero. docs/xmx.md tells how they work together. */
#ifndef TESSERA_DEVICE_XMX_XMX_H
#define TESSERA_DEVICE_XMX_XMX_H

#include <stdatomic.h>

#include "device-xmx/ze_newer.h"
#include "tessera/device.h"

/* ---- loader.c: the functions of Level Zero ---- */

struct tsr__ze {
#define TSR_ZE(Name) __typeof__(ze##Name) *Name;
#define TSR_ZE_NEWER(Name, type) type Name;
#include "device-xmx/level_zero.def"
#undef TSR_ZE
#undef TSR_ZE_NEWER
};
extern struct tsr__ze tsr__ze;

/* Opens the loader, once. False: there is none, or it cannot be used. Any thread. */
bool tsr__ze_open(void);
/* What a result means, for messages. Static text. */
const char *tsr__ze_text(ze_result_t result);

/* ---- discovery.c, caps.c, units.c: what there is ---- */

enum {
    TSR__XMX_MOST_DRIVERS = 4,
    TSR__XMX_MOST_DEVICES = 8,
    TSR__XMX_MOST_GROUPS = 8, /* of command queues */
};

/* Extensions of a driver that make a difference. */
enum tsr__xmx_driver_ext {
    TSR__XMX_FLOAT_ATOMICS,
    TSR__XMX_GLOBAL_OFFSET,
    TSR__XMX_IP_VERSION,
    TSR__XMX_DOT_PRODUCTS,
    TSR__XMX_DRIVER_EXT_COUNT
};

struct tsr__xmx_driver {
    ze_driver_handle_t handle;
    ze_api_version_t api;
    uint32_t version;
    bool has[TSR__XMX_DRIVER_EXT_COUNT];
    pthread_mutex_t lock;
    ze_context_handle_t context; /* made when first needed, under the lock; never destroyed */
};

/* The matrix units of a device. */
struct tsr__xmx_units {
    unsigned simd;    /* sub-group size of their instruction, 8 or 16; 0: there are none */
    unsigned inputs;  /* enum tsr_ze_dp_input */
    bool pairs;       /* two sub-groups share an operand: dpasw */
    const char *from; /* what told it, for the log */
};

/* What a driver says of a device. */
struct tsr__xmx_facts {
    ze_device_properties_t properties;
    ze_device_compute_properties_t compute;
    ze_device_module_properties_t module;
    ze_float_atomic_ext_properties_t atomics;
    ze_device_memory_access_properties_t access;
    struct tsr_ze_device_ip_version ip;
    struct tsr_ze_device_compute_dotproduct dot; /* this, `ip` and `atomics` are zero if the driver does not know the struct */
    uint64_t memory, cache;
};

enum { TSR__PCI_INTEL = 0x8086 };

/* The channel orders of images. */
enum tsr__xmx_order { TSR__XMX_R, TSR__XMX_RG, TSR__XMX_RGBA, TSR__XMX_BGRA, TSR__XMX_ORDERS };

struct tsr__xmx_queues;
struct tsr__xmx_event;
struct tsr__xmx_mover;

/* What a command moves. Images are for engines that compute, as those that only copy have limits of their own for them. */
enum tsr__xmx_moved { TSR__XMX_BYTES, TSR__XMX_IMAGES, TSR__XMX_MOVED_COUNT };
enum { TSR__XMX_SAMPLERS = 64 /* numbers that the bits of tessera/sampler.def make */ };

struct tsr__xmx_device {
    struct tsr_device base;
    struct tsr_device_caps caps;
    struct tsr__xmx_driver *driver;
    ze_device_handle_t handle;
    ze_device_uuid_t uuid;
    struct tsr__xmx_units units;
    uint32_t compute_group, copy_group;     /* ordinals of command queue groups */
    size_t copy_fill;                       /* largest fill pattern of the last */
    double ns_per_tick;                     /* of its clock */
    uint32_t clock_bits, kernel_clock_bits; /* that are valid */
    uint64_t formats[TSR__XMX_ORDERS];      /* of images, by channel order: a bit for each enum tsr_image_type */
    bool line_images;                       /* images of a buffer are 1D images: the driver makes no others */
    char name[ZE_MAX_DEVICE_NAME + 1];
    _Atomic(const char *) lost;                          /* why the device cannot be used any more; NULL: it can */
    pthread_mutex_t lock;                                /* of what follows */
    struct tsr__xmx_event *events;                       /* that are free */
    struct tsr__xmx_mover *movers[TSR__XMX_MOVED_COUNT]; /* likewise, by what they move */
    ze_sampler_handle_t samplers[TSR__XMX_SAMPLERS];     /* by their bits; made when first needed, never destroyed */
    _Atomic(struct tsr__xmx_queues *) queues;            /* made when first needed, never destroyed */
};

static inline struct tsr__xmx_device *tsr__xmx(const struct tsr_device *device)
{
    return TSR_CONTAINER_OF(device, struct tsr__xmx_device, base);
}

/* The GPUs of all drivers, found at the first call. */
unsigned tsr__xmx_find(struct tsr_device ***devices);
/* Whether the log of a module that does not build can be read: loaders before 1.18 crash on it where they wrap handles. */
bool tsr__xmx_has_failure_logs(void);
/* The context of the device's driver. NULL: it cannot be made, or the device is lost; *status says which. */
ze_context_handle_t tsr__xmx_context(struct tsr__xmx_device *device, enum tsr_status *status);

/* Asks the driver. False: it does not answer as it must. */
bool tsr__xmx_ask(const struct tsr__xmx_driver *driver, ze_device_handle_t handle, struct tsr__xmx_facts *facts);
/* Which matrix units the facts mean: by the properties of dot products, else by the IP version, else by sub-group sizes and PCI ids. */
struct tsr__xmx_units tsr__xmx_units_of(const struct tsr__xmx_driver *driver, const struct tsr__xmx_facts *facts);
/* Fills device->caps and the numbers beside it. */
void tsr__xmx_caps_fill(struct tsr__xmx_device *device, const struct tsr__xmx_facts *facts);
/* Which lines of tessera/ext.def the device has. (extensions.c) */
void tsr__xmx_extensions(const struct tsr__xmx_device *device, const struct tsr__xmx_facts *facts, struct tsr_ext_set *set);

extern const struct tsr_device_ops tsr_xmx_device;

/* ---- trouble.c: a device that fails ---- */

/* What the result of a call means for the caller. A device that is gone for good is lost from then on, and the log is told. Any thread. */
enum tsr_status tsr__xmx_judge(struct tsr__xmx_device *device, ze_result_t result, const char *what);
/* No call will be made for the device any more. The first reason counts; static text. */
void tsr__xmx_lose(struct tsr__xmx_device *device, const char *why);

#endif
