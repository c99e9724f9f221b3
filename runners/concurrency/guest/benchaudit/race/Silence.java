package benchaudit.race;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;

/** Standard streams that lead nowhere: a subject that prints, or asks, does so to nobody. */
public final class Silence {
    private Silence() {}

    /** Replaces the streams of this process. */
    public static void fall() {
        PrintStream nobody = new PrintStream(new OutputStream() {
            @Override
            public void write(int one) {}

            @Override
            public void write(byte[] many, int from, int length) {}
        });
        System.setOut(nobody);
        System.setErr(nobody);
        System.setIn(new InputStream() {
            @Override
            public int read() {
                return -1;
            }
        });
    }
}
