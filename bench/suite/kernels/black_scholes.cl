// SPDX-License-Identifier: Apache-2.0
// European options by Black and Scholes, with the usual polynomial for the normal distribution.
float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float tail = 0.39894228f * exp(-0.5f * d * d) *
                 (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - tail : tail;
}

kernel void black_scholes(global float *restrict call, global float *restrict put, global const float *restrict price,
                          global const float *restrict strike, global const float *restrict years, float rate, float volatility)
{
    int i = get_global_id(0);
    float s = price[i], x = strike[i], t = years[i], root = sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root), d2 = d1 - volatility * root;
    float n1 = normal(d1), n2 = normal(d2), later = x * exp(-rate * t);
    call[i] = s * n1 - later * n2;
    put[i] = later * (1.0f - n2) - s * (1.0f - n1);
}
