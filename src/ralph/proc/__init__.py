"""The only place that starts processes, and the place that ends them: whole trees, never single processes."""

from ralph.proc.capture import Captured, capture
from ralph.proc.collect import collect
from ralph.proc.spawn import Process, spawn

__all__ = ["Captured", "Process", "capture", "collect", "spawn"]
