package benchaudit.weaver;

import benchaudit.boot.Agent;
import benchaudit.boot.Callers;
import benchaudit.boot.Calls;
import benchaudit.boot.Delay;
import benchaudit.boot.Records;
import benchaudit.boot.Trace;
import benchaudit.weaver.Instructions.Target;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;

/** Changes the classes that the instructions name, as they are loaded. */
public final class Weaver implements ClassFileTransformer {
    private static final String[] SET_UP_MARKS = {
        ClassWeaver.SETUP, ClassWeaver.TEAR_DOWN, ClassWeaver.STATE_MAKER
    };

    private final Instructions instructions;

    private Weaver(Instructions instructions) {
        this.instructions = instructions;
    }

    /** Starts the weaving; called by the agent. */
    public static void install(String path, Instrumentation instrumentation) {
        try {
            Instructions read = Instructions.read(path);
            Callers.setLibrary(read.library.keySet());
            boolean traces = System.getenv("BENCH_AUDIT_ROOT") != null;
            instrumentation.addTransformer(traces ? tracer(read) : weaver(read), false);
        } catch (Exception error) {
            Records.failed("the agent cannot start: " + error);
        }
    }

    /** In the JVMs of tests who calls is counted, whatever for. */
    private static ClassFileTransformer tracer(Instructions instructions) {
        String[] tokens = new String[instructions.targets.size()];
        int[] names = new int[tokens.length];
        for (Target target : instructions.targets) {
            tokens[target.index] = target.token;
            names[target.index] = instructions.named.getOrDefault(target.method, target.index);
        }
        Trace.start(tokens, names, instructions.counting);
        return new TraceWeaver(instructions);
    }

    private static ClassFileTransformer weaver(Instructions instructions) {
        Weaver weaver = new Weaver(instructions);
        weaver.prepare();
        return weaver;
    }

    private void prepare() {
        if (instructions.counting) {
            List<String> tokens = new ArrayList<>();
            for (Target target : instructions.targets) {
                tokens.add(target.token);
            }
            Calls.count(tokens.size());
            Agent.counted = tokens.toArray(new String[0]);
        }
        if (instructions.guarded) {
            Delay.guard();
        }
        Agent.check = this::check;
    }

    @Override
    public byte[] transform(
            ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] code) {
        if (loader == null || name == null || loader == Weaver.class.getClassLoader()) {
            return null;
        }
        Map<String, Target> here =
                instructions.byOwner.getOrDefault(name, Collections.emptyMap());
        try {
            return here.isEmpty() && !setsUp(code) ? null : weave(code, here);
        } catch (RuntimeException | LinkageError error) {
            for (Target target : here.values()) {
                target.failure = name.replace('/', '.') + " cannot be changed: " + error;
                Records.failed(target.failure);
            }
            return null;
        }
    }

    private byte[] weave(byte[] code, Map<String, Target> here) {
        ClassReader reader = new ClassReader(code);
        ClassWriter writer = new ClassWriter(reader, 0);
        ClassWeaver weaver = new ClassWeaver(writer, here, instructions);
        reader.accept(weaver, 0);
        byte[] woven = writer.toByteArray();
        StringBuilder lines = new StringBuilder();
        for (Target target : weaver.done) {
            target.present = true;
            lines.append("present\t").append(target.token).append('\n');
        }
        Records.append(lines.toString());
        return woven;
    }

    /** A cheap look at the constant pool, to leave most classes unread. */
    private boolean setsUp(byte[] code) {
        String text = new String(code, StandardCharsets.ISO_8859_1);
        for (String mark : SET_UP_MARKS) {
            if (text.contains(mark)) {
                return true;
            }
        }
        return instructions.counting && text.contains("<clinit>");
    }

    /**
     * A class that was loaded and not changed means that the wrong code ran. One that was not
     * loaded yet is loaded now: if it changes, its absence was the subject's doing.
     */
    private void check() {
        for (Target target : instructions.targets) {
            if (target.failure != null) {
                Records.failed(target.failure); // this benchmark may not have loaded the class
            }
            if (target.present || target.failure != null) {
                continue;
            }
            String name = target.owner.replace('/', '.');
            try {
                Class.forName(name, false, ClassLoader.getSystemClassLoader());
            } catch (ClassNotFoundException | LinkageError error) {
                if (!target.counted) {
                    Records.failed(name + " cannot be loaded: " + error);
                }
                continue;
            }
            if (!target.present) {
                Records.failed(name + " was loaded without its change to " + target.method);
            }
        }
    }
}
