package org.example;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Operations whose parts take known shares of the time: the result of one goes into the next. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
public class Sampled {
    private long hash = 5;

    @Benchmark
    public long threeQuarters() {
        return hash = Parts.rest(Parts.inlined(hash), 50);
    }

    @Benchmark
    public long twoFifths() {
        return hash = Parts.rest(kept(hash), 225);
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    private static long kept(long seed) {
        return Parts.called(seed);
    }

    @Benchmark
    public long dropped() {
        Parts.unused(hash);
        return hash = Parts.rest(hash, 150);
    }

    private final Integer[] items = new Integer[512];

    {
        java.util.Arrays.setAll(items, at -> at);
    }

    @Benchmark
    public Integer greatest() {
        return Parts.greatest(items, 0);
    }
}
