package benchaudit.boot;

/**
 * What a process is told: by its environment, or by system properties of the same names where
 * another JVM has begun it, whose environment it shares with the ones before and behind it.
 */
public final class Settings {
    private Settings() {}

    /** Returns what the process is told under a name; null if nothing. */
    public static String find(String name) {
        String property = System.getProperty(name);
        return property == null ? System.getenv(name) : property;
    }
}
