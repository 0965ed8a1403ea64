"""`ralph task create`: a task from flags, with criteria for each role that the settings know."""

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import click

from ralph.cli.choices import Choice
from ralph.cli.here import here
from ralph.cli.saying import say

if TYPE_CHECKING:
    from ralph.kernel.completion import RoleDefaults

GIVEN = "ralph.task.roles"
"""The key in click's context for the flags of the roles."""
TYPED = ("check", "person", "time")
"""The kinds of criteria that have their own flag."""


class WithRoleOptions(click.Command):
    """A command with `--ROLE-promise` and similar flags for every role of the project's settings."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *self._role_options]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own = [each for each in super().get_params(ctx) if isinstance(each, click.Option)]
        with formatter.section("Options"):
            formatter.write_dl(_help_records(own, ctx))
        with formatter.section("Options of each role (what is not given comes from the settings)"):
            formatter.write_dl(_help_records(self._role_options, ctx))

    @cached_property
    def _role_options(self) -> list[click.Option]:
        return [option for name, role in _roles().items() for option in _options(name, role)]


@click.command("create", cls=WithRoleOptions)
@click.argument("task_id", metavar="ID")
@click.argument("spec")
@click.argument("title")
@click.option("--outcome", metavar="TEXT", help="The measurable outcome, in one sentence.")
@click.option("--acceptance", metavar="TEXT", multiple=True, help="A requirement that a model judges; repeatable.")
@click.option("--check", metavar="CMD", multiple=True, help="A requirement that a command checks; repeatable.")
@click.option("--person", metavar="TEXT", multiple=True, help="A requirement that a person approves; repeatable.")
@click.option(
    "--time", metavar="TEXT", multiple=True, help="A requirement about time that a person approves; repeatable."
)
@click.option("--description", metavar="TEXT", help="Information for the agents.")
@click.option("--depends-on", metavar="ID", multiple=True, help="A task to wait for; repeatable.")
@click.option("--priority", metavar="N", type=int, default=0, help="The lowest number runs first.  [default: 0]")
@click.option("--assignee", metavar="NAME", help="The person who is responsible.")
@click.option(
    "--may-change",
    metavar="GLOB",
    multiple=True,
    help="Tests and judges that its agents may change, such as 'tests/old/**'; repeatable.",
)
@click.option("--relevant-file", metavar="PATH", multiple=True, help="A file to read first; repeatable.")
@click.option("--max-iterations", metavar="N", type=click.IntRange(min=1), help="The limit of iterations.")
@click.option("--without-criteria", is_flag=True, help="Create a task without completion criteria.")
@click.option("--from-agent", is_flag=True, help="Allow it inside a run, if agentsMayPlan is true.")
@click.pass_context
def command(ctx: click.Context, task_id: str, spec: str, title: str, without_criteria: bool, **given: Any) -> None:
    """Create the task ID in SPEC.

    \b
    ralph task create TASK-001 auth "Implement JWT auth" \\
        --outcome "Every endpoint requires a valid token" \\
        --acceptance "An expired token gets status 401" \\
        --tester-verify-cmd "pytest tests/test_auth.py"
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.inside_run import refuse_planning
    from ralph.app.tasks.coverage import coverage_warnings
    from ralph.app.tasks.tasks import create_task, warnings_of
    from ralph.cli.stores import opened_store

    roles: dict[str, dict[str, Any]] = ctx.meta.get(GIVEN, {})
    acceptance = [*given["acceptance"], *({kind: each} for kind in TYPED for each in given[kind])]
    if without_criteria and (given["outcome"] or acceptance or roles):
        raise click.UsageError("--without-criteria cannot be combined with criteria.", ctx)
    data: dict[str, Any] = {
        "id": task_id,
        "spec_id": spec,
        "title": title,
        "description": given["description"],
        "priority": given["priority"],
        "dependencies": list(given["depends_on"]),
        "assignee": given["assignee"],
        "may_change": list(given["may_change"]),
        "relevant_files": list(given["relevant_file"]),
        "max_iterations": given["max_iterations"],
    }
    if not without_criteria:
        overall = {"outcome": given["outcome"], "acceptance_criteria": acceptance}
        data["completion"] = {**overall, **{name: _criteria(name, flags) for name, flags in roles.items()}}
    with opened_store() as store:
        if run_id := refuse_planning(store, from_agent=given["from_agent"]):
            data["metadata"] = {"fromRun": run_id}
        task = create_task(store, here(), data, without_criteria=without_criteria)
    for warning in (*warnings_of(task), *coverage_warnings(here(), [task])):
        say(f"ralph: {warning}.", err=True)
    say(f"Created {task.id}. See it: ralph task show {task.id}")


def _criteria(role: str, flags: dict[str, Any]) -> dict[str, Any]:
    data = {key: value for key, value in flags.items() if key != "command"}
    if "command" in flags:
        if data.get("verification_method", "external") != "external":
            raise click.UsageError(f"--{role}-verify-cmd goes with --{role}-verify external.")
        data["verification_config"] = {"command": flags["command"]}
    return data


def _roles() -> "dict[str, RoleDefaults]":
    from ralph.app.tasks.roles import role_defaults
    from ralph.config.layers import load
    from ralph.config.schema import Settings
    from ralph.model.errors import ConfigError

    try:
        settings = load(here()).settings
    except ConfigError:
        # --help must work; the command itself will say what is wrong with them.
        settings = Settings()
    return {name: role for name, role in role_defaults(settings).items() if name.replace("-", "_").isidentifier()}


def _help_records(options: list[click.Option], ctx: click.Context) -> list[tuple[str, str]]:
    return [record for each in options if (record := each.get_help_record(ctx))]


def _options(role: str, defaults: "RoleDefaults") -> list[click.Option]:
    from ralph.model.verification import METHODS

    def option(name: str, key: str, text: str, **more: Any) -> click.Option:
        keep = partial(_keep, role, key)
        return click.Option([f"--{role}-{name}"], help=text, callback=keep, expose_value=False, **more)

    return [
        option(
            "promise", "promise", f"The text that claims completion.  [default: {defaults.promise}]", metavar="TEXT"
        ),
        option("description", "description", "When this stage is complete.", metavar="TEXT"),
        option(
            "verify",
            "verification_method",
            f"One of {', '.join(METHODS)}.",
            metavar="METHOD",
            type=Choice(METHODS),
        ),
        option("verify-cmd", "command", "The command that verifies it.", metavar="CMD"),
        option(
            "max-iterations",
            "max_iterations",
            f"How often it may try.  [default: {defaults.max_iterations}]",
            metavar="N",
            type=click.IntRange(min=1),
        ),
    ]


def _keep(role: str, key: str, ctx: click.Context, _option: click.Parameter, value: Any) -> None:
    if value is not None:
        ctx.meta.setdefault(GIVEN, {}).setdefault(role, {})[key] = value
