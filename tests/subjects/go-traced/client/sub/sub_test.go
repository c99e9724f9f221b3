package sub_test

import (
	"testing"

	"example.org/beads"
	"example.org/jeweller/sub"
)

func TestOne(t *testing.T) {
	if beads.Double(sub.One()) != 2 {
		t.Fail()
	}
}
