package org.example.ring;

/** Methods that call themselves: a delay of the outermost call only must not compound. */
public final class Recursion {
    private Recursion() {}

    /** Direct, in a nanosecond a call: what keeps its inner calls from waiting takes far longer. */
    public static long fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    /** Mutual, with `odd`, and as short. */
    public static boolean even(int n) {
        return n == 0 || odd(n - 1);
    }

    /** Mutual; its outermost call is nearly all of `even`'s. */
    public static boolean odd(int n) {
        return n != 0 && even(n - 1);
    }

    /** Direct, about 1 us a call; detected. */
    public static long chain(int links, long seed) {
        long here = Work.turns(seed, 540);
        return links == 0 ? here : chain(links - 1, here);
    }
}
