/* SPDX-License-Identifier: Apache-2.0
 * A module, and what the engine's passes need beside it. */
#ifndef TESSERA_LANES_TEST_WORLD_H
#define TESSERA_LANES_TEST_WORLD_H

#include "lanes/ir/ir.h"

#define HEADER                                                                                                                             \
    "target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1\"\n"                      \
    "target triple = \"spir64-unknown-unknown\"\n"

/* The part of the built-in library that the modules below use. */
#define LIBRARY                                                                                                                            \
    "declare void @__tsr_barrier(i32, i32) convergent\n"                                                                                   \
    "declare i64 @__tsr_local_id(i32) memory(none)\n"                                                                                      \
    "define spir_func void @_Z7barrierj(i32 %f) { call void @__tsr_barrier(i32 2, i32 %f)\n ret void }\n"                                  \
    "define spir_func i64 @_Z12get_local_idj(i32 %d) memory(none) { %r = call i64 @__tsr_local_id(i32 %d)\n ret i64 %r }\n"

struct world {
    struct tsr__compilation l;
    struct tsr_lanes_options options;
    struct tsr_arena arena;
    struct tsr_program_info info;
    struct tsr_buf object;
    LLVMContextRef context;
};

/* Of the text of a module. Functions whose names begin with _Z are the library's, all others the user's. */
void setup(struct world *w, const char *text);
void teardown(struct world *w);
/* Runs passes up to and with `last`, from `first` on; NULL: from the first, to the last. False, or a failure of the test: a pass failed. */
bool try_passes(struct world *w, const char *first, const char *last);
void passes(struct world *w, const char *first, const char *last);
LLVMValueRef function(struct world *w, const char *name);
unsigned count_calls(struct world *w, const char *function, const char *callee);
/* Do these words stand in its text? */
bool says(LLVMValueRef value, const char *words);

#endif
