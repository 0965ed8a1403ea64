"""Stand-ins for `gh` and `glab`: real programs that record how they are called, and a bare repository behind them."""

import json
import stat
import sys

GH = """#!{python} -IS
import json, os, sys
state_file = {state!r}
state = json.load(open(state_file))
argv = sys.argv[1:]
stdin = sys.stdin.read() if "-" in argv else ""
with open({log!r}, "a") as log:
    env = {{name: value for name, value in os.environ.items() if name.startswith(("GH_", "NO_"))}}
    log.write(json.dumps({{"argv": argv, "stdin": stdin, "env": env}}) + "\\n")
def option(name):
    return argv[argv.index(name) + 1] if name in argv else None
def save():
    json.dump(state, open(state_file, "w"))
verb = argv[1]
if state.get("fails") == verb:
    sys.exit("HTTP 401: Bad credentials (https://api.github.com/graphql)")
prs = state["prs"]
if argv[:2] == ["auth", "status"]:
    sys.exit(0 if option("--hostname") in state["logins"] else "not logged in")
if verb == "list":
    found = [pr for pr in prs if pr["headRefName"] == option("--head")]
    print(json.dumps([{{k: pr[k] for k in option("--json").split(",")}} for pr in found]))
elif verb == "view":
    pr = next(pr for pr in prs if pr["number"] == int(argv[2]))
    print(json.dumps({{k: pr[k] for k in option("--json").split(",")}}))
elif verb == "create":
    number = len(prs) + 12
    if not state.get("lies"):
        prs.append(dict(number=number, url=f"https://github.com/acme/shop/pull/{{number}}", state="OPEN",
            isDraft="--draft" in argv, baseRefName=option("--base"), headRefOid="",
            headRefName=option("--head").rpartition(":")[2], title=option("--title"),
            body=stdin, isCrossRepository=":" in option("--head"),
            headRepositoryOwner={{"login": option("--head").rpartition(":")[0] or "acme"}}, reviews=[]))
        save()
    print(f"https://github.com/acme/shop/pull/{{number}}")
elif verb in ("edit", "ready"):
    pr = next(pr for pr in prs if pr["number"] == int(argv[2]))
    if verb == "ready":
        pr["isDraft"] = "--undo" in argv
    else:
        pr["body"] = stdin
        pr["baseRefName"] = option("--base") or pr["baseRefName"]
        pr["state"] = state.get("meanwhile", pr["state"])
    save()
"""
GLAB = """#!{python} -IS
import json, os, sys
state_file = {state!r}
state = json.load(open(state_file))
argv = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(json.dumps({{"argv": argv}}) + "\\n")
def option(name):
    given = [each for each in argv if each.startswith(name + "=")]
    if given:
        return given[0].partition("=")[2]
    return argv[argv.index(name) + 1] if name in argv else None
mrs, verb = state["prs"], argv[1]
if argv[0] == "api":
    print(json.dumps(state.get("notes", [])))
elif verb == "list":
    print(json.dumps([mr for mr in mrs if mr["source_branch"] == option("--source-branch")]))
elif verb == "view":
    print(json.dumps(next(mr for mr in mrs if mr["iid"] == int(argv[2]))))
elif verb == "create":
    mrs.append(dict(iid=7, web_url="https://gitlab.com/acme/shop/-/merge_requests/7", state="opened",
        draft="--draft" in argv, target_branch=option("--target-branch"), source_branch=option("--source-branch"),
        sha=None, title=option("--title"), description=option("--description")))
elif verb == "update":
    mr = next(mr for mr in mrs if mr["iid"] == int(argv[2]))
    if option("--description"):
        mr["description"] = option("--description")
    if "--draft" in argv or "--ready" in argv:
        mr["draft"] = "--draft" in argv
    mr["target_branch"] = option("--target-branch") or mr["target_branch"]
json.dump(state, open(state_file, "w"))
"""
PROGRAMS = {"gh": GH, "glab": GLAB}
ADDRESSES = {"gh": "https://github.com/acme/shop.git", "glab": "git@gitlab.com:acme/shop.git"}


class CodeHost:
    """`origin` of a repository: a bare one that git reaches by an address of GitHub or GitLab, and its program."""

    def __init__(self, repo, root, program="gh", address=None):
        self.repo = repo
        self.bare = root / "origin.git"
        self.bin = root / "host-bin"
        self._state, self._log = root / "host-state.json", root / "host-log"
        repo.run("git", "init", "--quiet", "--bare", "--initial-branch=main", str(self.bare))
        address = address or ADDRESSES[program]
        repo.git("config", "--global", f"url.{self.bare}.insteadOf", address)
        repo.git("remote", "add", "origin", address)
        repo.git("push", "--quiet", "origin", "main")
        self.bin.mkdir()
        self._state.write_text(json.dumps({"prs": [], "logins": []}))
        self.install(program)

    def install(self, program):
        text = PROGRAMS[program].format(python=sys.executable, state=str(self._state), log=str(self._log))
        file = self.bin / program
        file.write_text(text, encoding="utf-8")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    @property
    def env(self):
        return {"PATH": f"{self.bin}:{self.repo.env['PATH']}"}

    @property
    def state(self):
        return json.loads(self._state.read_text())

    def set(self, **changes):
        self._state.write_text(json.dumps({**self.state, **changes}))

    def change_pr(self, **changes):
        """The latest pull request, as a person changes it on the page."""
        *others, last = self.state["prs"]
        self.set(prs=[*others, {**last, **changes}])

    @property
    def prs(self):
        return self.state["prs"]

    @property
    def calls(self):
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return [json.loads(line) for line in lines]

    def called(self, verb):
        return [call for call in self.calls if call["argv"][1] == verb]

    def head(self, ref):
        """The commit of a ref, as the remote itself has it."""
        done = self.repo.run("git", "--git-dir", str(self.bare), "rev-parse", "--verify", "--quiet", ref)
        return done.stdout.strip()
