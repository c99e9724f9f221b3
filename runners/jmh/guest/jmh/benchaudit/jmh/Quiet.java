package benchaudit.jmh;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** When the second least block of every arm is hardly longer than the least, the rest is not run. */
final class Quiet {
    private final Map<String, List<Double>> arms = new HashMap<>();
    private int from;
    private double within;

    /** Takes a line of the schedule in, if it names an arm or says when all are quiet. */
    void read(String[] fields) {
        if (fields[0].equals("arm")) {
            arms.put(fields[2], new ArrayList<>());
        } else if (fields[0].equals("quiet")) {
            from = Integer.parseInt(fields[1]);
            within = Double.parseDouble(fields[2]);
        }
    }

    /** Takes a measured block; returns after how many of each arm all were quiet, else 0. */
    int after(String name, double seconds) {
        List<Double> mine = arms.get(name);
        mine.add(seconds);
        if (from == 0 || mine.size() < from) {
            return 0;
        }
        for (List<Double> blocks : arms.values()) {
            if (blocks.size() != mine.size()) {
                return 0;
            }
            List<Double> sorted = new ArrayList<>(blocks);
            Collections.sort(sorted);
            if (sorted.get(1) > sorted.get(0) * (1 + within)) {
                return 0;
            }
        }
        return mine.size();
    }
}
