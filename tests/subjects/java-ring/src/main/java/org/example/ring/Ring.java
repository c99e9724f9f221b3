package org.example.ring;

import java.util.NoSuchElementException;

/** A ring buffer of fixed size: constructor, generics, overloads, exceptions. */
public class Ring<T> implements Sized {
    private final Object[] items;
    private int head;
    private int size;

    /** Detected: `Rings.construct` does nothing else. */
    public Ring(int capacity) {
        items = new Object[capacity];
    }

    /** Detected by `Rings.pushAndPop`: about half of it. */
    public void push(T item) {
        push(item, false);
    }

    /** An overload; called by the other one. */
    public void push(T item, boolean overwrite) {
        if (size == items.length) {
            if (!overwrite) {
                throw new IllegalStateException("full");
            }
            pop();
        }
        items[(head + size) % items.length] = item;
        size++;
    }

    /** Detected by `Rings.pushAndPop`. */
    @SuppressWarnings("unchecked")
    public T pop() {
        if (size == 0) {
            throw new NoSuchElementException("empty");
        }
        T item = (T) items[head];
        items[head] = null;
        head = (head + 1) % items.length;
        size--;
        return item;
    }

    /** Throws inside and catches outside of itself: `Rings.exceptions` uses every call. */
    public T popOr(T other) {
        try {
            return pop();
        } catch (NoSuchElementException empty) {
            return other;
        }
    }

    /** Reached in set-up only, so unreached. */
    public void fill(T item) {
        while (size < items.length) {
            push(item);
        }
    }

    /** Called by no benchmark at all: unreached. */
    public void clear() {
        while (!isEmpty()) {
            pop();
        }
    }

    @Override
    public int size() {
        return size;
    }

    /** A copy method with a generic parameter of its own. */
    public static <E extends Comparable<E>> E greatest(Ring<E> ring, E least) {
        E best = least;
        for (int i = 0; i < ring.size; i++) {
            @SuppressWarnings("unchecked")
            E item = (E) ring.items[(ring.head + i) % ring.items.length];
            if (item.compareTo(best) > 0) {
                best = item;
            }
        }
        return best;
    }

    /** A nested class with a method of its own; detected by `Rings.walk`. */
    public static final class Cursor {
        private final Ring<?> ring;

        public Cursor(Ring<?> ring) {
            this.ring = ring;
        }

        public int walk() {
            int seen = 0;
            for (int i = 0; i < ring.items.length; i++) {
                seen += ring.items[i] == null ? 0 : ring.items[i].hashCode();
            }
            return seen;
        }
    }
}
