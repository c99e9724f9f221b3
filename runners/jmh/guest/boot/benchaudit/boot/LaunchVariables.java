package benchaudit.boot;

/**
 * What the host passes to this JVM: variables of its environment. A fork of SharedLaunch shares the
 * environment of its launcher with all other forks; it has system properties of the same names.
 */
public final class LaunchVariables {
    private LaunchVariables() {}

    /** Returns the value of a variable; null if there is none. */
    public static String find(String name) {
        String property = System.getProperty(name);
        return property == null ? System.getenv(name) : property;
    }
}
