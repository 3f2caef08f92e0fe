// SPDX-License-Identifier: Apache-2.0
// What the kernel of user.cl calls.
int twice(int value)
{
    return 2 * value;
}
