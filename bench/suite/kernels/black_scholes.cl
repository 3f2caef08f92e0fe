// SPDX-License-Identifier: Apache-2.0
// European options by Black and Scholes, with the usual polynomial for the normal distribution.
real normal(real d)
{
    real k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    real tail = 0.39894228f * exp(-0.5f * d * d) *
                 (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - tail : tail;
}

kernel void black_scholes(global real *restrict call, global real *restrict put, global const real *restrict price,
                          global const real *restrict strike, global const real *restrict years, float rate, float volatility)
{
    int i = get_global_id(0);
    real s = price[i], x = strike[i], t = years[i], root = sqrt(t);
    real d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root), d2 = d1 - volatility * root;
    real n1 = normal(d1), n2 = normal(d2), later = x * exp(-rate * t);
    call[i] = s * n1 - later * n2;
    put[i] = later * (1.0f - n2) - s * (1.0f - n1);
}
