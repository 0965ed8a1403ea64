"""Code hosts on which pull requests are opened, each through its own program."""
