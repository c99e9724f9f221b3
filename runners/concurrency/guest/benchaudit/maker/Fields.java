package benchaudit.maker;

import java.util.ArrayList;
import java.util.List;

/** Lines of fields: a tabulator between them; in a field it, line ends and backslashes are escaped. */
final class Fields {
    private Fields() {}

    static String join(String... fields) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < fields.length; at++) {
            if (at > 0) {
                text.append('\t');
            }
            text.append(fields[at].replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
                    .replace("\r", "\\r"));
        }
        return text.toString();
    }

    static List<String> split(String line) {
        List<String> found = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        for (int at = 0; at < line.length(); at++) {
            char one = line.charAt(at);
            if (one == '\t') {
                found.add(field.toString());
                field.setLength(0);
            } else if (one == '\\') {
                at++;
                char other = line.charAt(at);
                field.append(other == 't' ? '\t' : other == 'n' ? '\n' : other == 'r' ? '\r' : other);
            } else {
                field.append(one);
            }
        }
        found.add(field.toString());
        return found;
    }
}
