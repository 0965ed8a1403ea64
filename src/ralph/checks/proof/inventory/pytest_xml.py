"""Pytest's own report, for commands that the plugin does not reach: with their own PYTHONPATH, `python -I`, `-E`.

It needs only PYTEST_ADDOPTS. The cache stays where it is: another place for it is an error under `--strict-config` with
`-p no:cacheprovider`.
"""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from ralph.checks.proof.inventory.bounded_files import Unreadable, read_file
from ralph.checks.proof.inventory.ids import test_id
from ralph.checks.proof.inventory.junit_xml import NoReport, ReportedCase, cases_of
from ralph.checks.proof.inventory.reported import COLLECTION, Reported, with_outcome
from ralph.model.proof import Outcome

RUNNER = "pytest"
PYTEST_XML = "pytest-xml"
NAME = "pytest.xml"


def pytest_variables(env: Mapping[str, str], reports: Path) -> dict[str, str]:
    """The variables. The user's options come last, so that they win."""
    ours = f"--junitxml={shlex.quote(str(reports / NAME))} -o junit_family=xunit1"
    return {"PYTEST_ADDOPTS": f"{ours} {env.get('PYTEST_ADDOPTS', '')}".strip()}


def pytest_report(reports: Path) -> Iterator[Reported]:
    path = reports / NAME
    if not path.is_symlink() and not path.exists():
        return
    tests: dict[str, Outcome] = {}
    try:
        cases = cases_of(read_file(path))
    except (Unreadable, NoReport):
        yield Reported(RUNNER, tests, ended=False)
        return
    for case in cases:
        if case.classname:
            with_outcome(tests, _id(case), case.outcome)
        elif case.outcome == "failed":
            tests[COLLECTION] = "failed"
    yield Reported(RUNNER, tests)


def _id(case: ReportedCase) -> str:
    """The id of a case. Its class is the rest of `classname` after the dotted path of the file."""
    module = case.file.removesuffix(".py").replace("/", ".")
    classes = case.classname.removeprefix(module).strip(".").replace(".", "::")
    return test_id(case.file, test_id(classes, case.name))
