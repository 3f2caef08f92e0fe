/* SPDX-License-Identifier: Apache-2.0
 * Which sanitizer this file is compiled with, as 0 or 1: gcc has macros of its own for it, clang features. */
#ifndef TESSERA_SANITIZER_H
#define TESSERA_SANITIZER_H

#if defined(__has_feature)
#define TSR__HAS_FEATURE(name) __has_feature(name)
#else
#define TSR__HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || TSR__HAS_FEATURE(address_sanitizer)
#define TSR_ASAN 1
#else
#define TSR_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__) || TSR__HAS_FEATURE(thread_sanitizer)
#define TSR_TSAN 1
#else
#define TSR_TSAN 0
#endif

#endif
