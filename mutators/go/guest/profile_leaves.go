package zz_bench_audit_guest

import (
	"bytes"
	"compress/gzip"
	"io"
	"runtime"
	"strconv"
	"strings"
	"unsafe"
)

// A sample has the address of the instruction that would run next. The one before it is what the
// processor has waited for, which may belong to another inlined function.

// field is a field of a protocol buffer: a number, or the bytes of a message.
type field struct {
	number uint64
	value  uint64
	bytes  []byte
}

// fields parts a message; what follows damage is left out.
func fields(data []byte) []field {
	var found []field
	for len(data) > 0 {
		key, rest := varint(data)
		value, rest := varint(rest)
		one := field{number: key >> 3, value: value}
		if key&7 == 2 {
			if value > uint64(len(rest)) {
				return found
			}
			one.bytes, rest = rest[:value], rest[value:]
		} else if key&7 != 0 {
			return found
		}
		found, data = append(found, one), rest
	}
	return found
}

func varint(data []byte) (uint64, []byte) {
	var value uint64
	for at, one := range data {
		if at == 10 {
			break
		}
		value |= uint64(one&0x7f) << (7 * uint(at))
		if one < 0x80 {
			return value, data[at+1:]
		}
	}
	return value, nil
}

// leafLines says of each sampled address to which functions the instruction before it belongs,
// the innermost first.
func leafLines(profile []byte) string {
	unpacked, err := gzip.NewReader(bytes.NewReader(profile))
	if err != nil {
		return ""
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		return ""
	}
	addresses, leaves := map[uint64]uint64{}, map[uint64]bool{}
	for _, one := range fields(data) {
		switch one.number {
		case 2: // a sample: the first location is the innermost
			for _, inner := range fields(one.bytes) {
				if inner.number == 1 {
					leaf := inner.value
					if inner.bytes != nil {
						leaf, _ = varint(inner.bytes)
					}
					leaves[leaf] = true
					break
				}
			}
		case 4: // a location
			var id, address uint64
			for _, inner := range fields(one.bytes) {
				switch inner.number {
				case 1:
					id = inner.value
				case 3:
					address = inner.value
				}
			}
			addresses[id] = address
		}
	}
	var lines strings.Builder
	for leaf := range leaves {
		address := addresses[leaf]
		f := runtime.FuncForPC(uintptr(address))
		if f == nil {
			continue
		}
		if f.Entry() == uintptr(address) { // the call has run before it, which is the caller's
			lines.WriteString("leaf\t" + strconv.FormatUint(address, 10) + "\n")
			continue
		}
		around := inlined(uintptr(address))
		if len(around) == 0 {
			continue
		}
		for _, frame := range append(returned(uintptr(address)), around...) {
			lines.WriteString(strings.Join([]string{
				"leaf", strconv.FormatUint(address, 10), frame.Function, frame.File, strconv.Itoa(frame.Line),
			}, "\t") + "\n")
		}
	}
	return lines.String()
}

// callSize is the size of a call of amd64 with a distance of 32 bits; its first byte is callCode.
const (
	callSize = 5
	callCode = 0xe8
)

// returned returns the function that has returned right before pc, if the instruction before it is
// a call that names one: what has run last is that function's end.
func returned(pc uintptr) []runtime.Frame {
	if runtime.GOARCH != "amd64" {
		return nil
	}
	code := (*[callSize]byte)(unsafe.Pointer(pc - callSize))
	if code[0] != callCode {
		return nil
	}
	distance := int32(uint32(code[1]) | uint32(code[2])<<8 | uint32(code[3])<<16 | uint32(code[4])<<24)
	target := pc + uintptr(distance)
	f := runtime.FuncForPC(target)
	if f == nil || f.Entry() != target {
		return nil
	}
	file, line := f.FileLine(target)
	return []runtime.Frame{{Function: f.Name(), File: file, Line: line}}
}

// inlined returns the functions to which the instruction before pc belongs, the innermost first; none
// where the runtime does not tell all. It looks for the outer ones if another caller follows.
func inlined(pc uintptr) []runtime.Frame {
	var found []runtime.Frame
	frames := runtime.CallersFrames([]uintptr{pc, 1})
	for {
		frame, more := frames.Next()
		if frame.Function != "" {
			found = append(found, frame)
		}
		if !more {
			break
		}
	}
	if len(found) == 0 {
		return nil
	}
	last := found[len(found)-1]
	if f := runtime.FuncForPC(last.Entry); f == nil || f.Name() != last.Function {
		return nil
	}
	return found
}
