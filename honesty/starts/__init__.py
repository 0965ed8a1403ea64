"""The projects that behaviours begin with."""
