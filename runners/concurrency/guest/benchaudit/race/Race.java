package benchaudit.race;

/**
 * A concurrent performance test: a prefix that makes an object, and suffixes that share it, one for
 * each thread. An instance is used for one repetition.
 */
public interface Race {
    /** Makes the shared object and brings it into a state. */
    void prefix() throws Throwable;

    /** Returns how many suffixes there are. */
    int suffixes();

    /** Returns how often a suffix is to be done, where nothing else is said. */
    int turns();

    /** Runs a suffix, numbered from nought, so many times. */
    void suffix(int number, int turns, Sink sink) throws Throwable;
}
