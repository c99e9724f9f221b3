package benchaudit.boot;

import java.util.Arrays;
import java.util.Map;

/** Writes values as JSON: maps, collections, texts, numbers, booleans and null. */
public final class Json {
    private Json() {}

    /** Returns the value as JSON text on one line. */
    public static String of(Object value) {
        StringBuilder text = new StringBuilder();
        write(text, value);
        return text.toString();
    }

    private static void write(StringBuilder text, Object value) {
        if (value instanceof Map) {
            writeMap(text, (Map<?, ?>) value);
        } else if (value instanceof Iterable) {
            writeAll(text, (Iterable<?>) value);
        } else if (value instanceof Object[]) {
            writeAll(text, Arrays.asList((Object[]) value));
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            text.append(value);
        } else {
            writeText(text, value.toString());
        }
    }

    private static void writeMap(StringBuilder text, Map<?, ?> map) {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            text.append(separator);
            writeText(text, entry.getKey().toString());
            text.append(':');
            write(text, entry.getValue());
            separator = ",";
        }
        text.append(map.isEmpty() ? "{}" : "}");
    }

    private static void writeAll(StringBuilder text, Iterable<?> values) {
        String separator = "";
        text.append('[');
        for (Object value : values) {
            text.append(separator);
            write(text, value);
            separator = ",";
        }
        text.append(']');
    }

    private static void writeText(StringBuilder text, String value) {
        text.append('"');
        for (char each : value.toCharArray()) {
            if (each == '"' || each == '\\') {
                text.append('\\').append(each);
            } else if (each < ' ' || each > '~') {
                text.append(String.format("\\u%04x", (int) each));
            } else {
                text.append(each);
            }
        }
        text.append('"');
    }
}
