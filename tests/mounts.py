"""Small disks for a test: full ones and read-only ones. Only root can mount them."""

import os
import subprocess
from contextlib import contextmanager

import pytest


class Disk:
    def __init__(self, place):
        self.place = place

    def resize(self, size):
        self._mount("remount", f"size={size}")

    def make_read_only(self):
        self._mount("remount", "ro")

    def make_writable(self):
        self._mount("remount", "rw")

    def fill(self):
        """To the last byte."""
        with (self.place / "filler").open("wb", buffering=0) as filler:
            try:
                while filler.write(bytes(4096)):
                    pass
            except OSError:
                return

    def _mount(self, *options):
        subprocess.run(["mount", "-o", ",".join(options), self.place], check=True)


@contextmanager
def mounted(place, size="10m"):
    place.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "ralph-test", place],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        refuse = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        refuse(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    try:
        yield Disk(place)
    finally:
        # Lazily: what a failed test left running must not keep it.
        subprocess.run(["umount", "-l", place], check=True)
