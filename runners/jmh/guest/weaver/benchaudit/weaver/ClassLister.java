package benchaudit.weaver;

import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;

/**
 * Lists the methods of jars and class folders, one JSON object a line, without loading a class.
 * Arguments: the file to write, then jars and folders.
 */
public final class ClassLister implements ClassWalk.Teller {
    private ClassLister() {}

    /** Writes the list; a class that cannot be read is a line of its own. */
    public static void main(String[] arguments) throws IOException {
        ClassWalk.write(arguments, new ClassLister());
    }

    @Override
    public List<Map<String, Object>> lines(String part, byte[] code) {
        ClassFacts facts = new ClassFacts(part);
        new ClassReader(code).accept(facts, ClassReader.SKIP_FRAMES);
        return facts.lines();
    }

    @Override
    public List<Map<String, Object>> addition(String part, String owner) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("kind", "class");
        line.put("part", part);
        line.put("owner", owner);
        return Collections.singletonList(line);
    }
}
