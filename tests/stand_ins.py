"""Stand-ins for gh, glab, bd and openspec: real programs that record how they are called."""

import json
import sys
from pathlib import Path

PLAN_FILES = Path(__file__).parent / "plan_files"
_RECORD = """\
import json, sys
from pathlib import Path
home = Path({home!r})
with (home / "calls.ndjson").open("a") as log:
    log.write(json.dumps(sys.argv[1:]) + "\\n")
state = home / "state.json"
data = json.loads(state.read_text())
args = sys.argv[1:]

def save():
    state.write_text(json.dumps(data))

"""
GH = """
if args[:2] == ["issue", "view"]:
    print(json.dumps({{key: data[key] for key in args[args.index("--json") + 1].split(",")}}))
    if data.get("edits"):
        data["body"] = data["edits"].pop(0)
        save()
elif args[:2] == ["issue", "edit"]:
    body = sys.stdin.read()
    if not data.get("deaf"):
        data["body"] = body
        save()
elif args[0] == "api" and data.get("below") != "unknown":
    print(json.dumps(data.get("below", [])))
else:
    sys.exit("unknown command")
"""
GLAB = """
if args[:2] == ["issue", "view"]:
    print(json.dumps(data))
elif args[:2] == ["issue", "update"]:
    data["description"] = args[args.index("--description") + 1]
    save()
else:
    sys.exit("unknown command")
"""
BD = """
def told(issues):
    print(json.dumps({{"schema_version": 1, "data": issues}} if data.get("envelope") else issues))

if args[0] == "list":
    told(data["issues"])
elif args[0] == "show":
    told([each for each in data["issues"] if each["id"] == args[1]])
elif args[0] == "close":
    for each in data["issues"]:
        if each["id"] == args[1] and not data.get("deaf"):
            each["status"] = "closed"
    save()
else:
    sys.exit("unknown command")
"""
FAILS = """
sys.exit(data["says"])
"""


class StandIn:
    """A program of this name in a folder that is put on PATH."""

    def __init__(self, folder, name, script, **state):
        self._home = folder / f"{name}-home"
        self._home.mkdir(parents=True)
        self.bin = folder / "bin"
        self.bin.mkdir(exist_ok=True)
        self.set(**state)
        program = self.bin / name
        body = _RECORD.format(home=str(self._home)) + script.replace("{{", "{").replace("}}", "}")
        program.write_text(f"#!{sys.executable}\n{body}")
        program.chmod(0o755)

    def set(self, **state):
        (self._home / "state.json").write_text(json.dumps(state))

    @property
    def state(self):
        return json.loads((self._home / "state.json").read_text())

    @property
    def calls(self):
        log = self._home / "calls.ndjson"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
