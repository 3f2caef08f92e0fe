# SPDX-License-Identifier: Apache-2.0
"""How programs that call a package tell run_clients.py what became of each test (pypi_programs.run_calls)."""
import traceback


def run_tests(tests, words=()):
    """`tests`: pairs of a name and a function that answers None if all is right, else words about what is wrong. Prints `start`, then `pass` or `fail`, a tab and
    the name, for each; at last `words`, and those of the tests."""
    wrong = list(words)
    for name, test in tests:
        print(f"start\t{name}", flush=True)
        try:
            differs = test()
        except Exception as error:
            traceback.print_exc()
            differs = str(error).strip().replace("\n", " ") or type(error).__name__
        print(f"{'fail' if differs else 'pass'}\t{name}", flush=True)
        if differs:
            wrong.append(f"{name}: {differs}")
    print(*wrong, sep="\n")
