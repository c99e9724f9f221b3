package org.example;

/** As before, and correct without waiting: a volatile field is enough. */
public class Registry {
    private volatile boolean ready;

    /** Makes it ready, once. */
    public synchronized void prepare() {
        if (!isReady()) {
            setReady(true);
        }
    }

    /** Tells whether it is ready. */
    public boolean isReady() {
        return ready;
    }

    /** Says whether it is ready. */
    public void setReady(boolean ready) {
        this.ready = ready;
    }
}
