package org.example.ring;

/** Methods without a body. */
public abstract class Refused {
    /** Refused: abstract. */
    public abstract int missing();

    /** Refused: native. */
    public static native int foreign();
}
