"""`ralph task create`: a task from flags, with criteria for each role that the settings know."""

from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ralph.kernel.completion import RoleDefaults

GIVEN = "ralph.task.roles"
"""Where in click's context the flags of the roles are gathered."""


class WithRoleOptions(click.Command):
    """Has `--ROLE-promise` and its like for every role of the project's settings."""

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
@click.option("--acceptance", metavar="TEXT", multiple=True, help="A requirement to verify; may be repeated.")
@click.option("--description", metavar="TEXT", help="What the agents should know.")
@click.option("--depends-on", metavar="ID", multiple=True, help="A task to wait for; may be repeated.")
@click.option("--priority", metavar="N", type=int, default=0, help="The lower the earlier.  [default: 0]")
@click.option("--assignee", metavar="NAME", help="Who answers for it.")
@click.option("--without-criteria", is_flag=True, help="Write a task that says nothing about being done.")
@click.pass_context
def command(ctx: click.Context, task_id: str, spec: str, title: str, without_criteria: bool, **given: Any) -> None:
    """Write the task ID of SPEC.

    \b
    ralph task create TASK-001 auth "Implement JWT auth" \\
        --outcome "Every endpoint requires a valid token" \\
        --acceptance "An expired token gets status 401" \\
        --tester-verify-cmd "pytest tests/test_auth.py"
    """  # noqa: D301 - click reads the backspace characters  # noqa: D301 - click reads the backspace character
    from ralph.app.tasks import create_task, warnings_of

    roles: dict[str, dict[str, Any]] = ctx.meta.get(GIVEN, {})
    if without_criteria and (given["outcome"] or given["acceptance"] or roles):
        raise click.UsageError("--without-criteria goes with no criteria at all.", ctx)
    data = {
        "id": task_id,
        "spec_id": spec,
        "title": title,
        "description": given["description"],
        "priority": given["priority"],
        "dependencies": list(given["depends_on"]),
        "assignee": given["assignee"],
    }
    if not without_criteria:
        overall = {"outcome": given["outcome"], "acceptance_criteria": list(given["acceptance"])}
        data["completion"] = {**overall, **{name: _criteria(name, flags) for name, flags in roles.items()}}
    task = create_task(Path.cwd(), data, without_criteria=without_criteria)
    for warning in warnings_of(task):
        click.echo(f"ralph: {warning}.", err=True)
    click.echo(f"Created {task.id}. See it: ralph task show {task.id}")


def _criteria(role: str, flags: dict[str, Any]) -> dict[str, Any]:
    data = {key: value for key, value in flags.items() if key != "command"}
    if "command" in flags:
        if data.get("verification_method", "external") != "external":
            raise click.UsageError(f"--{role}-verify-cmd goes with --{role}-verify external.")
        data["verification_config"] = {"command": flags["command"]}
    return data


def _roles() -> "dict[str, RoleDefaults]":
    from ralph.app.task_roles import role_defaults
    from ralph.config.layers import load
    from ralph.config.schema import Settings
    from ralph.model.errors import ConfigError

    try:
        settings = load(Path.cwd()).settings
    except ConfigError:
        # --help has to work; the command itself will say what is wrong with them.
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
        option("promise", "promise", f"What says that it is done.  [default: {defaults.promise}]", metavar="TEXT"),
        option("description", "description", "When this stage is done.", metavar="TEXT"),
        option(
            "verify",
            "verification_method",
            f"One of {', '.join(METHODS)}.",
            metavar="METHOD",
            type=click.Choice(METHODS),
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
