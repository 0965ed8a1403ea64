"""Frameworks by declared dependencies, in a folder or in a tree."""

import pytest

from ralph.app.setup.detect import FolderFiles
from ralph.plan.commands import package_managers
from ralph.plan.frameworks import frameworks


@pytest.mark.parametrize(
    ("files", "found", "manager"),
    [
        ({"package.json": '{"dependencies": {"react": "18", "next": "14"}}'}, ["Next.js", "React"], ["npm"]),
        ({"package.json": '{"devDependencies": {"@sveltejs/kit": "2"}}', "bun.lock": ""}, ["SvelteKit"], ["bun"]),
        ({"pyproject.toml": '[project]\ndependencies = ["Django>=5", "x"]'}, ["Django"], ["pip"]),
        ({"pyproject.toml": '[tool.poetry.dependencies]\nfastapi = "^1"', "poetry.lock": ""}, ["FastAPI"], ["poetry"]),
        ({"requirements.txt": "# web\nFlask==3\n-r more.txt\n"}, ["Flask"], ["pip"]),
        ({"Pipfile": '[packages]\nstreamlit = "*"'}, ["Streamlit"], ["pipenv"]),
        ({"go.mod": "module a\nrequire (\n\tgithub.com/labstack/echo/v4 v4.1.0\n)\n"}, ["Echo"], ["go modules"]),
        ({"go.mod": "module a\nrequire github.com/gin-gonic/gin v1.9.1\n"}, ["Gin"], ["go modules"]),
        (
            {"Cargo.toml": '[dependencies]\naxum = "0.7"\n[workspace.dependencies]\nclap = "4"'},
            ["Axum", "clap"],
            ["cargo"],
        ),
        ({"Gemfile": "gem 'rails', '~> 7'"}, ["Rails"], ["bundler"]),
        ({"pom.xml": "<artifactId>spring-boot-starter-web</artifactId>"}, ["Spring Boot"], ["maven"]),
        ({"package.json": '{"dependencies": {"vue": "3"}}', "go.mod": "module a\n"}, ["Vue"], ["npm", "go modules"]),
        ({"README.md": "We use Django and React."}, [], []),
        ({"package.json": "not json", "pyproject.toml": "= not toml", "Cargo.toml": "[["}, [], ["npm", "pip", "cargo"]),
        ({"package.json": '{"dependencies": ["react"]}', "go.mod": "\0\xff"}, [], ["npm", "go modules"]),
        ({"package.json": "[" * 5000}, [], ["npm"]),
    ],
)
def test_what_a_project_builds_on(tmp_path, files, found, manager):
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert frameworks(FolderFiles(tmp_path)) == found
    assert package_managers(FolderFiles(tmp_path)) == manager
