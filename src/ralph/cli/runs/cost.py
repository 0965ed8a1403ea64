"""`ralph cost`: what the agents and models of a project have cost."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ralph.cli.here import here
from ralph.cli.saying import say

if TYPE_CHECKING:
    from ralph.app.runs.costs import Amount, Costs, SpecCost, TaskCost


@click.command("cost")
@click.argument("spec", required=False)
@click.option("--since", metavar="TIME", help="Only since a date or a time such as 2026-02-05, or an age such as 7d.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with all kinds of tokens.")
def command(spec: str | None, since: str | None, as_json: bool) -> None:
    """Show the cost of SPEC, or of this whole project: by spec, task, iteration and day.

    Dollars are what the agents report, or tokens times the prices in the settings (models.NAME.price). For calls
    without either, ralph lists the tokens.

    \b
    ralph cost
    ralph cost shop --since 7d
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.costs import costs
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        found = costs(store, here(), spec, since)
    if as_json:
        from ralph.cli.json_text import json_text

        click.echo(json_text(found))
    elif found.total.tokens or found.total.cost_usd:
        say("\n".join(_aligned(list(_lines(found)))))
    else:
        click.echo("No agent or model has reported what it used.")


def _lines(found: "Costs") -> "Iterator[tuple[str, Amount]]":
    for spec in found.specs:
        yield from _spec(spec)
    if found.elsewhere.tokens or found.elsewhere.cost_usd:
        yield "outside of specs", found.elsewhere
    for day in found.days:
        yield day.day, day
    yield "total", found.total


def _spec(spec: "SpecCost") -> "Iterator[tuple[str, Amount]]":
    yield spec.id, spec
    for task in spec.chunks:
        yield from _task(task)
    if spec.whole.tokens or spec.whole.cost_usd:
        yield "  the spec as a whole", spec.whole


def _task(task: "TaskCost") -> "Iterator[tuple[str, Amount]]":
    yield f"  {task.id}", task
    for each in task.iterations:
        words = f"{each.role} iteration {each.iteration}".strip() if each.iteration else "besides its iterations"
        yield f"    {words}", each


def _aligned(lines: "list[tuple[str, Amount]]") -> Iterator[str]:
    width = max(len(name) for name, _ in lines)
    for name, amount in lines:
        yield f"{name:<{width}}  {_amount(amount)}"


def _amount(amount: "Amount") -> str:
    from ralph.model.words import dollars, tokens

    known = "" if amount.cost_usd is None else dollars(amount.cost_usd)
    told = f"{known:>10}  {tokens(amount.tokens) + ' tokens':>14}"
    if known and amount.tokens_without_price:
        told += f"  ({tokens(amount.tokens_without_price)} of them without a price)"
    return told
