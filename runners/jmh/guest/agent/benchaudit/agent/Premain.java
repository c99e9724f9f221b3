package benchaudit.agent;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.jar.JarFile;

/**
 * Starts the weaver in a class loader of its own, so that the subject sees neither it nor the
 * byte-code library. All the subject can see is this class and the few in {@code benchaudit.boot}.
 */
public final class Premain {
    private Premain() {}

    /** Expects the path of the instructions; the other jars lie beside the agent's own. */
    public static void premain(String instructions, Instrumentation instrumentation)
            throws Exception {
        File own = new File(
                Premain.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        File folder = own.getParentFile();
        instrumentation.appendToBootstrapClassLoaderSearch(
                new JarFile(new File(folder, "boot.jar")));
        URL[] jars = {
            new File(folder, "weaver.jar").toURI().toURL(),
            new File(folder, "asm.jar").toURI().toURL(),
        };
        ClassLoader loader = new URLClassLoader(jars, ClassLoader.getPlatformClassLoader());
        Class.forName("benchaudit.weaver.Weaver", true, loader)
                .getMethod("install", String.class, Instrumentation.class)
                .invoke(null, instructions, instrumentation);
    }
}
