// Package zz_bench_audit_calls counts the calls of a library's methods in the tests of a client.
//
// The client's files call it around the calls that they make. The counts live in the file that
// BENCH_AUDIT_COUNTERS names, so that they outlive the process however that ends, and all
// processes of a test add to the same ones.
package zz_bench_audit_calls

import (
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// counts holds for each method its direct calls, then its indirect ones.
var (
	counts = make([]int64, 2*len(methods)+1)
	known  sync.Map // of reflect.Type: the methods of the library's types by name, or nil
)

func init() {
	file, err := os.OpenFile(os.Getenv("BENCH_AUDIT_COUNTERS"), os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer file.Close()
	size := 16 * len(methods)
	data, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err == nil {
		counts = (*[1 << 26]int64)(unsafe.Pointer(&data[0]))[: 2*len(methods) : 2*len(methods)]
	}
}

// F counts a call of a function that is about to be made.
func F[T any](method int, function T) T {
	atomic.AddInt64(&counts[2*method], 1)
	return function
}

// V counts a call of a method of this value.
func V[T any](method int, value T) T {
	atomic.AddInt64(&counts[2*method], 1)
	return value
}

// I counts a call through an interface, if what the value holds is of the library.
func I[T any](name string, value T) T {
	held := reflect.TypeOf(value)
	found, ok := known.Load(held)
	if !ok {
		found, _ = known.LoadOrStore(held, named(held))
	}
	if method, ok := found.(map[string]int)[name]; ok {
		atomic.AddInt64(&counts[2*method+1], 1)
	}
	return value
}

func named(held reflect.Type) map[string]int {
	if held == nil {
		return nil
	}
	if held.Kind() == reflect.Ptr {
		held = held.Elem()
	}
	name, _, _ := strings.Cut(held.Name(), "[")
	return types[held.PkgPath()+"."+name]
}

// R returns a function that counts its calls: what it stands for is handed around as a value.
func R[T any](method int, function T) T {
	value := reflect.ValueOf(function)
	if value.Kind() != reflect.Func || value.IsNil() {
		return function
	}
	variadic := value.Type().IsVariadic()
	made := reflect.MakeFunc(value.Type(), func(arguments []reflect.Value) []reflect.Value {
		atomic.AddInt64(&counts[2*method+1], 1)
		if variadic {
			return value.CallSlice(arguments)
		}
		return value.Call(arguments)
	})
	return made.Interface().(T)
}
