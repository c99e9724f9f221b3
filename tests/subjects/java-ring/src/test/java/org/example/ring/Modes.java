package org.example.ring;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Every mode, fixtures of each iteration, arguments of the JVM, and no fork at all. */
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class Modes {
    private long seed = 42;

    @Setup(Level.Iteration)
    public void reset() {
        seed = 42;
    }

    @Benchmark
    @BenchmarkMode(Mode.Throughput)
    public long throughput() {
        return seed = Work.micros(seed);
    }

    @Benchmark
    @BenchmarkMode(Mode.SampleTime)
    public long sample() {
        return seed = Work.micros(seed);
    }

    @Benchmark
    @BenchmarkMode(Mode.SingleShotTime)
    @Measurement(iterations = 3, batchSize = 100)
    public long single() {
        return seed = Work.micros(seed);
    }

    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @Fork(value = 1, jvmArgs = {"-Xmx111m", "-Dring.wanted=yes"})
    public long arguments() {
        if (!"yes".equals(System.getProperty("ring.wanted"))) {
            throw new IllegalStateException("the author's JVM arguments were lost");
        }
        return seed = Work.micros(seed);
    }

    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @Fork(0)
    public long unforked() {
        return seed = Work.micros(seed);
    }
}
