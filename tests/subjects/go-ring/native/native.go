// Package native calls C.
package native

// static unsigned long long turn(int n, unsigned long long x) {
// 	for (; n > 0; n--) {
// 		x ^= x << 13;
// 		x ^= x >> 7;
// 		x ^= x << 17;
// 	}
// 	return x;
// }
import "C"

// Turn takes about 1 µs.
func Turn(x uint64) uint64 { return uint64(C.turn(500, C.ulonglong(x))) }
