package benchaudit.race;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures a test in this process (Pradel et al., Algorithms 2 and 3). Arguments: the name of the
 * test, then settings as name=value: threads (0: one thread runs the suffixes), suffixes (how many
 * of them one thread runs then; without it all), turns (how often a suffix is done; without it as
 * often as the test says), scope (all, each),
 * limit (seconds that a repetition may take), out (the file of records; standard output without
 * one), and either pilot (seconds) or warmup and repetitions (numbers), least and most (numbers of
 * measurements) and stop (the standard deviation at which it is enough, a part of the mean).
 *
 * <p>Records: "pilot REPETITIONS WALL SECONDS" (counted in the second half of the time; seconds of a
 * repetition with all that belongs to it, and of its suffixes), "measurement SECONDS" (of the
 * suffixes of a repetition), "failed REASON" (lines are joined by a tabulator), "end".
 */
public final class Measure {
    private final Map<String, String> settings = new HashMap<>();
    private final Class<? extends Race> test;
    private final Crew crew;
    private double measured;

    private Measure(String[] arguments) throws ReflectiveOperationException {
        test = Class.forName(arguments[0]).asSubclass(Race.class);
        for (int at = 1; at < arguments.length; at++) {
            int sign = arguments[at].indexOf('=');
            settings.put(arguments[at].substring(0, sign), arguments[at].substring(sign + 1));
        }
        long limit = Long.parseLong(text("limit", "60"));
        Race race = made();
        crew = new Crew(number("threads", 0), number("suffixes", race.suffixes()),
                number("turns", race.turns()), text("scope", "all").equals("each"), limit);
    }

    /** Measures, and ends the process whatever threads the subject has left. */
    public static void main(String[] arguments) throws Exception {
        Measure measure = new Measure(arguments);
        String out = measure.text("out", "");
        PrintStream printed = System.out;
        try (PrintWriter records =
                out.isEmpty()
                        ? new PrintWriter(printed, true)
                        : new PrintWriter(Files.newBufferedWriter(Paths.get(out)), true)) {
            Silence.fall();
            try {
                measure.run(records);
            } catch (Crew.Failure error) {
                records.println("failed " + error.getMessage().replace('\n', '\t'));
            } catch (Throwable error) {
                records.println("failed " + Crew.text(error).replace('\n', '\t'));
            }
            records.println("end");
        }
        Runtime.getRuntime().halt(0);
    }

    private void run(PrintWriter records) throws Throwable {
        if (settings.containsKey("pilot")) {
            pilot(records, Double.parseDouble(settings.get("pilot")));
            return;
        }
        int repetitions = number("repetitions", 1);
        System.gc();
        repeat(number("warmup", 0));
        List<Double> found = new ArrayList<>();
        double stop = Double.parseDouble(text("stop", "0"));
        do {
            found.add(repeat(repetitions) / repetitions);
            records.println("measurement " + found.get(found.size() - 1));
        } while (found.size() < number("least", 1)
                || (found.size() < number("most", 1) && spread(found) > stop));
    }

    private void pilot(PrintWriter records, double seconds) throws Throwable {
        long begin = System.nanoTime();
        long half = begin + (long) (seconds / 2 * 1e9);
        do {
            repeat(1);
        } while (System.nanoTime() < half);
        long start = System.nanoTime();
        measured = 0;
        int done = 0;
        double spent;
        do {
            repeat(1);
            done++;
            spent = (System.nanoTime() - start) / 1e9;
        } while (spent < seconds / 2);
        records.println("pilot " + done + " " + spent / done + " " + measured / done);
    }

    /** Runs repetitions; returns the sum of what their suffixes took. */
    private double repeat(int repetitions) throws Throwable {
        double sum = 0;
        for (int one = 0; one < repetitions; one++) {
            Race race = made();
            race.prefix();
            sum += crew.run(race);
        }
        measured += sum;
        return sum;
    }

    private Race made() throws ReflectiveOperationException {
        return test.getDeclaredConstructor().newInstance();
    }

    private static double spread(List<Double> values) {
        double mean = values.stream().mapToDouble(one -> one).average().orElse(0);
        double squares = values.stream().mapToDouble(one -> (one - mean) * (one - mean)).sum();
        return Math.sqrt(squares / (values.size() - 1)) / mean;
    }

    private String text(String name, String otherwise) {
        return settings.getOrDefault(name, otherwise);
    }

    private int number(String name, int otherwise) {
        return Integer.parseInt(text(name, String.valueOf(otherwise)));
    }
}
