package ring

// Native is written in assembly.
func Native(x uint64) uint64
