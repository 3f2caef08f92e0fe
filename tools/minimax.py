#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The polynomial of the smallest relative error: minimax.py FUNCTION LOW HIGH DEGREE [WEIGHT] [BITS]

FUNCTION and WEIGHT are Python expressions of x with mpmath's names (sin, log, erfc, loggamma, …); the error is multiplied by WEIGHT, which is
1/FUNCTION if it is not given ('' too). Prints the coefficients from the constant one up, rounded to BITS bits (53, or 24 for float), and the
error as a power of two. What is undefined at an end of the range (sin(x)/x at 0) is asked for a little beside it.

  minimax.py 'sin(pi*sqrt(x))/sqrt(x)' 0 0.25 8                   sin(pi·r) = r·p(r²)
  minimax.py '-log(erfc(x))/x' 0 5.93 22 'x*erfc(x)/erf(x)'       erf(x) = 1 - exp(-x·p(x)), where only erf's error matters"""
import sys

import mpmath
from mpmath import mp, mpf

GRID = 600


def points(low, high, count):
    return [(low + high) / 2 - (high - low) / 2 * mpmath.cos(mp.pi * i / (count - 1)) for i in range(count)]


def extremes(errors):
    """The index of the largest error of each run of one sign."""
    found, start = [], 0
    for i in range(1, len(errors) + 1):
        if i == len(errors) or (errors[i] > 0) != (errors[start] > 0):
            found.append(max(range(start, i), key=lambda k: abs(errors[k])))
            start = i
    return found


def thin(found, errors, count):
    """Drops the least of too many alternating extremes."""
    while len(found) > count:
        if len(found) == count + 1:
            found.pop(0 if abs(errors[found[0]]) < abs(errors[found[-1]]) else -1)
        else:
            least = min(range(len(found) - 1), key=lambda i: max(abs(errors[found[i]]), abs(errors[found[i + 1]])))
            del found[least:least + 2]
    return found


def remez(function, weight, low, high, degree):
    grid = points(low, high, GRID)
    values, weights = [function(x) for x in grid], [weight(x) for x in grid]
    chosen = [round(i * (GRID - 1) / (degree + 1)) for i in range(degree + 2)]
    for _ in range(20):
        system, right = mpmath.matrix(degree + 2), mpmath.matrix(degree + 2, 1)
        for row, i in enumerate(chosen):
            for k in range(degree + 1):
                system[row, k] = grid[i] ** k
            system[row, degree + 1] = (-1) ** row / weights[i]
            right[row] = values[i]
        solution = mpmath.lu_solve(system, right)
        coefficients = [solution[k] for k in range(degree + 1)]
        errors = [w * (mpmath.polyval(coefficients[::-1], x) - v) for x, v, w in zip(grid, values, weights)]
        worst = max(abs(e) for e in errors)
        if worst < abs(solution[degree + 1]) * mpf("1.001"):
            break
        chosen = thin(extremes(errors), errors, degree + 2)
        if len(chosen) < degree + 2:
            sys.exit("minimax.py: the error does not alternate; the degree is too high for this precision, or the function is not smooth")
    return coefficients, worst


def hexadecimal(value, bits):
    sign, value = "-" if value < 0 else "", abs(value)
    if value == 0:
        return "0.0"
    exponent = int(mpmath.floor(mpmath.log(value, 2)))
    whole = int(mpmath.nint(value * mpf(2) ** (bits - 1 - exponent)))
    if whole >> bits:
        whole, exponent = whole >> 1, exponent + 1
    digits = (bits + 2) // 4
    fraction = f"{(whole - (1 << bits - 1)) << digits * 4 - bits + 1:0{digits}x}".rstrip("0")
    return f"{sign}0x1{'.' if fraction else ''}{fraction}p{exponent}"


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    mp.prec = 200
    names = {name: getattr(mpmath, name) for name in dir(mpmath)}
    low, high, degree = mpf(sys.argv[2]), mpf(sys.argv[3]), int(sys.argv[4])
    bits = int(sys.argv[6]) if len(sys.argv) > 6 else 53

    def compiled(text):
        code = compile(text, "argument", "eval")

        def at(x):
            for near in (x, x + (high - low) * mpf(2) ** -80, x - (high - low) * mpf(2) ** -80):
                try:
                    value = eval(code, names, {"x": near})
                    if mpmath.isfinite(value):
                        return mpmath.re(value)
                except (ZeroDivisionError, ValueError):
                    pass
            sys.exit(f"minimax.py: {text} has no value at {mpmath.nstr(x, 8)}")
        return at

    function = compiled(sys.argv[1])
    weight = compiled(sys.argv[5]) if len(sys.argv) > 5 and sys.argv[5] else lambda x: 1 / function(x)
    coefficients, worst = remez(function, weight, low, high, degree)
    print(", ".join(hexadecimal(c, bits) for c in coefficients))
    print(f"error 2^{mpmath.nstr(mpmath.log(worst, 2), 5)}")


main()
