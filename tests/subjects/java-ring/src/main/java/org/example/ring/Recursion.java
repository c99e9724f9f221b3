package org.example.ring;

/** Methods that call themselves: a delay of the outermost call only must not compound. */
public final class Recursion {
    private Recursion() {}

    /** Direct; detected. */
    public static long fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    /** Mutual, with `odd`; detected. */
    public static boolean even(int n) {
        return n == 0 || odd(n - 1);
    }

    /** Mutual; its outermost call is nearly all of `even`'s. */
    public static boolean odd(int n) {
        return n != 0 && even(n - 1);
    }
}
