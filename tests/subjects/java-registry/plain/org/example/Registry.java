package org.example;

/** A class that is used by many threads and does not care: writes may never be seen by others. */
public class Registry {
    private boolean ready;

    /** Makes it ready, once. */
    public synchronized void prepare() {
        if (!ready) {
            ready = true;
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
