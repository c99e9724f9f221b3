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

// crash ends the process for certain: the framework can be through with its work, and end the
// process well, before a panic of the benchmark's own goroutine does.
func crash(why string) {
	go panic(why)
	select {}
}

func BenchmarkWell(b *testing.B) { run(b) }

func BenchmarkHangs(b *testing.B) {
	b.Run("not", run)
	b.Run("really", func(b *testing.B) { time.Sleep(time.Hour) })
}

// BenchmarkFamily has children that end their process, and good ones after them.
func BenchmarkFamily(b *testing.B) {
	b.Run("first", run)
	b.Run("fails", func(b *testing.B) { b.Fatal("as it must") })
	b.Run("panics", func(b *testing.B) { panic("in the family") })
	b.Run("second", run)
	b.Run("nested", func(b *testing.B) {
		b.Run("exits|(", func(b *testing.B) { os.Exit(3) })
		b.Run("third", run)
		crash("between")
	})
	b.Run("last", run)
}

// BenchmarkBreaks ends its process when its only child is done.
func BenchmarkBreaks(b *testing.B) {
	b.Run("before", run)
	crash("behind")
}

// BenchmarkDrowns has a child whose output hides the marks of others.
func BenchmarkDrowns(b *testing.B) {
	b.Run("first", run)
	flood := func(b *testing.B) { os.Stdout.Write(bytes.Repeat([]byte("x"), 6<<20)) }
	b.Run("flood", flood)
	b.Run("middle", run)
	b.Run("flood", flood)
	b.Run("last", run)
}

// BenchmarkHopeless has more children that end their process than anybody wants to wait for.
func BenchmarkHopeless(b *testing.B) {
	for i := 0; i < 30; i++ {
		b.Run(fmt.Sprint(i), func(b *testing.B) { panic("again") })
	}
}

// BenchmarkTwins has children of which each needs the other.
func BenchmarkTwins(b *testing.B) {
	ran := map[string]bool{}
	for _, name := range []string{"first", "second"} {
		b.Run(name, func(b *testing.B) { ran[name] = true; run(b) })
	}
	if len(ran) < 2 {
		b.Fatal("one of them alone")
	}
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

var turns int

// BenchmarkSlower takes ever longer.
func BenchmarkSlower(b *testing.B) {
	if b.N > 50 {
		turns++
		time.Sleep(time.Duration(turns) * time.Second)
	}
	run(b)
}

func BenchmarkPanicsLater(b *testing.B) {
	if b.N > 1 {
		crash("with more operations")
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
