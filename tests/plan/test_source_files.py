"""Which files are sources, and which of them the project wrote itself."""

import pytest

from ralph.plan.source_files import grammar_of, is_ui_file, language_of, stem


@pytest.mark.parametrize(
    ("path", "language", "grammar"),
    [
        ("a.py", "Python", "python"),
        ("deep/down/a.PYI", "Python", "python"),
        ("a.tsx", "TypeScript", "tsx"),
        ("a.mts", "TypeScript", "typescript"),
        ("a.jsx", "JavaScript", "javascript"),
        ("a.go", "Go", "go"),
        ("a.rs", "Rust", "rust"),
        ("a.vue", "Vue", ""),
        ("a.kt", "Kotlin", ""),
        ("a.h", "C", ""),
        ("README.md", "", ""),
        ("data.json", "", ""),
        ("Makefile", "", ""),
        ("py", "", ""),
        ("", "", ""),
    ],
)
def test_the_ending_tells_the_language(path, language, grammar):
    assert language_of(path) == language
    if language:
        assert grammar_of(path) == grammar


@pytest.mark.parametrize(
    "path",
    [
        "node_modules/left-pad/index.js",
        "web/node_modules/a/b.ts",
        "vendor/github.com/x/y.go",
        "third_party/a.rs",
        "venv/lib/a.py",
        ".venv/lib/a.py",
        ".git/hooks/a.py",
        ".ralph/specs/a.py",
        "dist/app.js",
        "static/jquery.min.js",
        "proto/user_pb2.py",
        "proto/user.pb.go",
        "types/global.d.ts",
        "src/schema.generated.ts",
        "k8s/zz_generated.deepcopy.go",
        "_version.py",
    ],
)
def test_what_others_or_programs_wrote_is_none_of_the_project(path):
    assert language_of(path) == ""


@pytest.mark.parametrize("path", ["vendor.py", "src/vendors/a.py", "distance/a.py", "generated.py", "src/dist.ts"])
def test_a_name_that_only_begins_like_one_is(path):
    assert language_of(path)


def test_names_of_components():
    assert is_ui_file("src/Cart.vue")
    assert not is_ui_file("src/Cart.tsx")
    assert [stem(path) for path in ("src/Cart.vue", "Cart.page.tsx", "src/Cart/index.tsx", "index.tsx")] == [
        "Cart",
        "Cart",
        "Cart",
        "index",
    ]
