// Package broken has tests that do not compile.
package broken
