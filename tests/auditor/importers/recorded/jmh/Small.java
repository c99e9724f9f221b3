package org.example;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.*;
@State(Scope.Benchmark)
@Fork(2)
@Warmup(iterations = 2, time = 20, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 20, timeUnit = TimeUnit.MILLISECONDS)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Small {
    @State(Scope.Benchmark)
    public static class Size {
        @Param({"10", "1000"}) public int size;
        @Param({"a, b"}) public String kind;
    }
    @Benchmark @BenchmarkMode(Mode.AverageTime)
    public int sum(Size given) { int all = 0; for (int at = 0; at < given.size; at++) all += at ^ all; return all; }
    @Benchmark @BenchmarkMode({Mode.Throughput, Mode.SampleTime}) @OutputTimeUnit(TimeUnit.MILLISECONDS)
    public long both() { return System.nanoTime(); }
    @Benchmark @BenchmarkMode(Mode.SingleShotTime) @OutputTimeUnit(TimeUnit.SECONDS)
    public long once() throws Exception { Thread.sleep(1); return 1; }
    @Benchmark @BenchmarkMode(Mode.AverageTime)
    public int fails() { throw new IllegalStateException("on purpose"); }
    @Benchmark @BenchmarkMode(Mode.AverageTime) @Fork(value = 1, warmups = 1) @OutputTimeUnit(TimeUnit.SECONDS)
    public int tiny() { System.out.println("noise"); return 1; }
}
