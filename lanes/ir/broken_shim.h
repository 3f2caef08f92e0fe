/* SPDX-License-Identifier: Apache-2.0
 * Reports a broken invariant of the engine as a bug in the compiler, in every build. */
#ifndef TESSERA_LANES_IR_BROKEN_SHIM_H
#define TESSERA_LANES_IR_BROKEN_SHIM_H

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the request with the text and "a bug in the compiler" in its log; a program without a handler of LLVM's fatal errors ends. */
#if defined(__GNUC__)
__attribute__((noreturn, cold))
#endif
void tsr__broken(const char *what);

#ifdef __cplusplus
}
#endif

/* For what guards memory, so in every build, unlike assert: where the code behind it would read or write beside an array. */
#define TSR__REQUIRE(condition) ((condition) ? (void)0 : tsr__broken(__FILE_NAME__ ": " #condition))

#endif
