package org.example.ring;

import java.util.concurrent.atomic.AtomicLong;

/** State of several threads. */
public final class Shared {
    private final AtomicLong value = new AtomicLong();

    /** About 1 us and then a shared write; detected by `Threads.two`. */
    public long add(long seed) {
        return value.addAndGet(Work.turns(seed, 540));
    }

    /** Detected by the group `Threads.group`, in whose readers it is all. */
    public long get(long seed) {
        return value.get() + Work.turns(seed, 270);
    }
}
