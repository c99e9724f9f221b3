package org.example.ring;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Constructor, generics, nested class, default method, exceptions; with a parameter. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class Rings {
    @Param({"8", "512"})
    private int capacity;

    private Ring<Integer> full;
    private Ring<Integer> empty;
    private Ring.Cursor cursor;

    @Setup
    public void fill() {
        full = new Ring<>(capacity);
        full.fill(7);
        empty = new Ring<>(capacity);
        cursor = new Ring.Cursor(full);
    }

    @Benchmark
    public Ring<Integer> construct() {
        return new Ring<>(capacity);
    }

    @Benchmark
    public Integer pushAndPop() {
        empty.push(3);
        return empty.pop();
    }

    @Benchmark
    public int walk() {
        return cursor.walk();
    }

    @Benchmark
    public Integer greatest() {
        return Ring.greatest(full, 0);
    }

    @Benchmark
    public boolean defaultMethod() {
        return full.isEmpty();
    }

    @Benchmark
    public Integer exceptions() {
        return empty.popOr(5);
    }
}
