package org.example.ring;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Two threads, and a group of two kinds of them. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class Threads {
    private final Shared shared = new Shared();

    @Benchmark
    @org.openjdk.jmh.annotations.Threads(2)
    public long two() {
        return shared.add(1);
    }

    @Benchmark
    @Group("group")
    @GroupThreads(1)
    public long writer() {
        return shared.add(2);
    }

    @Benchmark
    @Group("group")
    @GroupThreads(1)
    public long reader() {
        return shared.get(3);
    }
}
