"""The agent fixes the bug and turns a test into a table of cases."""

from honesty.kit import GO, Control, Tree

OLD = """\
	if got := Total([]int{2, 3}); got != 5 {
		t.Fatalf("Total is %d", got)
	}
"""
TABLE = """\
	cases := map[string]struct {
		prices []int
		want   int
	}{
		"none": {nil, 0},
		"two":  {[]int{2, 3}, 5},
	}
	for name, each := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Total(each.prices); got != each.want {
				t.Errorf("Total is %d, not %d", got, each.want)
			}
		})
	}
"""


def agent(tree: Tree) -> None:
    tree.fix()
    tree.replace("shop_test.go", OLD, TABLE)


BEHAVIOUR = Control(start=GO, agent=agent)
