package org.example.ring;

/** An interface with a default method. */
public interface Sized {
    /** Abstract: refused. */
    int size();

    /** A default method; called by `Rings.defaultMethod`. */
    default boolean isEmpty() {
        return size() == 0;
    }
}
