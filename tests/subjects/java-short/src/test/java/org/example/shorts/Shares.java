package org.example.shorts;

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

/** A benchmark for each method, with its name. Of what takes 4 ns or less, eight calls are one operation. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class Shares {
    private final Mixers.Mixer[] mixers = {new Mixers.Heavy(), new Mixers.Light(), new Mixers.Other()};
    private final byte[] source = new byte[2048];
    private final byte[] target = new byte[2048];
    private final byte[] message = new byte[64];
    private final String text = "x".repeat(1023) + ".";
    private long x = 88172645463325252L;
    private int place = 1;
    private int size = 8;
    private double number = 1.5;

    @Benchmark
    public long inlined05Share90() {
        long y = x;
        for (int i = 0; i < 8; i++) {
            y = Work.inlined05Share90(Work.inlined05Share90(y));
            y = Work.inlined05Share90(Work.inlined05Share90(y));
        }
        return x = y;
    }

    @Benchmark
    public long inlined05Share25() {
        long y = x;
        for (int i = 0; i < 8; i++) {
            y = three(Work.inlined05Share25(y));
        }
        return x = y;
    }

    @Benchmark
    public long inlined05Share10() {
        long y = x;
        for (int i = 0; i < 8; i++) {
            y = Work.mix(Work.inlined05Share10(y), 4);
        }
        return x = y;
    }

    @Benchmark
    public long inlined2Share90() {
        long y = x;
        for (int i = 0; i < 8; i++) {
            y = Work.inlined2Share90(y);
        }
        return x = y;
    }

    @Benchmark
    public long inlined2Share10() {
        long y = x;
        for (int i = 0; i < 8; i++) {
            y = Work.mix(Work.inlined2Share10(y), 9);
        }
        return x = y;
    }

    @Benchmark
    public long inlined4Share75() {
        long y = x;
        for (int i = 0; i < 8; i++) {
            y = Work.mix(Work.inlined4Share75(y), 1);
        }
        return x = y;
    }

    @Benchmark
    public long inlined4Share40() {
        long y = x;
        for (int i = 0; i < 8; i++) {
            y = Work.mix(Work.inlined4Share40(y), 3);
        }
        return x = y;
    }

    @Benchmark
    public long inlined8Share60() {
        return x = Work.mix(Work.inlined8Share60(x), 4);
    }

    @Benchmark
    public long inlined30Share25() {
        return x = Work.mix(Work.inlined30Share25(x), 60);
    }

    @Benchmark
    public long called2Share25() {
        long y = x;
        for (int i = 0; i < 8; i++) {
            y = Work.mix(Work.called2Share25(y), 3);
        }
        return x = y;
    }

    @Benchmark
    public long called8Share75() {
        long y = x;
        for (int i = 0; i < 8; i++) {
            y = Work.mix(Work.called8Share75(y), 2);
        }
        return x = y;
    }

    @Benchmark
    public long called8Share40() {
        return x = Work.mix(Work.called8Share40(x), 9);
    }

    @Benchmark
    public long called30Share60() {
        return x = Work.mix(Work.called30Share60(x), 13);
    }

    @Benchmark
    public long generic8Share75() {
        return x = Work.mix(Work.generic8Share75(this::seed), 2);
    }

    @Benchmark
    public long mixers() {
        long y = x;
        for (Mixers.Mixer mixer : mixers) {
            y = mixer.step(y);
        }
        return x = y;
    }

    @Benchmark
    public long multiply8Share40() {
        return x = Work.multiply(Work.multiply8Share40(x), 9);
    }

    @Benchmark
    public double root20Share75() {
        return number = Work.root(Work.root20Share75(number), 1);
    }

    @Benchmark
    public int memory8Share60() {
        return place = Work.walk(Work.memory8Share60(place), 4);
    }

    @Benchmark
    public int memory30Share25() {
        return place = Work.walk(Work.memory30Share25(place), 60);
    }

    @Benchmark
    public long[] allocate30Share90() {
        return Work.allocate30Share90(size);
    }

    @Benchmark
    public long[] allocate30Share10() {
        x = Work.mix(x, 200);
        return Work.allocate30Share10(size);
    }

    @Benchmark
    public int index30Share90() {
        return Work.index30Share90(text);
    }

    @Benchmark
    public void copy30Share90() {
        Work.copy30Share90(source, target);
    }

    @Benchmark
    public void droppedChecksum() {
        Work.droppedChecksum(message);
    }

    @Benchmark
    public void droppedCall() {
        Work.droppedCall(x);
    }

    @Benchmark
    public void droppedBits() {
        Work.droppedBits(x);
    }

    @Benchmark
    public void droppedRoot() {
        Work.droppedRoot(number);
    }

    private long seed() {
        return x;
    }

    private static long three(long y) {
        y += y >>> 9;
        y += y >>> 11;
        return y + (y >>> 13);
    }
}
