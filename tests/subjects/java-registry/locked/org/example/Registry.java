package org.example;

/** As before, and correct: whoever reads or writes waits for all others. */
public class Registry {
    private boolean ready;

    /** Makes it ready, once. */
    public synchronized void prepare() {
        if (!isReady()) {
            setReady(true);
        }
    }

    /** Tells whether it is ready. */
    public synchronized boolean isReady() {
        return ready;
    }

    /** Says whether it is ready. */
    public synchronized void setReady(boolean ready) {
        this.ready = ready;
    }
}
