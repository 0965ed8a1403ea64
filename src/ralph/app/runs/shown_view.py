"""What `ralph show --json` prints, and what an end hook gets: all that is known about a run."""

from msgspec.structs import replace

from ralph.app.runs.chunk_iterations import chunk_iterations
from ralph.app.runs.history import Past, past_of
from ralph.app.runs.views import IterationView, PastView, iteration_views, past_view
from ralph.model.runs import Run
from ralph.store.sql import Store

CHUNK = "chunk"


def shown_view(store: Store, runs: list[Run]) -> PastView:
    """The view of the latest of them; the attempts at a chunk are those of all its runs."""
    pasts = [past_of(store, run, bodies=True) for run in runs]
    latest = past_view(pasts[-1], _iterations)
    earlier = [each for past in pasts[:-1] if past.run.recipe == CHUNK for each in chunk_iterations(past)]
    return replace(latest, iterations=[*earlier, *latest.iterations]) if earlier else latest


def _iterations(past: Past) -> list[IterationView]:
    return list(chunk_iterations(past)) if past.run.recipe == CHUNK else iteration_views(past)
