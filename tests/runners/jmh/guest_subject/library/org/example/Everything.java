package org.example;

import java.util.ArrayList;
import java.util.List;

/** Calls all there is and prints what comes out; also looks for what should not be seen. */
public final class Everything {
    private final List<String> lines = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
        Everything everything = new Everything();
        for (int round = 0; round < 50; round++) {
            everything.round(round);
        }
        everything.threads();
        everything.visible("org.objectweb.asm.ClassReader");
        everything.visible("benchaudit.weaver.Weaver");
        everything.lines.forEach(System.out::println);
    }

    private void round(int round) {
        lines.add("turns " + Work.turns(round));
        lines.add("branches " + Work.branches(round));
        lines.add("deep " + Work.deep(round));
        lines.add("kept " + new Work(round).kept());
        lines.add("greater " + new Work(1).greater("a" + round, "b"));
        lines.add("text " + Work.text("x", round, "y"));
        Work work = new Work(2);
        lines.add("inner " + work.new Inner(round).at());
        Work.Greeter greeter = () -> "you";
        lines.add("greet " + greeter.greet());
        Work.nothing();
        Step[] steps = {new Step(round), new Step(-round)};
        Step.sort(steps);
        lines.add("steps " + steps[0].compareTo(steps[1]));
        try {
            new Work(-round - 1);
            lines.add("no exception");
        } catch (IllegalArgumentException error) {
            lines.add("made " + error.getMessage() + error.getStackTrace()[0]);
        }
        try {
            lines.add("thrown " + Work.thrown(round));
        } catch (IllegalStateException error) {
            lines.add("thrown " + error.getMessage() + error.getStackTrace()[0]);
        }
    }

    private void threads() throws InterruptedException {
        long[] sums = new long[600];
        for (int at = 0; at < sums.length; at++) {
            int mine = at;
            Thread thread = new Thread(() -> sums[mine] = Work.deep(mine % 7));
            thread.start();
            thread.join();
        }
        long sum = 0;
        for (long one : sums) {
            sum += one;
        }
        lines.add("threads " + sum);
    }

    private void visible(String name) {
        try {
            Class.forName(name);
            lines.add(name + " is visible");
        } catch (ClassNotFoundException error) {
            lines.add(name + " is not visible");
        }
    }
}
