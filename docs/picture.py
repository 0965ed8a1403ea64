"""Draw docs/demo.svg: `ralph demo` as a terminal shows it. Needs tmux: `make picture`."""

import io
import re
import subprocess
import sys
import time
from pathlib import Path

from rich.ansi import AnsiDecoder
from rich.console import Console
from rich.text import Text

WIDTH, HEIGHT = 100, 80
SECONDS = 60


def main() -> None:
    ralph = Path(sys.executable).with_name("ralph")
    command = f"env PATH={ralph.parent}:$PATH ralph demo; sleep {SECONDS}"
    _tmux("new-session", "-d", "-s", "picture", "-x", str(WIDTH), "-y", str(HEIGHT), command)
    try:
        screen = _finished_screen()
    finally:
        _tmux("kill-session", "-t", "picture")
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    for line in _tidy(screen):
        console.print(line)
    svg = console.export_svg(title="ralph demo")
    # The picture must not fetch fonts from anywhere.
    svg = re.sub(r"@font-face\s*\{.*?\}", "", svg, flags=re.DOTALL)
    Path(__file__).with_name("demo.svg").write_text(re.sub(r"[ \t]+\n", "\n", svg))


def _finished_screen() -> str:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        screen = _tmux("capture-pane", "-p", "-e", "-t", "picture")
        if "Then in a project of yours" in screen:
            return screen
        time.sleep(0.2)
    raise SystemExit("the demo did not end in time")


def _tidy(screen: str) -> list[Text]:
    # Decoded in one go: tmux names a colour once and goes on in it over the following lines.
    lines = list(AnsiDecoder().decode(screen.rstrip()))
    begin = next(i for i, line in enumerate(lines) if "ralph run" in line.plain)
    end = next(i for i, line in enumerate(lines) if "Details: ralph show" in line.plain)
    return [Text("$ make demo"), *lines[begin : end + 1]]


def _tmux(*arguments: str) -> str:
    return subprocess.run(["tmux", *arguments], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
