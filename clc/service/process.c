/* SPDX-License-Identifier: Apache-2.0
 * tessera-cc: the library as a process. */
int tsr_cc_main(int argc, char **argv);

int main(int argc, char **argv)
{
    return tsr_cc_main(argc, argv);
}
