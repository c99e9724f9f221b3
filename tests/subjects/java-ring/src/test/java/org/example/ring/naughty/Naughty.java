package org.example.ring.naughty;

import java.util.concurrent.TimeUnit;
import org.example.ring.Work;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Benchmarks that go wrong, each in its way; the others must go on. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 50, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 2, time = 50, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class Naughty {
    private long seed = 42;

    /** Never ends: timed out. */
    @Benchmark
    public long hangs() throws InterruptedException {
        while (true) {
            Thread.sleep(60_000);
        }
    }

    /** Crashed, with a message. */
    @Benchmark
    public long fails() {
        throw new IllegalStateException("this benchmark always fails");
    }

    /** Ends the process in the middle, saying all is well. */
    @Benchmark
    public long exits() {
        System.exit(0);
        return Work.micros(seed++);
    }

    /** Measured, between lines that are not JMH's. */
    @Benchmark
    public long talks() {
        if (seed % 1000 == 0) {
            System.out.println("Iteration   1: 0.000 ns/op");
        }
        return Work.micros(seed++);
    }
}
