package org.example.jeweller;

import org.example.beads.Beads;
import org.example.beads.Shape;

/** A client of beads. */
public final class Jeweller extends Beads {
    public Jeweller() {
        super(7);
    }

    /** Is called by the library, and calls it. */
    public static int polished(int value) {
        return Beads.twice(value);
    }

    public int size() {
        return ownSize();
    }

    public static int sides(Shape shape) {
        return shape.round() ? 0 : shape.sides();
    }
}
