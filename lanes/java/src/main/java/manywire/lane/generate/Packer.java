package manywire.lane.generate;

import org.msgpack.core.MessagePacker;
import org.msgpack.core.MessageUnpacker;

import java.io.IOException;

/** What is generated for the classes of the payloads by msgpack-core. */
public interface Packer {
    void pack(MessagePacker out, Object value) throws IOException;

    Object unpack(MessageUnpacker in) throws IOException;
}
