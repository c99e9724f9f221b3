package org.example.beads;

public final class Square extends Beads implements Shape, Comparable<Square> {
    public Square(int size) {
        super(size);
    }

    @Override
    public int sides() {
        return 4;
    }

    @Override
    public int compareTo(Square other) {
        return Integer.compare(size, other.size);
    }
}
