package ring

// Height is that of a full tree; its type is declared in another file.
func (t *Tree) Height() int {
	if t == nil {
		return 0
	}
	return t.Left.Height() + 1
}
