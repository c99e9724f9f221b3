package org.example.shorts;

/** Three classes behind one interface, so that no call of it can be inlined. */
public final class Mixers {
    private Mixers() {}

    /** What a benchmark calls. */
    public interface Mixer {
        long step(long x);
    }

    /** Takes 75 % of an operation that calls each mixer once. */
    public static final class Heavy implements Mixer {
        @Override
        public long step(long x) {
            return Work.mix(x, 18);
        }
    }

    /** Takes 12.5 % of it. */
    public static final class Light implements Mixer {
        @Override
        public long step(long x) {
            return Work.mix(x, 3);
        }
    }

    /** Takes 12.5 % of it. */
    public static final class Other implements Mixer {
        @Override
        public long step(long x) {
            return Work.mix(x, 3);
        }
    }
}
