package zz_bench_audit_guest

import (
	"bytes"
	"compress/gzip"
	"io"
	"runtime"
	"strconv"
	"strings"
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
		if f == nil || f.Entry() == uintptr(address) {
			continue // nothing of this function has run before it
		}
		for _, frame := range inlined(uintptr(address)) {
			lines.WriteString(strings.Join([]string{
				"leaf", strconv.FormatUint(address, 10), frame.Function, frame.File, strconv.Itoa(frame.Line),
			}, "\t") + "\n")
		}
	}
	return lines.String()
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
