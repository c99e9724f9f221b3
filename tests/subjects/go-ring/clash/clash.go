// Package clash has a method whose mutant does not compile.
package clash

// The name under which the guest of bench-audit is imported.
const zzBenchAudit = 1

// Invalid cannot be built with a delay.
func Invalid() int { return zzBenchAudit }
