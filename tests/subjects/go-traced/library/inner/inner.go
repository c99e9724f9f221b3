// Package inner is another package of the library.
package inner

import "example.org/beads"

func Both(x int) int { return beads.Double(x) + beads.Double(x) }
