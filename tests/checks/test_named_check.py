"""Checks of the table: each is known by its name, and its config to its own file alone."""

import asyncio
import inspect
from typing import get_type_hints

import msgspec
import pytest
from msgspec.structs import replace

from ralph.cli.tasks.show import checks
from ralph.kernel.actions.agent import Said
from ralph.kernel.actions.checks import Material, Recorded, RecordEvidence, RunCheck
from ralph.kernel.stage_text import method_words
from ralph.kernel.verification import still_holds, verified
from ralph.loop.checks import perform_check
from ralph.model.errors import StateError
from ralph.model.evidence import Evidence
from ralph.model.places import Place
from ralph.model.verification import (
    CHECKS,
    BadVerification,
    CheckConfig,
    External,
    NamedCheck,
    Verification,
    performed_by,
    read_verification,
)
from ralph.workbench.bench import Workbench

ABOUT = Material(1, Said("Done."), "c0ffee", "commit")


class Longer(CheckConfig, frozen=True):
    file: str
    lines: int = 10

    @property
    def label(self):
        return f"{self.file} has {self.lines} lines"


async def longer(check: Longer, bench: Workbench) -> Evidence:
    found = len((bench.folder / check.file).read_text(encoding="utf-8").splitlines())
    return Evidence("longer", passed=found >= check.lines, reason=f"it has {found}")


@pytest.fixture
def added(monkeypatch):
    monkeypatch.setitem(CHECKS, "longer", f"{__name__}:longer")


@pytest.mark.parametrize("name", CHECKS)
def test_each_takes_its_config_and_a_bench_and_gives_evidence(name):
    perform = performed_by(name)
    assert inspect.iscoroutinefunction(perform)
    assert list(inspect.signature(perform).parameters) == ["check", "bench"]
    assert get_type_hints(perform)["bench"] is Workbench
    assert get_type_hints(perform)["return"] is Evidence
    assert get_type_hints(perform)["check"] is External or issubclass(get_type_hints(perform)["check"], CheckConfig)


@pytest.mark.usefixtures("added")
def test_the_config_is_read_by_its_own_struct_and_kept_as_it_was_given():
    assert read_verification("longer", {"file": "a"}) == NamedCheck("longer", {"file": "a"}, "a has 10 lines")


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({}, "verification_config of longer: object missing required field `file`"),
        ({"file": "a", "lines": "many"}, "verification_config of longer: expected `int`, got `str` - at `$.lines`"),
        ({"file": "a", "line": 3}, "verification_config of longer: object contains unknown field `line`"),
    ],
)
def test_a_config_that_does_not_fit_is_refused_when_it_is_written(config, problem):
    with pytest.raises(BadVerification) as error:
        read_verification("longer", config)
    assert str(error.value) == problem


def test_a_name_that_is_not_in_the_table_is_refused():
    with pytest.raises(BadVerification, match="'longer' cannot be used here; known: string_match, semantic, external"):
        read_verification("longer", {"file": "a"})


@pytest.mark.usefixtures("added")
def test_it_is_performed_like_a_command_and_told_once():
    check = read_verification("longer", {"file": "a"})
    steps = verified(check, ABOUT)
    asked = next(steps)
    assert asked == RunCheck(1, "a has 10 lines", "a_has_10_lines", check, place=Place(tree="commit"))
    seen = Evidence("longer", passed=False, reason="it has 3")
    recorded = steps.send(seen)
    assert recorded == RecordEvidence(1, replace(seen, proof="checked", claim=ABOUT.said.digest), told=True)
    assert recorded.ended(Recorded(**msgspec.structs.asdict(seen))).text == ""
    assert next(still_holds(check, ABOUT, "merge")).check == check


@pytest.mark.usefixtures("added")
def test_it_may_be_a_stage_beside_a_command():
    stages = [
        {"name": "unit", "method": "external", "config": {"command": "make test"}, "parallel": True},
        {"name": "long", "method": "longer", "config": {"file": "a"}, "parallel": True},
    ]
    check = read_verification("multi_stage", {"stages": stages})
    assert [each.label for each in next(verified(check, ABOUT))] == ["unit", "long"]
    assert list(checks(check)) == ["multi_stage:", "  unit: external: make test", "  long: longer: a has 10 lines"]


def test_a_run_of_another_ralph_can_be_read_without_it():
    stored = b'{"method": "check", "name": "unheard-of", "config": {"x": 1}, "label": "x is 1"}'
    check = msgspec.json.decode(stored, type=Verification)
    assert method_words(check) == "unheard-of (x is 1)"
    assert list(checks(check)) == ["unheard-of: x is 1"]


def test_a_run_of_another_ralph_is_not_judged_without_its_check(tmp_path):
    bench = Workbench(tmp_path, {}, "run.1.1")
    with pytest.raises(StateError, match="this version of ralph has no check 'unheard-of'"):
        asyncio.run(perform_check(NamedCheck("unheard-of", {}, "x"), bench))


@pytest.mark.usefixtures("added")
def test_the_function_of_its_name_judges_the_files(tmp_path):
    (tmp_path / "a").write_text("one\ntwo\n", encoding="utf-8")
    bench = Workbench(tmp_path, {}, "run.1.1")
    check = read_verification("longer", {"file": "a", "lines": 3})
    assert asyncio.run(perform_check(check, bench)) == Evidence("longer", passed=False, reason="it has 2")
