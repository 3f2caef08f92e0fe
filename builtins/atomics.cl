/* SPDX-License-Identifier: Apache-2.0
 * Atomic functions (OpenCL C 6.15.12): the C11 forms, those of OpenCL 1.x, and floating-point addition, minimum and maximum.
 *
 * A read-modify-write costs the same in every order on x86-64, so all of them are sequentially consistent; only a plain store has a cheaper
 * form, which is taken when the order allows it. All scopes are one: every work-item sees the same coherent memory. */
#include "library.h"

#define ALL_SCOPES memory_scope_all_svm_devices
#define SEQ memory_order_seq_cst

/* M(S, ...) for each address space that atomics may live in. */
#define EACH_SPACE(M, ...) M(global, ##__VA_ARGS__) M(local, ##__VA_ARGS__) M(__generic, ##__VA_ARGS__)

/* Type R NAME(object, PARAMS) with the forms that take an order and a scope. EXPR may use `object`, the parameters and `order`. */
#define FORMS(R, NAME, S, T, PARAMS, EXPR)                                                                                                 \
    R OVER NAME##_explicit(volatile S atomic_##T *object PARAMS, memory_order order, memory_scope scope)                                   \
    {                                                                                                                                      \
        EXPR;                                                                                                                              \
    }                                                                                                                                      \
    R OVER NAME##_explicit(volatile S atomic_##T *object PARAMS, memory_order order)                                                       \
    {                                                                                                                                      \
        EXPR;                                                                                                                              \
    }                                                                                                                                      \
    R OVER NAME(volatile S atomic_##T *object PARAMS)                                                                                      \
    {                                                                                                                                      \
        const memory_order order = SEQ;                                                                                                    \
        (void)order;                                                                                                                       \
        EXPR;                                                                                                                              \
    }

#define COMMA ,
#define STORE                                                                                                                              \
    if (order == SEQ)                                                                                                                      \
        __opencl_atomic_store(object, value, SEQ, ALL_SCOPES);                                                                             \
    else                                                                                                                                   \
        __opencl_atomic_store(object, value, memory_order_release, ALL_SCOPES)

#define OBJECT(S, T)                                                                                                                       \
    void OVER atomic_init(volatile S atomic_##T *object, T value)                                                                          \
    {                                                                                                                                      \
        __opencl_atomic_init(object, value);                                                                                               \
    }                                                                                                                                      \
    MOVES(S, T)
#define MOVES(S, T)                                                                                                                        \
    FORMS(void, atomic_store, S, T, COMMA T value, STORE)                                                                                  \
    FORMS(T, atomic_load, S, T, , return __opencl_atomic_load(object, SEQ, ALL_SCOPES))                                                    \
    FORMS(T, atomic_exchange, S, T, COMMA T value, return __opencl_atomic_exchange(object, value, SEQ, ALL_SCOPES))

/* The expected value may be in any address space. */
#define EXCHANGE_IF(S, T, E, NAME)                                                                                                         \
    bool OVER NAME##_explicit(volatile S atomic_##T *object, E T *expected, T desired, memory_order success, memory_order failure,         \
                              memory_scope scope)                                                                                          \
    {                                                                                                                                      \
        return __opencl_atomic_compare_exchange_strong(object, expected, desired, SEQ, SEQ, ALL_SCOPES);                                   \
    }                                                                                                                                      \
    bool OVER NAME##_explicit(volatile S atomic_##T *object, E T *expected, T desired, memory_order success, memory_order failure)         \
    {                                                                                                                                      \
        return __opencl_atomic_compare_exchange_strong(object, expected, desired, SEQ, SEQ, ALL_SCOPES);                                   \
    }                                                                                                                                      \
    bool OVER NAME(volatile S atomic_##T *object, E T *expected, T desired)                                                                \
    {                                                                                                                                      \
        return __opencl_atomic_compare_exchange_strong(object, expected, desired, SEQ, SEQ, ALL_SCOPES);                                   \
    }
#define EXCHANGE_IF_IN(S, T, E)                                                                                                            \
    EXCHANGE_IF(S, T, E, atomic_compare_exchange_strong) EXCHANGE_IF(S, T, E, atomic_compare_exchange_weak)
#define COMPARE_EXCHANGE(S, T)                                                                                                             \
    EXCHANGE_IF_IN(S, T, global)                                                                                                           \
    EXCHANGE_IF_IN(S, T, local)                                                                                                            \
    EXCHANGE_IF_IN(S, T, private)                                                                                                          \
    EXCHANGE_IF_IN(S, T, __generic)

#define FETCH(S, T, V, OP) FORMS(T, atomic_fetch_##OP, S, T, COMMA V value, return __opencl_atomic_fetch_##OP(object, value, SEQ, ALL_SCOPES))
#define ARITHMETIC(S, T)                                                                                                                   \
    FETCH(S, T, T, add)                                                                                                                    \
    FETCH(S, T, T, sub)                                                                                                                    \
    FETCH(S, T, T, min)                                                                                                                    \
    FETCH(S, T, T, max)
#define LOGIC(S, T)                                                                                                                        \
    FETCH(S, T, T, and)                                                                                                                    \
    FETCH(S, T, T, or)                                                                                                                     \
    FETCH(S, T, T, xor)
#define MIXED_SIGN(S, T, V)                                                                                                                \
    FETCH(S, T, V, and)                                                                                                                    \
    FETCH(S, T, V, or)                                                                                                                     \
    FETCH(S, T, V, xor)                                                                                                                    \
    FETCH(S, T, V, min)                                                                                                                    \
    FETCH(S, T, V, max)

#define INTEGER(T) EACH_SPACE(OBJECT, T) EACH_SPACE(COMPARE_EXCHANGE, T) EACH_SPACE(ARITHMETIC, T) EACH_SPACE(LOGIC, T)
INTEGER(int)
INTEGER(uint)
INTEGER(long)
INTEGER(ulong)
EACH_SPACE(OBJECT, float)
EACH_SPACE(COMPARE_EXCHANGE, float)
EACH_SPACE(ARITHMETIC, float)
EACH_SPACE(OBJECT, double)
EACH_SPACE(COMPARE_EXCHANGE, double)
EACH_SPACE(ARITHMETIC, double)
EACH_SPACE(MOVES, half)
#define STORE_ATOMIC __opencl_atomic_store(object, __opencl_atomic_load(&value, memory_order_relaxed, ALL_SCOPES), SEQ, ALL_SCOPES)
/* clang's table of built-ins gives the value to store an atomic type, so that is the name which programs call. */
#define STORE_HALF(S) FORMS(void, atomic_store, S, half, COMMA atomic_half value, STORE_ATOMIC)
EACH_SPACE(STORE_HALF)

/* On an object of pointer size the operand may have the type of the other sign (ptrdiff_t for uintptr_t). */
EACH_SPACE(FETCH, ulong, long, add)
EACH_SPACE(FETCH, ulong, long, sub)
EACH_SPACE(MIXED_SIGN, ulong, long)
EACH_SPACE(MIXED_SIGN, long, ulong)

/* There is no read-modify-write instruction for half: compare and exchange of the 16 bits, until no other thread has changed them in
 * between. */
#define HALF_UPDATE(S, OP, EXPR)                                                                                                           \
    INLINE half half_fetch_##OP##_##S(volatile S atomic_half *object, half value)                                                          \
    {                                                                                                                                      \
        half old = __opencl_atomic_load(object, SEQ, ALL_SCOPES);                                                                          \
        for (;;) {                                                                                                                         \
            float a = (float)old, b = (float)value;                                                                                        \
            half desired = (half)(EXPR);                                                                                                   \
            if (__opencl_atomic_compare_exchange_strong(object, &old, desired, SEQ, SEQ, ALL_SCOPES))                                      \
                return old;                                                                                                                \
        }                                                                                                                                  \
    }                                                                                                                                      \
    FORMS(half, atomic_fetch_##OP, S, half, COMMA half value, return half_fetch_##OP##_##S(object, value))
#define HALF_UPDATES(S)                                                                                                                    \
    HALF_UPDATE(S, add, a + b)                                                                                                             \
    HALF_UPDATE(S, sub, a - b)                                                                                                             \
    HALF_UPDATE(S, min, __builtin_elementwise_minimumnum(a, b))                                                                            \
    HALF_UPDATE(S, max, __builtin_elementwise_maximumnum(a, b))
EACH_SPACE(HALF_UPDATES)

#define FLAG(S)                                                                                                                            \
    bool OVER atomic_flag_test_and_set_explicit(volatile S atomic_flag *object, memory_order order, memory_scope scope)                    \
    {                                                                                                                                      \
        return __opencl_atomic_exchange((volatile S atomic_int *)object, 1, SEQ, ALL_SCOPES) != 0;                                         \
    }                                                                                                                                      \
    bool OVER atomic_flag_test_and_set_explicit(volatile S atomic_flag *object, memory_order order)                                        \
    {                                                                                                                                      \
        return __opencl_atomic_exchange((volatile S atomic_int *)object, 1, SEQ, ALL_SCOPES) != 0;                                         \
    }                                                                                                                                      \
    bool OVER atomic_flag_test_and_set(volatile S atomic_flag *object)                                                                     \
    {                                                                                                                                      \
        return __opencl_atomic_exchange((volatile S atomic_int *)object, 1, SEQ, ALL_SCOPES) != 0;                                         \
    }                                                                                                                                      \
    void OVER atomic_flag_clear_explicit(volatile S atomic_flag *object, memory_order order, memory_scope scope)                           \
    {                                                                                                                                      \
        __opencl_atomic_store((volatile S atomic_int *)object, 0, SEQ, ALL_SCOPES);                                                        \
    }                                                                                                                                      \
    void OVER atomic_flag_clear_explicit(volatile S atomic_flag *object, memory_order order)                                               \
    {                                                                                                                                      \
        __opencl_atomic_store((volatile S atomic_int *)object, 0, SEQ, ALL_SCOPES);                                                        \
    }                                                                                                                                      \
    void OVER atomic_flag_clear(volatile S atomic_flag *object)                                                                            \
    {                                                                                                                                      \
        __opencl_atomic_store((volatile S atomic_int *)object, 0, SEQ, ALL_SCOPES);                                                        \
    }
EACH_SPACE(FLAG)

/* OpenCL 1.x: relaxed in the specification; ours are stronger at no cost. P: prefix, atomic_ or atom_. */
#define OLD_ONE(S, T, P, NAME, FETCHED)                                                                                                    \
    T OVER P##NAME(volatile S T *p, T value)                                                                                               \
    {                                                                                                                                      \
        return __atomic_fetch_##FETCHED(p, value, __ATOMIC_SEQ_CST);                                                                       \
    }
#define OLD(S, T, P)                                                                                                                       \
    OLD_ONE(S, T, P, add, add)                                                                                                             \
    OLD_ONE(S, T, P, sub, sub)                                                                                                             \
    OLD_ONE(S, T, P, min, min)                                                                                                             \
    OLD_ONE(S, T, P, max, max)                                                                                                             \
    OLD_ONE(S, T, P, and, and)                                                                                                             \
    OLD_ONE(S, T, P, or, or)                                                                                                               \
    OLD_ONE(S, T, P, xor, xor)                                                                                                             \
    T OVER P##inc(volatile S T *p)                                                                                                         \
    {                                                                                                                                      \
        return __atomic_fetch_add(p, (T)1, __ATOMIC_SEQ_CST);                                                                              \
    }                                                                                                                                      \
    T OVER P##dec(volatile S T *p)                                                                                                         \
    {                                                                                                                                      \
        return __atomic_fetch_sub(p, (T)1, __ATOMIC_SEQ_CST);                                                                              \
    }                                                                                                                                      \
    T OVER P##xchg(volatile S T *p, T value)                                                                                               \
    {                                                                                                                                      \
        return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                                                            \
    }                                                                                                                                      \
    T OVER P##cmpxchg(volatile S T *p, T expected, T desired)                                                                              \
    {                                                                                                                                      \
        __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                                     \
        return expected;                                                                                                                   \
    }
EACH_SPACE(OLD, int, atomic_)
EACH_SPACE(OLD, uint, atomic_)
EACH_SPACE(OLD, int, atom_)
EACH_SPACE(OLD, uint, atom_)
EACH_SPACE(OLD, long, atom_)
EACH_SPACE(OLD, ulong, atom_)

#define OLD_FLOAT(S)                                                                                                                       \
    float OVER atomic_xchg(volatile S float *p, float value)                                                                               \
    {                                                                                                                                      \
        return __builtin_astype(__atomic_exchange_n((volatile S int *)p, __builtin_astype(value, int), __ATOMIC_SEQ_CST), float);          \
    }
EACH_SPACE(OLD_FLOAT)
