# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest for run_clients.py: the outcome of every test, line by line, so that a crash costs one test and not the results before it.

CLIENTS_REPORT names the file. Tests that it names already are left out; CLIENTS_LIMIT is the longest time for one test, in seconds."""
import faulthandler
import os
import pathlib
import sys

import numpy

REPORT = pathlib.Path(os.environ["CLIENTS_REPORT"])
LIMIT = float(os.environ["CLIENTS_LIMIT"])
outcomes = {}


def name_of(nodeid):
    """The parameters of some tests are text of several lines."""
    return nodeid.replace("\n", "\\n")


def tell(*words):
    with REPORT.open("a") as out:
        print(*words, sep="\t", file=out)


def pytest_collection_modifyitems(items):
    known = {line.split("\t")[1] for line in REPORT.read_text().splitlines()} if REPORT.exists() else set()
    items[:] = [item for item in items if name_of(item.nodeid) not in known]


def pytest_runtest_logstart(nodeid):
    outcomes[nodeid] = "pass"
    tell("start", name_of(nodeid))
    numpy.random.seed(1)
    faulthandler.dump_traceback_later(LIMIT, exit=True, file=sys.__stderr__)


def pytest_runtest_logreport(report):
    if report.outcome != "passed":
        outcomes[report.nodeid] = {"failed": "fail", "skipped": "skip"}[report.outcome]


def pytest_runtest_logfinish(nodeid):
    faulthandler.cancel_dump_traceback_later()
    tell(outcomes[nodeid], name_of(nodeid))
