package manywire.lane.generate;

import org.msgpack.core.MessagePacker;
import org.msgpack.core.MessageUnpacker;

import java.io.IOException;

/** The interface of the code that is generated for msgpack-core. */
public interface Packer {
    void pack(MessagePacker out, Object value) throws IOException;

    Object unpack(MessageUnpacker in) throws IOException;
}
