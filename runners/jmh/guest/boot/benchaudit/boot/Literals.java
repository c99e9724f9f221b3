package benchaudit.boot;

/** Simple values as they stand in Java's source. */
final class Literals {
    private static final int LONGEST = 40;

    private Literals() {}

    /** Returns the text of a number, a character, a truth or a short string; else null. */
    static String of(Object value) {
        if (value == null) {
            return "null";
        }
        Class<?> type = value.getClass();
        if (type == Integer.class || type == Boolean.class) {
            return value.toString();
        }
        if (type == Short.class || type == Byte.class) {
            return "(" + (type == Byte.class ? "byte" : "short") + ") " + value;
        }
        if (type == Long.class) {
            return value + "L";
        }
        if (type == Double.class || type == Float.class) {
            double number = ((Number) value).doubleValue();
            boolean finite = !Double.isNaN(number) && !Double.isInfinite(number);
            return finite ? value + (type == Float.class ? "f" : "") : null;
        }
        if (type == Character.class) {
            return "'" + escaped((Character) value, '\'') + "'";
        }
        return type == String.class ? text((String) value) : null;
    }

    private static String text(String value) {
        if (value.length() > LONGEST) {
            return null;
        }
        StringBuilder text = new StringBuilder("\"");
        for (char each : value.toCharArray()) {
            text.append(escaped(each, '"'));
        }
        return text.append('"').toString();
    }

    private static String escaped(char value, char quote) {
        if (value == quote || value == '\\') {
            return "\\" + value;
        }
        if (value == '\n') {
            return "\\n";
        }
        if (value == '\t') {
            return "\\t";
        }
        if (value == '\r') {
            return "\\r";
        }
        // As octal: an escape of Unicode is read before quotes are, and a line's end would end it.
        if (value < ' ') {
            return String.format("\\%03o", (int) value);
        }
        return value <= '~' ? String.valueOf(value) : String.format("\\u%04x", (int) value);
    }
}
