//go:build !amd64 && !arm64
// +build !amd64,!arm64

package zz_bench_audit_guest

import "runtime"

// self is the number in the first line of the goroutine's stack. That takes a microsecond.
func self() uintptr {
	var line [64]byte
	number := uintptr(0)
	for _, digit := range line[len("goroutine "):runtime.Stack(line[:], false)] {
		if digit < '0' || digit > '9' {
			break
		}
		number = 10*number + uintptr(digit-'0')
	}
	return number
}
