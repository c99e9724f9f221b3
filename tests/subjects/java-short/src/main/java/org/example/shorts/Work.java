package org.example.shorts;

import java.util.function.LongSupplier;
import java.util.zip.CRC32;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.CompilerControl.Mode;

/**
 * Methods of 0.5 to 30 ns whose share of their operation is known.
 *
 * <p>A name tells the kind, the nanoseconds and the share in per cent: {@code inlined8Share60} takes
 * about 8 ns, which is 60 % of the operation of its benchmark.
 */
public final class Work {
    private static final long ODD = 0x2545F4914F6CDD1DL;
    private static final int[] RING = new int[512];

    static {
        for (int i = 0; i < RING.length; i++) {
            RING[i] = (i + 167) % RING.length;
        }
    }

    private Work() {}

    /** A chain of steps of 1.5 ns. Each step needs the one before, so none overlap. */
    static long mix(long x, int steps) {
        for (; steps > 0; steps--) {
            x = (x ^ (x >>> 29)) * ODD;
        }
        return x;
    }

    /** A chain of multiplications of 128 bits, each an intrinsic. */
    static long multiply(long x, int steps) {
        for (; steps > 0; steps--) {
            x = Math.multiplyHigh(x, ODD) ^ ODD;
        }
        return x;
    }

    /** A chain of square roots, each an intrinsic. */
    static double root(double x, int steps) {
        for (; steps > 0; steps--) {
            x = Math.sqrt(x + 2);
        }
        return x;
    }

    /** A chain of loads from the first cache: each gives the place of the next one. */
    static int walk(int x, int steps) {
        for (; steps > 0; steps--) {
            x = RING[x & 511];
        }
        return x;
    }

    // Arithmetic that the compiler inlines.

    public static long inlined05Share90(long x) {
        return x + (x >>> 7);
    }

    public static long inlined05Share25(long x) {
        return x + (x >>> 7);
    }

    public static long inlined05Share10(long x) {
        return x + (x >>> 7);
    }

    public static long inlined2Share90(long x) {
        return (x ^ (x >>> 29)) * ODD;
    }

    public static long inlined2Share10(long x) {
        return (x ^ (x >>> 29)) * ODD;
    }

    public static long inlined4Share75(long x) {
        return mix(x, 3);
    }

    public static long inlined4Share40(long x) {
        return mix(x, 2);
    }

    public static long inlined8Share60(long x) {
        return mix(x, 6);
    }

    public static long inlined30Share25(long x) {
        return mix(x, 20);
    }

    // Arithmetic that the compiler calls.

    @CompilerControl(Mode.DONT_INLINE)
    public static long called2Share25(long x) {
        return (x ^ (x >>> 29)) * ODD;
    }

    @CompilerControl(Mode.DONT_INLINE)
    public static long called8Share75(long x) {
        return mix(x, 6);
    }

    @CompilerControl(Mode.DONT_INLINE)
    public static long called8Share40(long x) {
        return mix(x, 6);
    }

    @CompilerControl(Mode.DONT_INLINE)
    public static long called30Share60(long x) {
        return mix(x, 20);
    }

    /** A generic method. */
    public static <T extends LongSupplier> long generic8Share75(T seed) {
        return mix(seed.getAsLong(), 6);
    }

    // Intrinsics and stubs, memory, allocation.

    public static long multiply8Share40(long x) {
        return multiply(x, 6);
    }

    public static double root20Share75(double x) {
        return root(x, 3);
    }

    public static int memory8Share60(int x) {
        return walk(x, 6);
    }

    public static int memory30Share25(int x) {
        return walk(x, 20);
    }

    public static long[] allocate30Share90(int size) {
        return new long[size];
    }

    public static long[] allocate30Share10(int size) {
        return new long[size];
    }

    public static int index30Share90(String text) {
        return text.indexOf('.');
    }

    public static void copy30Share90(byte[] from, byte[] to) {
        System.arraycopy(from, 0, to, 0, from.length);
    }

    // Called for nothing: the benchmark drops the result.

    /** Inlined, but what it calls is a stub, which the compiler cannot remove. */
    public static long droppedChecksum(byte[] text) {
        CRC32 checksum = new CRC32();
        checksum.update(text, 0, text.length);
        return checksum.getValue();
    }

    /** No dead code: the compiler never removes a call. */
    @CompilerControl(Mode.DONT_INLINE)
    public static long droppedCall(long x) {
        return mix(x, 6);
    }

    /** Dead code: it is inlined, and nothing is left of it. */
    public static long droppedBits(long x) {
        return x ^ (x >>> 7) ^ Long.reverse(x);
    }

    /** Dead code: it is inlined, and nothing is left of it. */
    public static double droppedRoot(double x) {
        return Math.sqrt(Math.sqrt(x + 1) + 2);
    }
}
