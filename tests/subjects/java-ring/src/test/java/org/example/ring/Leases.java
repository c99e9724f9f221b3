package org.example.ring;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** An operation that goes on until it was in time, and one that ends by an exception. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class Leases {
    private long seed = 42;

    /**
     * Renews four times in a row in time; who is late once starts again. What is in time is measured
     * before and after, so a slow machine is not late, and a slower `renew` always is.
     */
    @Benchmark
    public long four() {
        for (int renewed = 0; renewed < 4; renewed++) {
            long before = own();
            long began = System.nanoTime();
            seed = Work.renew(seed);
            long took = System.nanoTime() - began;
            long after = own();
            if (took * 10 > before * 13 && took * 10 > after * 13) {
                renewed = -1;
            }
        }
        return seed;
    }

    private long own() {
        long began = System.nanoTime();
        seed = Work.turns(seed, 54_000);
        return System.nanoTime() - began;
    }

    @Benchmark
    public long refused() {
        try {
            return seed = Work.refuse(seed);
        } catch (Work.Late late) {
            return seed = late.value;
        }
    }
}
