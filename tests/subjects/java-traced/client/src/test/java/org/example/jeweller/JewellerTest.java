package org.example.jeweller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;
import org.example.beads.Beads;
import org.example.beads.Square;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** What is called how often is in the tests of bench-audit. */
class JewellerTest {
    @Test
    void recursion() {
        assertEquals(0, Beads.countDown(5));
    }

    @Test
    void exceptions() {
        for (String why : new String[] {"one", "two"}) {
            assertThrows(IllegalStateException.class, () -> Beads.fail(why));
        }
    }

    @Test
    void threads() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(new Thread(() -> {
                for (int n = 0; n < 1000; n++) {
                    Beads.twice(n);
                }
            }));
        }
        for (Thread one : threads) {
            one.start();
        }
        for (Thread one : threads) {
            one.join();
        }
    }

    @Test
    void reflection() throws ReflectiveOperationException {
        assertEquals(6, Beads.class.getMethod("twice", int.class).invoke(null, 3));
        IntUnaryOperator handle = Beads::twice;
        assertEquals(8, handle.applyAsInt(4));
    }

    @Test
    void callbacks() {
        assertEquals(List.of(4, 8), Beads.each(Jeweller::polished, 1, 2));
        assertEquals(6, Beads.later().get());
    }

    @Test
    void types() {
        assertEquals(7, new Jeweller().size());
        assertEquals(4, Jeweller.sides(new Square(2)));
        TreeSet<Square> sorted = new TreeSet<>(); // the JDK compares them
        sorted.add(new Square(1));
        sorted.add(new Square(3));
        assertFalse(new Beads() { }.equals(null));
    }

    @Test
    @Disabled("not today")
    void skipped() {
        Beads.never();
    }
}
