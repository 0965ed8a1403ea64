"""The only place that starts processes, and the place that ends them: whole trees, never single processes.

Nothing is imported here: a caller that only asks whether a process is alive needs no event loop.
"""
