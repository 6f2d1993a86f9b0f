// The partitions that the Java client sends keys to, and the bytes that its serializers make.
//
// Reads lines from standard input: a key in hexadecimal, or `serializer value`. Writes one line for
// each: `partition of 1, of 3, ...` for a key, the bytes in hexadecimal for a value.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.UUID;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.serialization.DoubleSerializer;
import org.apache.kafka.common.serialization.FloatSerializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.ShortSerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.serialization.UUIDSerializer;

public final class Partitions {
    private static byte[] serialize(String serializer, String value) {
        switch (serializer) {
            case "long": return new LongSerializer().serialize("t", Long.valueOf(value));
            case "integer": return new IntegerSerializer().serialize("t", Integer.valueOf(value));
            case "short": return new ShortSerializer().serialize("t", Short.valueOf(value));
            case "double": return new DoubleSerializer().serialize("t", Double.valueOf(value));
            case "float": return new FloatSerializer().serialize("t", Float.valueOf(value));
            case "uuid": return new UUIDSerializer().serialize("t", UUID.fromString(value));
            case "text": return new StringSerializer().serialize("t", value);
            // Not a serializer: what salts and Spring Cloud Stream are made from.
            case "hash-code": return Integer.toString(value.hashCode()).getBytes(StandardCharsets.UTF_8);
            default: throw new IllegalArgumentException(serializer);
        }
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        StringBuilder out = new StringBuilder();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int space = line.indexOf(' ');
            if (space > 0) {
                byte[] bytes = serialize(line.substring(0, space), line.substring(space + 1));
                out.append(HexFormat.of().formatHex(bytes)).append('\n');
                continue;
            }
            byte[] key = HexFormat.of().parseHex(line);
            for (String partitions : arguments) {
                out.append(BuiltInPartitioner.partitionForKey(key, Integer.parseInt(partitions)))
                    .append(' ');
            }
            out.append('\n');
        }
        System.out.print(out);
    }
}
