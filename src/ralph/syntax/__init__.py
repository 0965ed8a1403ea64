"""Syntax trees of source files, for judging a change and for describing a codebase."""
