"""The projects in which behaviours start."""
