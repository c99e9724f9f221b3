"""Arenas of small classes: what a test races, with a JVM."""

import os
from contextlib import contextmanager
from pathlib import Path

from version_making import compiled, environment

from auditor.core.contracts.concurrency import LibraryVersion
from runners.concurrency.arena import JavaRuntime, LocalArena, prepare_race_guests
from runners.home import HomeFolder
from runners.hosts.local import LocalHost
from runners.jmh.jdk import Javac, find_jdk, java_environment

HAZARD = """package org.example;
import java.util.*;
public class Hazard {
    private final Object first = new Object();
    private final Object second = new Object();
    private volatile int turn;
    public int limit = 3;
    public Hazard() { }
    public static Hazard of(String name) { return new Hazard(); }
    public int fine(int a) { return a + 1; }
    public String text(String a, char b) { return a + b; }
    public int fail() { throw new IllegalStateException("not now"); }
    public void block() throws InterruptedException { synchronized (this) { wait(); } }
    public void spin() { while (true) { turn++; } }
    public void exit() { System.exit(3); }
    public void chatter() { for (int i = 0; i < 2000000; i++) { System.out.println("ready"); } }
    public void devour() {
        List<byte[]> all = new ArrayList<>();
        while (true) { all.add(new byte[Integer.MAX_VALUE - 8]); }
    }
    private static void raw(String text) {
        try {
            new java.io.FileOutputStream(java.io.FileDescriptor.out).write(text.getBytes());
        } catch (java.io.IOException error) {
            throw new IllegalStateException(error);
        }
    }
    public int mutter() { raw("half a line"); return 1; }
    public void paralyse() throws InterruptedException {
        Thread own = Thread.currentThread();  // whoever joins it needs its monitor
        Thread keeper = new Thread(() -> {
            synchronized (own) {
                while (true) {
                    try { Thread.sleep(1000); } catch (InterruptedException error) { turn++; }
                }
            }
        });
        keeper.setDaemon(true);
        keeper.start();
        Thread.sleep(50);
    }
    public void leave() { new Thread(() -> { while (true) { turn++; } }).start(); }
    public void write() throws Exception {
        java.nio.file.Files.write(java.nio.file.Paths.get("left"), new byte[9]);
    }
    public boolean written() { return new java.io.File("left").exists(); }
    public void lockOne() throws InterruptedException { locked(first, second); }
    public void lockOther() throws InterruptedException { locked(second, first); }
    private void locked(Object one, Object other) throws InterruptedException {
        synchronized (one) { Thread.sleep(20); synchronized (other) { turn++; } }
    }
    public static class Kitchen {
        private static final Hazard[] COOKED = new Hazard[0];
        public static Hazard cook(int heat) { return new Hazard(); }
        public static Hazard[] all() { return COOKED; }
        public Hazard later() { return new Hazard(); }
        static Hazard secret() { return new Hazard(); }
    }
    public interface Grown { int a(); int d(); }
    public int grown(Grown what) { return what.a(); }
    public interface Grounded { int low(); default int twice(int a) { return 2 * a + low(); } }
    public int grounded(Grounded what) {
        if (what.twice(4) != 8) { throw new IllegalStateException("no body"); }
        return 1;
    }
    public int sorted(Comparator<Object> how) {
        if (how.reversed() == null) { throw new IllegalStateException("no body"); }
        return 1;
    }
    public int with(Comparator<Object> how) { return how.compare("a", "b"); }
    public Object any(Object what) { return what; }
}
"""


@contextmanager
def arena_of(folder, old=HAZARD, new=HAZARD, **more):
    """Give an arena with a class in two versions, each the text of it."""
    host, process_environment = LocalHost(), environment(folder)
    jdk = find_jdk(host, process_environment)
    home = HomeFolder(folder / "home")
    guest = prepare_race_guests(home, Javac(host, java_environment(process_environment), jdk, "8"))
    paths = {
        LibraryVersion.OLD: (compiled(folder / "old", old),),
        LibraryVersion.NEW: (compiled(folder / "new", new),),
    }
    with home.make_scratch_folder() as scratch:
        yield LocalArena(
            host=host,
            folder=scratch,
            environment=java_environment(process_environment),
            java=JavaRuntime(jdk.java, jdk.version, jdk.feature),
            javac=Javac(host, java_environment(process_environment), jdk, str(jdk.feature)),
            guest=guest.jar,
            class_paths=paths,
            lock=home.machine_lock,
            **more,
        )


def children():
    """Return the Java processes that are left of this one."""
    process_folders = (path for path in Path("/proc").iterdir() if path.name.isdecimal())
    return [
        path.name for path in process_folders if _parent(path) == os.getpid() and _is_java(path)
    ]


def _parent(process):
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _is_java(process):
    try:
        return b"java" in (process / "cmdline").read_bytes()
    except OSError:
        return False
