package benchaudit.agent;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Paths;
import java.util.jar.JarFile;

/**
 * Starts the weaver in a class loader of its own, so that the subject sees neither it nor the
 * byte-code library. All the subject can see is this class and the few in {@code benchaudit.boot}.
 */
public final class Premain {
    /** Build tools, and what compiles for them: the tests run in JVMs of their own. */
    private static final String[] TOOLS = {
        "org.codehaus.plexus.classworlds.launcher.Launcher", "org.apache.maven.wrapper.",
        "org.gradle.launcher.", "org.gradle.wrapper.", "org.jetbrains.kotlin.daemon.",
    };
    private static final String GRADLE_WORKER = "worker.org.gradle.process.internal.worker.";

    private Premain() {}

    /** Expects the path of the instructions; the other jars lie beside the agent's own. */
    public static void premain(String instructions, Instrumentation instrumentation)
            throws Exception {
        if (isTool(System.getProperty("sun.java.command", "")) || isElsewhere()) {
            return;
        }
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

    /** Tells whether it is of another module than the client: its siblings may be tested, too. */
    private static boolean isElsewhere() {
        String root = System.getenv("BENCH_AUDIT_ROOT");
        return root != null && !Paths.get("").toAbsolutePath().startsWith(root);
    }

    private static boolean isTool(String command) {
        if (System.getenv("BENCH_AUDIT_ROOT") != null && command.isEmpty()
                || command.contains("gradle-wrapper.jar")) {
            return true;
        }
        for (String tool : TOOLS) {
            if (command.startsWith(tool)) {
                return true;
            }
        }
        return command.startsWith(GRADLE_WORKER) && !command.contains("Gradle Test Executor");
    }
}
