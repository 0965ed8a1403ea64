"""The frameworks that a project uses, by the dependencies that it declares."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from ralph.plan.project_files import ProjectFiles, read_json, read_toml, table

JAVASCRIPT = {
    "next": "Next.js",
    "nuxt": "Nuxt",
    "@remix-run/react": "Remix",
    "@sveltejs/kit": "SvelteKit",
    "astro": "Astro",
    "gatsby": "Gatsby",
    "@angular/core": "Angular",
    "expo": "Expo",
    "react-native": "React Native",
    "react": "React",
    "vue": "Vue",
    "svelte": "Svelte",
    "solid-js": "Solid",
    "preact": "Preact",
    "lit": "Lit",
    "electron": "Electron",
    "@nestjs/core": "NestJS",
    "fastify": "Fastify",
    "express": "Express",
    "koa": "Koa",
    "hono": "Hono",
    "@hapi/hapi": "hapi",
}
PYTHON = {
    "django": "Django",
    "fastapi": "FastAPI",
    "flask": "Flask",
    "litestar": "Litestar",
    "starlette": "Starlette",
    "aiohttp": "aiohttp",
    "tornado": "Tornado",
    "pyramid": "Pyramid",
    "sanic": "Sanic",
    "streamlit": "Streamlit",
    "textual": "Textual",
    "scrapy": "Scrapy",
    "typer": "Typer",
    "click": "Click",
}
GO = {
    "github.com/gin-gonic/gin": "Gin",
    "github.com/labstack/echo": "Echo",
    "github.com/gofiber/fiber": "Fiber",
    "github.com/go-chi/chi": "chi",
    "github.com/gorilla/mux": "gorilla/mux",
    "github.com/spf13/cobra": "Cobra",
    "github.com/charmbracelet/bubbletea": "Bubble Tea",
    "sigs.k8s.io/controller-runtime": "controller-runtime",
}
RUST = {
    "axum": "Axum",
    "actix-web": "Actix Web",
    "rocket": "Rocket",
    "warp": "warp",
    "poem": "Poem",
    "tauri": "Tauri",
    "leptos": "Leptos",
    "yew": "Yew",
    "dioxus": "Dioxus",
    "bevy": "Bevy",
    "clap": "clap",
}
WORDS = {
    "Gemfile": {"rails": "Rails", "sinatra": "Sinatra", "hanami": "Hanami"},
    "composer.json": {"laravel/framework": "Laravel", "symfony/framework-bundle": "Symfony"},
    "mix.exs": {":phoenix,": "Phoenix"},
    "pom.xml": {"spring-boot": "Spring Boot", "quarkus": "Quarkus", "micronaut": "Micronaut"},
    "build.gradle": {"org.springframework.boot": "Spring Boot", "com.android.application": "Android"},
    "build.gradle.kts": {"org.springframework.boot": "Spring Boot", "com.android.application": "Android"},
    "pubspec.yaml": {"flutter:": "Flutter"},
}
"""Files of a format that is not parsed, and what a word in one of them means."""
MANIFESTS = (
    *("package.json", "pyproject.toml", "requirements.txt", "setup.cfg", "Pipfile", "go.mod", "Cargo.toml"),
    *WORDS,
)
"""The files to look for, also in folders below the top."""
REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][\w.-]*)", re.MULTILINE)
GO_MODULE = re.compile(r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/[\w./-]+)\s+v", re.MULTILINE)
GO_VERSION = re.compile(r"/v\d+$")


def frameworks(project: ProjectFiles) -> list[str]:
    """The frameworks, in the order of the tables: the most telling first."""
    found = [
        *_known(JAVASCRIPT, _javascript(project)),
        *_known(PYTHON, (name.lower().replace("_", "-") for name in _python(project))),
        *_known(GO, (GO_VERSION.sub("", name) for name in GO_MODULE.findall(project.text("go.mod")))),
        *_known(RUST, _rust(project)),
    ]
    for name, words in WORDS.items():
        text = project.text(name)
        found += [framework for word, framework in words.items() if word in text]
    return list(dict.fromkeys(found))


def _known(names: Mapping[str, str], declared: Iterable[str]) -> list[str]:
    there = set(declared)
    return [framework for name, framework in names.items() if name in there]


def _javascript(project: ProjectFiles) -> Iterator[str]:
    package = read_json(project, "package.json")
    for section in ("dependencies", "devDependencies", "peerDependencies"):
        yield from table(package, section)


def _python(project: ProjectFiles) -> Iterator[str]:
    pyproject = read_toml(project, "pyproject.toml")
    own = table(pyproject, "project")
    lists = [own.get("dependencies"), *table(own, "optional-dependencies").values()]
    lists += table(pyproject, "dependency-groups").values()
    for each in lists:
        yield from (name for line in _texts(each) for name in REQUIREMENT.findall(line)[:1])
    poetry = table(table(pyproject, "tool"), "poetry")
    yield from table(poetry, "dependencies")
    yield from table(read_toml(project, "Pipfile"), "packages")
    for file in ("requirements.txt", "setup.cfg"):
        yield from REQUIREMENT.findall(project.text(file))


def _rust(project: ProjectFiles) -> Iterator[str]:
    cargo = read_toml(project, "Cargo.toml")
    for parent in (cargo, table(cargo, "workspace")):
        yield from table(parent, "dependencies")


def _texts(value: Any) -> list[str]:
    return [str(each) for each in cast("list[object]", value)] if isinstance(value, list) else []
