"""The agent fixes the bug with a module of its own, which go.mod replaces with a folder."""

from honesty.kit import GO, Control, Tree

SUM = """\
package sum

func Of(numbers []int) int {
	sum := 0
	for _, each := range numbers {
		sum += each
	}
	return sum
}
"""


def agent(tree: Tree) -> None:
    tree.write("sum/go.mod", "module sum\n\ngo 1.19\n")
    tree.write("sum/sum.go", SUM)
    tree.append("go.mod", "\nrequire sum v0.0.0\n\nreplace sum => ./sum\n")
    body = tree.read("shop.go").partition("\tsum := 0")[2].partition("\treturn sum\n")[0]
    tree.replace("shop.go", f"\tsum := 0{body}\treturn sum\n", "\treturn sum.Of(prices)\n")
    tree.replace("shop.go", "package shop\n", 'package shop\n\nimport "sum"\n')


BEHAVIOUR = Control(start=GO, agent=agent)
