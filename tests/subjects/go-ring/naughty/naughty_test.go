package naughty

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"
)

var sink int

func run(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Touch(sink)
	}
}

func BenchmarkWell(b *testing.B) { run(b) }

func BenchmarkHangs(b *testing.B) {
	b.Run("not", run)
	b.Run("really", func(b *testing.B) { time.Sleep(time.Hour) })
}

func BenchmarkFails(b *testing.B) { b.Fatal("as it must") }

func BenchmarkFailsLater(b *testing.B) {
	run(b)
	if b.N > 1 {
		b.Error("with more operations")
	}
}

func BenchmarkSkips(b *testing.B) { b.Skip("not here") }

func BenchmarkSkipsLater(b *testing.B) {
	if b.N > 1 {
		b.Skip("not now")
	}
}

func BenchmarkExits(b *testing.B) { os.Exit(0) }

func BenchmarkExitsLater(b *testing.B) {
	run(b)
	if b.N > 1 {
		os.Exit(0)
	}
}

func BenchmarkHangsLater(b *testing.B) {
	if b.N > 1 {
		time.Sleep(time.Hour)
	}
}

func BenchmarkPanicsLater(b *testing.B) {
	if b.N > 1 {
		panic("with more operations")
	}
}

func BenchmarkPrints(b *testing.B) {
	run(b)
	fmt.Print("half a line, \xff\xfe, BenchmarkWell-2 \t 7\t 1.0 ns/op, ")
	fmt.Println("--- FAIL: BenchmarkPrints")
	fmt.Print("BenchmarkPrints")
}

func BenchmarkFloods(b *testing.B) {
	run(b)
	if b.N > 1 {
		line := bytes.Repeat([]byte("x"), 1<<20)
		for i := 0; i < 20; i++ {
			os.Stdout.Write(line)
		}
	}
}

func BenchmarkNoTime(b *testing.B) {
	run(b)
	b.ReportMetric(0, "ns/op")
}
