// Package sub does not use the library itself; its tests do.
package sub

func One() int { return 1 }
