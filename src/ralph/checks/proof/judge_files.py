"""Which files decide whether a check passes. A new runner or tool is one row of a table here.

A *judge* says what runs, what counts as a failure, or how it is reported: the base's judges judge a change. A *test*
says what is expected. A *shared* file holds settings of judges and of the product (see `sections`). Everything else is
the product. The patterns are those of `path_globs`: names in any folder, `folder/`, and a slash inside for the top.

These names have limits: Rust's tests inside source files (`mod tests`, doc tests) change with the source, and a folder
`test/` counts as tests, although a product may ship a package of that name. `mayChange` is for those.
"""

from collections.abc import Mapping

from ralph.checks.proof.path_globs import PathGlobs

JUDGES: Mapping[str, str] = {
    # Python
    "pytest": "conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml",
    "unittest": "unittest.cfg nose2.cfg .noserc",
    "tox": "tox.ini tox.toml",
    "nox": "noxfile.py",
    "behave": "behave.ini .behaverc",
    "robot framework": "robot.toml .robot.toml",
    "doit": "dodo.py",
    "coverage.py": ".coveragerc",
    "ruff": "ruff.toml .ruff.toml",
    "mypy": "mypy.ini .mypy.ini",
    "pyright": "pyrightconfig.json",
    "ty": "ty.toml",
    "pyre": ".pyre_configuration",
    "pylint": "pylintrc .pylintrc pylintrc.toml .pylintrc.toml",
    "flake8": ".flake8",
    "pycodestyle": ".pycodestyle .pydocstyle .pep8",
    "isort": ".isort.cfg",
    "yapf": ".style.yapf .yapfignore",
    "bandit": ".bandit bandit.yaml bandit.yml",
    "import-linter": ".importlinter",
    "python's start": "sitecustomize.py usercustomize.py *.pth *.egg-link *.egg-info/ *.dist-info/",
    "a stand-in for a runner": "/pytest.py /pytest/__init__.py /_pytest/ /unittest.py /unittest/__init__.py",
    "a virtual environment": ".venv/ **/venv/bin/",
    # JavaScript and TypeScript
    "jest": "jest.config.* jest.*.config.* jest.setup.* jest-setup.* jest.preset.* jest-preset.js* setupTests.[jt]s*",
    "vitest": "vitest.config.* vitest.*.config.* vitest.workspace.* vitest.setup.* vite.config.*",
    "mocha": ".mocharc* mocha.opts",
    "ava": "ava.config.*",
    "tap": ".taprc",
    "jasmine": "jasmine.json jasmine.config.*",
    "karma": "karma.conf.* karma.config.*",
    "playwright": "playwright.config.* playwright-*.config.*",
    "cypress": "cypress.config.* cypress.json",
    "webdriverio": "wdio.*conf.*",
    "wallaby": "wallaby.config.* wallaby.js",
    "nyc": ".nycrc* nyc.config.*",
    "c8": ".c8rc* c8.config.*",
    "stryker": "stryker.conf.* stryker.config.*",
    "eslint": ".eslintrc* eslint.config.* .eslintignore",
    "oxlint": ".oxlintrc.json",
    "biome": "biome.json biome.jsonc",
    "prettier": ".prettierrc* prettier.config.* .prettierignore",
    "stylelint": ".stylelintrc* stylelint.config.* .stylelintignore",
    "xo": ".xo-config*",
    "tsc": "tsconfig.json tsconfig.*.json tsconfig-*.json",
    "babel": ".babelrc* babel.config.*",
    "swc": ".swcrc*",
    "npm": ".npmrc",
    "yarn": ".yarnrc .yarnrc.yml **/.yarn/releases/ **/.yarn/plugins/",
    "pnpm": ".pnpmfile.cjs .pnpmfile.mjs",
    "bun": "bunfig.toml",
    "nx": "nx.json",
    "turborepo": "turbo.json turbo.jsonc",
    "moon": ".moon/ moon.yml",
    # Go, Rust
    "go": "go.work",
    "golangci-lint": ".golangci.*",
    "staticcheck": "staticcheck.conf",
    "mage": "magefile.go magefiles/",
    "cargo": "**/.cargo/config **/.cargo/config.toml rust-toolchain rust-toolchain.toml",
    "cargo xtask": "xtask/",
    "nextest": "nextest.toml",
    "clippy": "clippy.toml .clippy.toml",
    "rustfmt": "rustfmt.toml .rustfmt.toml",
    "tarpaulin": "tarpaulin.toml .tarpaulin.toml",
    "cargo-deny": "deny.toml",
    # Ruby, PHP, Perl, Lua
    "rake": "Rakefile rakefile Rakefile.rb rakefile.rb *.rake",
    "rspec": ".rspec .rspec-local",
    "rubocop": ".rubocop.yml .rubocop_todo.yml .standard.yml",
    "simplecov": ".simplecov",
    "phpunit": "phpunit.xml phpunit.xml.* phpunit.*.xml",
    "phpstan": "phpstan.neon phpstan.*.neon phpstan.neon.dist phpstan-baseline.*",
    "psalm": "psalm.xml psalm.xml.dist psalm-baseline.xml",
    "php style": ".php-cs-fixer* .php_cs* pint.json phpcs.xml phpcs.xml.dist .phpcs.xml .phpcs.xml.dist grumphp.yml",
    "codeception": "codeception.yml codeception.dist.yml behat.yml behat.yml.dist",
    "infection": "infection.json infection.json5 infection.json.dist",
    "perl": ".proverc .perlcriticrc",
    "lua": ".busted .luacheckrc .luacov",
    # Java, Kotlin, Scala, .NET
    "gradle wrapper": "gradlew gradlew.bat **/gradle/wrapper/",
    "maven wrapper": "mvnw mvnw.cmd .mvn/",
    "testng": "testng.xml",
    "java style": "checkstyle*.xml pmd*.xml spotbugs*.xml **/config/checkstyle/ **/config/pmd/ **/config/spotbugs/",
    "detekt": "detekt.yml detekt.yaml detekt-*.yml detekt-baseline.xml **/config/detekt/",
    "scala style": ".scalafmt.conf .scalafix.conf scalastyle-config.xml",
    "dotnet test": "*.runsettings *.testsettings xunit.runner.json",
    "dotnet analyzers": "*.ruleset .globalconfig stylecop.json",
    # C, C++, Swift, Dart, Elixir and others
    "ctest": "CTestConfig.cmake CTestCustom.cmake CTestCustom.cmake.in",
    "clang": ".clang-tidy .clang-format",
    "bazel": ".bazelrc .bazelignore",
    "xcode": "*.xctestplan",
    "swift style": ".swiftlint.yml .swiftformat .swift-format",
    "dart": "dart_test.yaml analysis_options.yaml",
    "elixir": ".formatter.exs .credo.exs coveralls.json",
    "clojure": "tests.edn .clj-kondo/",
    "haskell": ".hlint.yaml",
    "r": ".lintr",
    "shell": ".shellcheckrc .shellspec",
    "docker": ".hadolint.yaml .hadolint.yml",
    "sql": ".sqlfluff .sqlfluffignore",
    "terraform": ".tflint.hcl",
    "prose": ".markdownlint* .vale.ini .codespellrc typos.toml _typos.toml .typos.toml",
    "yamllint": ".yamllint .yamllint.yaml .yamllint.yml",
    "editorconfig": ".editorconfig",
    # What starts the others
    "make": "Makefile makefile GNUmakefile BSDmakefile *.mk *.mak Makefile.inc",
    "cargo-make": "Makefile.toml",
    "just": "justfile Justfile JUSTFILE .justfile *.just",
    "task": "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.y*ml",
    "mise": "mise.toml .mise.toml **/.mise/ **/mise/config.toml",
    "earthly": "Earthfile",
    "pre-commit": ".pre-commit-config.yaml .pre-commit-hooks.yaml",
    "git hooks": ".husky/ .githooks/ lefthook.yml lefthook.yaml .lefthook.yml .lintstagedrc* lint-staged.config.*",
    "commitlint": ".commitlintrc* commitlint.config.*",
    "compose for tests": "docker-compose.test*.y*ml docker-compose.ci*.y*ml compose.test*.y*ml compose.ci*.y*ml",
    # Where they run
    "github": "**/.github/workflows/ **/.github/actions/",
    "forgejo": "**/.forgejo/workflows/ **/.gitea/workflows/",
    "gitlab": ".gitlab-ci.yml .gitlab-ci.yaml **/.gitlab/ci/",
    "circleci": ".circleci/",
    "buildkite": ".buildkite/",
    "other ci": ".travis.yml appveyor.yml .appveyor.yml bitbucket-pipelines.yml .drone.yml .cirrus.yml .woodpecker.yml"
    " .woodpecker/ .semaphore/ .teamcity/ .ci/ cloudbuild.yaml cloudbuild.yml buildspec.yml Jenkinsfile Jenkinsfile.*",
    "azure": "azure-pipelines*.yml azure-pipelines*.yaml .azure-pipelines/",
    "coverage services": "codecov.yml .codecov.yml codecov.yaml .coveralls.yml sonar-project.properties",
    "git": ".gitattributes",
    "environment": ".envrc .env.test .env.testing .env.ci",
    "versions": ".python-version .node-version .nvmrc .ruby-version .tool-versions",
    "ralph": "/.ralph/settings*.json /.ralph/config.yaml",
}
"""The judging files, by runner or tool."""

TESTS: Mapping[str, str] = {
    "folders": "test/ tests/ Test/ Tests/ __tests__/ e2e/ cypress/ unittests/ unit_tests/ unit-tests/"
    " integration_test/ integration_tests/ integration-tests/ functional_tests/ functional-tests/ testthat/"
    " androidTest/ integrationTest/ functionalTest/ testFixtures/ *Tests/ *.Test/ *.Specs/"
    " **/features/step_definitions/ **/features/support/",
    "what tests need": "testdata/ test-data/ test_data/ testutil/ testutils/ test_utils/ test-utils/ test_helpers/"
    " test-helpers/ testhelpers/ test_support/ test-support/ fixtures/ __fixtures__/ __mocks__/",
    "what tests expect": "__snapshots__/ *-snapshots/ golden/ goldens/ *.snap *.ambr *.golden *.approved.*",
    "spec folders": "**/spec/**/*.rb **/spec/**/*.[jt]s **/spec/**/*.[jt]sx **/spec/**/*.[cm][jt]s **/spec/**/*.coffee"
    " **/spec/**/*.lua **/spec/**/*.cr **/spec/**/*.php **/spec/support/ **/spec/factories/ **/spec/data/",
    "python": "test_*.py *_test.py *_tests.py test.py tests.py",
    "javascript": "*[._-]test.[jt]s *[._-]test.[jt]sx *[._-]test.[cm][jt]s *[._-]spec.[jt]s *[._-]spec.[jt]sx"
    " *[._-]spec.[cm][jt]s *.test-d.ts *.cy.[jt]s *.cy.[jt]sx *.e2e.[jt]s",
    "go": "*_test.go",
    "rust": "*_test.rs *_tests.rs tests.rs",
    "ruby": "*_spec.rb *_test.rb test_*.rb",
    "crystal": "*_spec.cr",
    "php": "*Test.php *Cest.php *Cept.php",
    "java": "*Test.java *Tests.java *TestCase.java *[a-z0-9]IT.java Test[A-Z]*.java",
    "kotlin": "*Test.kt *Tests.kt",
    "scala": "*Test.scala *Tests.scala *Spec.scala *Suite.scala",
    "groovy": "*Test.groovy *Spec.groovy",
    ".net": "*Test.cs *Tests.cs *Tests.fs *Tests.vb",
    "swift": "*Tests.swift",
    "c": "*_test.c *_test.cc *_test.cpp *_test.cxx *_tests.c *_tests.cc *_tests.cpp *_unittest.cc *_unittest.cpp"
    " *_unittest.c test_*.c test_*.cc test_*.cpp",
    "dart": "*_test.dart",
    "elixir": "*_test.exs",
    "erlang": "*_SUITE.erl *_tests.erl",
    "clojure": "*_test.clj *_test.cljs *_test.cljc",
    "haskell": "*Spec.hs",
    "lua": "*_spec.lua",
    "perl": "*.t",
    "solidity": "*.t.sol",
    "terraform": "*.tftest.hcl",
    "shell": "*.bats *_test.sh test_*.sh *_spec.sh",
    "prose": "*.feature *.robot",
}
"""The test files and folders, and what tests read, by language."""
TEST_FOLDERS = ("folders", "what tests need", "what tests expect", "spec folders")
"""The rows that are not about a file's own name."""

SHARED: Mapping[str, str] = {
    "pyproject.toml": "tool.pytest tool.pytest-enabler tool.coverage tool.ruff tool.mypy tool.pylint tool.flake8"
    " tool.black tool.isort tool.tox tool.nox tool.pyright tool.basedpyright tool.ty tool.pyrefly tool.pyre tool.pytype"
    " tool.pydocstyle tool.pycodestyle tool.autopep8 tool.yapf tool.docformatter tool.bandit tool.vulture tool.refurb"
    " tool.interrogate tool.codespell tool.typos tool.importlinter tool.deptry tool.djlint tool.sqlfluff tool.fixit"
    " tool.check-manifest tool.cibuildwheel tool.mutmut tool.robot tool.behave tool.hatch.envs tool.pdm.scripts"
    " tool.rye.scripts tool.pixi.tasks tool.poe tool.taskipy project.entry-points.pytest11",
    "setup.cfg": "DEFAULT tool:* pytest flake8 flake8:* coverage:* mypy mypy-* mypy.* pylint pylint.* isort yapf"
    " pycodestyle pep8 pydocstyle bandit doc8 codespell autopep8 check-manifest interrogate importlinter importlinter:*"
    " aliases unittest nosetests green tox tox:* testenv testenv:* behave options.entry_points/pytest11",
    "Cargo.toml": "lints workspace.lints patch replace test profile.test package.autotests lib.test lib.doctest"
    " lib.harness",
    "go.mod": "replace",
    "package.json": "scripts imports config jest jest-junit vitest mocha ava nyc c8 tap jasmine karma cypress tsd"
    " wireit nx eslintConfig eslintIgnore xo standard prettier stylelint babel ts-node lint-staged husky commitlint"
    " size-limit",
    "composer.json": "scripts",
    "deno.json": "tasks test lint fmt bench",
    "deno.jsonc": "tasks test lint fmt bench",
    "Pipfile": "scripts",
    "pixi.toml": "tasks",
}
"""The judging sections of files that also belong to the product, by file name."""

SECTIONS_OF_TOOLS: Mapping[str, str] = {"setup.cfg": "", "pyproject.toml": "tool.", "package.json": ""}
"""The files in which a project's scripts keep their own settings, with the prefix of a tool's name."""
PRODUCT_SECTIONS = (
    "metadata options build_ext bdist_wheel sdist egg_info install develop upload poetry uv setuptools setuptools_scm"
    " hatch flit pdm maturin scikit-build meson-python name version description keywords homepage bugs license author"
    " contributors funding files main module browser bin man directories repository dependencies devDependencies"
    " peerDependencies peerDependenciesMeta bundleDependencies optionalDependencies overrides resolutions engines os"
    " cpu private publishConfig workspaces type types typings exports sideEffects browserslist packageManager"
)
"""The sections of those files that a script may read because it judges the product by them."""

VENDORED = PathGlobs(["node_modules/", "vendor/", "third_party/", "site-packages/", "bower_components/"])
"""Code that others wrote and a project copied: a dependency belongs to the change that adds it."""
PRODUCT = PathGlobs(["**/src/main/"])
"""The folders where Maven and Gradle keep non-test code, whatever its name."""
COPIED_PROGRAMS = PathGlobs(["**/node_modules/.bin/", "**/vendor/bin/"])

_IS_JUDGE = PathGlobs(" ".join(JUDGES.values()).split())
_IS_TEST = PathGlobs(" ".join(TESTS.values()).split())
_IS_TEST_MODULE = PathGlobs(" ".join(names for row, names in TESTS.items() if row not in TEST_FOLDERS).split())


def is_judge(path: str) -> bool:
    """Whether the whole file decides, by its name and folder."""
    return COPIED_PROGRAMS(path) if VENDORED(path) else _IS_JUDGE(path)


def is_test(path: str) -> bool:
    """Whether this is a test, or something that a test needs or expects, by its name and folder."""
    return _IS_TEST(path) and not VENDORED(path) and not PRODUCT(path)


def is_test_module(path: str) -> bool:
    """Whether this is a file of tests by its own name, wherever it is."""
    return _IS_TEST_MODULE(path) and not VENDORED(path) and not PRODUCT(path)


def is_shared(path: str) -> bool:
    """Whether only some sections of this file decide."""
    return path.rpartition("/")[2] in SHARED and not VENDORED(path)
