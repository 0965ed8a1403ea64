"""What a source file offers, in each of the five languages that are parsed."""

import pytest

from ralph.plan.outlines import FileOutline, SourceText, outline_of


def outline(path, text, *, is_test=False):
    content = text if isinstance(text, bytes) else text.encode()
    return outline_of(SourceText(path, content, is_test))


PYTHON = '''
"""A module."""
import os
from typing import TypeAlias

__version__ = "1"
LIMIT = 3
app = make_app()
first = second = None
_hidden = 1
Pair: TypeAlias = tuple[int, int]
type Triple[T] = tuple[T, T, T]

def run(): ...
async def stop(): ...
def _private(): ...

@dataclass
class User:
    def method(self): ...

class _Internal: ...

if os.name == "nt":
    def only_there(): ...
else:
    try:
        import fast
    except ImportError:
        class Slow: ...
'''


def test_python_offers_its_public_names():
    found = outline("shop/user.py", PYTHON)
    assert found.types == ("Pair", "Triple", "User", "Slow")
    assert found.exports == ("app", "first", "second", "Pair", "Triple", "run", "stop", "User", "only_there", "Slow")
    assert (found.components, found.tests) == ((), ())


def test_python_offers_what_all_lists_and_nothing_else():
    found = outline("a.py", "__all__ = ['run', 'LIMIT']\n__all__ += ('User',)\nclass User: ...\nclass Other: ...\n")
    assert found == FileOutline(types=("User",), exports=("run", "LIMIT", "User"))
    assert outline("a.py", "__all__ = names()\nclass User: ...\n").exports == ("User",)


def test_a_python_package_offers_what_it_takes_over_from_its_modules():
    text = "from .user import User, load as load_user, _hidden\nfrom .all import *\nfrom os import path\n"
    assert outline("shop/__init__.py", text).exports == ("User", "load_user")
    assert outline("shop/other.py", text).exports == ()


def test_tests_of_python():
    text = """
def test_a(): ...
def helper(): ...
class TestB:
    @mark
    def test_c(self): ...
    class TestD:
        async def test_e(self): ...
"""
    assert outline("tests/test_a.py", text, is_test=True) == FileOutline(
        tests=("test_a", "TestB::test_c", "TestB::TestD::test_e")
    )
    assert outline("a.py", text).tests == ()


TYPESCRIPT = """
import { x } from "./x";
export default class Store {}
export const LIMIT = 1, load = () => 2;
export const { a, b: c } = x;
export { d, e as f } from "./y";
export * from "./z";
export * as all from "./w";
export interface User { name: string }
export type Id = string;
export enum Color { Red }
export abstract class Base {}
export declare function ambient(): void;
export async function save() {}
export function* each() {}
export namespace Names {}
interface Hidden {}
function hidden() {}
"""


def test_typescript_offers_what_it_exports():
    found = outline("src/store.ts", TYPESCRIPT)
    assert found.types == ("Store", "User", "Id", "Color", "Base")
    assert found.exports == (
        *("Store", "LIMIT", "load", "a", "c", "d", "f", "all", "User", "Id", "Color", "Base", "ambient", "save"),
        *("each", "Names"),
    )
    assert found.components == ()


def test_a_default_without_a_name_is_called_default():
    assert outline("a.js", "export default () => 1;").exports == ("default",)
    assert outline("a.js", "export default name;").exports == ("name",)


@pytest.mark.parametrize(
    ("text", "exports"),
    [
        ("module.exports = { a, b: 1, 'c': 2, d() {}, ...e };", ("a", "b", "c", "d")),
        ("module.exports.f = 3;\nexports.g = 4;", ("f", "g")),
        ("module.exports = Store;", ("Store",)),
        ("module.exports = class Store {};", ("Store",)),
        ("module.exports = function () {};", ("default",)),
        ("module.exports = require('./x');", ()),
        ("other.exports = 1; x = 2;", ()),
    ],
)
def test_common_js_offers_what_it_assigns(text, exports):
    assert outline("a.js", text).exports == exports


def test_components_are_what_draws_something():
    text = """
export default function App() { return <main/>; }
export const Button = ({ label }) => <button>{label}</button>;
const Inner = memo(() => <i/>);
class Old extends React.Component { render() { return <p>old</p>; } }
export const useThing = () => 1;
export const lower = () => <b/>;
export const ICON = <svg/>;
export function Plain() { return 1; }
"""
    assert outline("src/app.tsx", text).components == ("App", "Button", "Inner", "Old")
    assert outline("src/app.jsx", text).components == ("App", "Button", "Inner", "Old")
    assert outline("src/app.ts", "export const a = <T>(x: T) => x;").components == ()


def test_a_component_without_a_name_is_called_like_its_file():
    assert outline("src/Header.tsx", "export default () => <h1/>;").components == ("Header",)
    assert outline("src/Header/index.tsx", "export default () => <h1/>;").components == ("Header",)
    assert outline("src/lower.tsx", "export default () => <h1/>;").components == ()


def test_components_of_other_frameworks():
    angular = "@Component({ selector: 'x' })\nexport class CartComponent {}\n@Injectable()\nexport class Api {}\n"
    assert outline("cart.component.ts", angular).components == ("CartComponent",)
    for path in ("src/Cart.vue", "src/Cart.svelte", "src/Cart.astro"):
        assert outline(path, "<template/>") == FileOutline(components=("Cart",), exports=("Cart",))


def test_tests_of_javascript():
    text = """
describe("cart", () => {
  describe('total', () => { it(`adds up`, () => {}); });
  it.skip("is empty", () => {});
  test.each([1, 2])("takes %s", () => {});
});
test("alone", () => {});
Deno.test("deno", () => {});
it(name, () => {});
other("no test", () => {});
"""
    found = ("cart > total > adds up", "cart > is empty", "cart > takes %s", "alone", "deno")
    assert outline("cart.test.ts", text, is_test=True) == FileOutline(tests=found)
    assert outline("cart.ts", text).tests == ()


def test_go_offers_what_begins_with_a_capital():
    text = """package cart
import "fmt"
const Limit, small = 1, 2
const (
	A = iota
	b
)
var ( Global int
  local int )
type Cart struct{}
type ( Item interface{}; hidden int )
type Alias = Cart
func New() *Cart { return nil }
func (c *Cart) Add() {}
func helper() {}
"""
    found = outline("cart/cart.go", text)
    assert found.types == ("Cart", "Item", "Alias")
    assert found.exports == ("Limit", "A", "Global", "Cart", "Item", "Alias", "New")


def test_tests_of_go():
    text = "package cart\nfunc TestAdd(t *testing.T) {}\nfunc BenchmarkAdd(b *testing.B) {}\nfunc Helper() {}\n"
    assert outline("cart/cart_test.go", text, is_test=True).tests == ("TestAdd", "BenchmarkAdd")


def test_rust_offers_what_is_public_and_has_tests_beside_it():
    text = """
//! A crate.
pub mod deep;
mod hidden;
pub use deep::{Thing, other as renamed, more::*};
pub(crate) struct Cart<T> { items: Vec<T> }
#[derive(Debug)]
pub enum Kind { A }
pub trait Price {}
pub type Cents = u64;
pub const LIMIT: u8 = 1;
pub async fn total() {}
fn helper() {}
#[macro_export]
macro_rules! cart { () => {} }
macro_rules! secret { () => {} }
impl<T> Cart<T> { pub fn new() {} }
#[cfg(test)]
mod tests {
    use super::*;
    /// Adds.
    #[test]
    fn adds() {}
    #[tokio::test]
    async fn waits() {}
    fn helper() {}
}
"""
    found = outline("src/lib.rs", text)
    assert found.types == ("Cart", "Kind", "Price", "Cents")
    assert found.exports == (*("deep", "Thing", "renamed", "Cart", "Kind", "Price", "Cents", "LIMIT", "total", "cart"),)
    assert found.tests == ("tests::adds", "tests::waits")


@pytest.mark.parametrize("path", ["a.rb", "Makefile", "a.unknown", "a"])
def test_other_languages_are_not_parsed(path):
    assert outline(path, "def run; end\nclass A; end\n") == FileOutline()


@pytest.mark.parametrize(
    "head",
    [
        b"// Code generated by protoc-gen-go. DO NOT EDIT.\n",
        b"# This file was automatically generated by make.\n",
        b"/** @generated */\n",
        b"GIF89a\0\0\0",
    ],
)
def test_what_a_program_wrote_and_what_is_no_text_is_not_read(head):
    assert outline("a.py", head + b"def run(): ...\n") == FileOutline()


def test_a_file_that_speaks_of_generating_is_read_all_the_same():
    assert outline("a.py", '"""Generates reports."""\ndef generated(): ...\n').exports == ("generated",)


@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.tsx", "a.js", "a.go", "a.rs"])
@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff\xfe\x00\x80 def f(\xc3\x28): pass\nclass \xf0\x28 {}",
        b"def f(:\n class { export ]]] func (",
        b"export default " * 500,
        b"(" * 5_000,
        b"{" * 5_000 + b"}" * 5_000,
        b"class A { " * 500,
        b"if x:\n" + b"".join(b" " * depth + b"if x:\n" for depth in range(1, 400)),
        b"<a>" * 500,
        b"const A = <b/>;\n" * 1_000,
        b"describe('a', () => {" * 1_000,
        b"def test_x(): pass\n" * 500,
        b'"' * 2_000,
        b"#[test]\n" * 1_000,
    ],
    ids=range(14),
)
def test_no_text_breaks_a_reader(path, text):
    for is_test in (False, True):
        found = outline(path, text, is_test=is_test)
        assert all(len(names) <= 500 for names in (found.types, found.exports, found.components, found.tests))


def test_names_are_names_and_titles_one_line():
    assert outline("a.ts", "export { a as 'not a name' };").exports == ()
    found = outline("a.test.ts", "it('a\\n\tb\x1b[31m', f); it('" + "x" * 999 + "', f)", is_test=True)
    assert found.tests[0] == r"a\n b [31m"
    assert len(found.tests[1]) == 200
