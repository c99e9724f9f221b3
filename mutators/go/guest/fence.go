//go:build amd64 || arm64
// +build amd64 arm64

package zz_bench_audit_guest

// fence lets nothing behind it begin before all in front of it has ended. An atomic operation does
// so for memory only: a method that is arithmetic would run beside the clock's own.
func fence()
