package benchaudit.jmh;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * When the mean log ratio of the pairs lies far enough above or below, or is as sure as it needs to
 * be, or when all arms were quiet, the rest is not run.
 */
final class Stop {
    private final Deque<double[]> looks = new ArrayDeque<>();
    private final List<Double> probes = new ArrayList<>();
    private final List<Double> sloweds = new ArrayList<>();
    private final Quiet quiet = new Quiet();
    private double above;
    private double below;
    private double leastDeviation;
    private double enough;

    /** Takes a line of the schedule in, if it is about stopping. */
    void read(String[] fields) {
        if (fields[0].equals("stop")) {
            above = Double.parseDouble(fields[1]);
            below = Double.parseDouble(fields[2]);
            leastDeviation = Double.parseDouble(fields[3]);
            enough = Double.parseDouble(fields[4]);
        } else if (fields[0].equals("look")) {
            looks.add(new double[] {Double.parseDouble(fields[1]), Double.parseDouble(fields[2])});
        } else {
            quiet.read(fields);
        }
    }

    /** Takes a measured block; returns after how many of each arm the process may end, else 0. */
    int decided(String arm, double seconds) {
        int blocks = quiet.after(arm, seconds);
        if (blocks > 0) {
            return blocks;
        }
        if (arm.equals("probe")) {
            probes.add(seconds);
        } else if (arm.equals("slowed")) {
            sloweds.add(seconds);
        }
        int pairs = Math.min(probes.size(), sloweds.size());
        while (!looks.isEmpty() && looks.peek()[0] <= pairs) {
            double[] look = looks.remove();
            if (decided((int) look[0], look[1])) {
                return (int) look[0];
            }
        }
        return 0;
    }

    private boolean decided(int pairs, double critical) {
        double sum = 0;
        double squares = 0;
        for (int pair = 0; pair < pairs; pair++) {
            sum += ratio(pair);
        }
        double mean = sum / pairs;
        for (int pair = 0; pair < pairs; pair++) {
            squares += (ratio(pair) - mean) * (ratio(pair) - mean);
        }
        double deviation = Math.max(Math.sqrt(squares / (pairs - 1)), leastDeviation);
        double half = critical * deviation / Math.sqrt(pairs);
        return mean - half > above || mean + half < below || half <= enough;
    }

    private double ratio(int pair) {
        return Math.log(sloweds.get(pair) / probes.get(pair));
    }
}
