// SPDX-License-Identifier: Apache-2.0
// needs: cl_ext_cxx_for_opencl
// options: -cl-std=CLC++
// options: -cl-std=CLC++1.0
// options: -cl-std=CLC++2021 -DVERSION=202100
// kernel: run
// global: 64
// local: 16
// buffer: int 64 = 0
// buffer: int 64 = 0
// expect: 0 = i*i*i+2*i+i+1+7+16+i/16*16
// expect: 1 = i*3

/* Templates, lambdas, constexpr constructors, methods, references, overloads, inheritance, and built-in functions in them. */
#ifndef VERSION
#define VERSION 100
#endif
static_assert(__OPENCL_CPP_VERSION__ == VERSION);

template <class T> struct Pair {
    T a, b;
    T sum() const
    {
        return a + b;
    }
};

struct Counter {
    int n;
    constexpr Counter(int x) : n(x)
    {
    }
};
global Counter counter(7);
constant constexpr int factors[] = {3, 5};

struct Base {
    int value;
    Base(int v) : value(v)
    {
    }
    ~Base()
    {
        value = 0;
    }
};
struct Derived : Base {
    using Base::Base;
    Derived &operator*=(int f)
    {
        value *= f;
        return *this;
    }
};

namespace powers
{
template <int N> int of(int x)
{
    if constexpr (N == 0)
        return 1;
    else
        return x * of<N - 1>(x);
}
} // namespace powers

int twice(int x)
{
    return 2 * x;
}
float twice(float x)
{
    return 3 * x;
}

template <typename F> void apply(global int &place, F f)
{
    place = f(place);
}

kernel void run(global int *out, global int *other)
{
    local int shared[16];
    int i = get_global_id(0), at = get_local_id(0);
    Pair<float4> pair{float4(i), float4(1.0f)};
    auto cube = [](int x) { return powers::of<3>(x); };
    Derived derived(i);
    derived *= factors[0];
    other[i] = i;
    apply(other[i], [](int x) { return (int)twice((float)x); });
    out[i] = cube(i) + twice(i) + (int)pair.sum().x + counter.n + sub_group_reduce_add(derived.value == 3 * i ? 0 : 1) +
             work_group_reduce_add(1);
    shared[at] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] += min(shared[0], shared[15]);
}
