// The records of msgpackr are off: no other library can read this extension.

import * as official from "@msgpack/msgpack";
import { Packr } from "msgpackr";

import { version } from "../version.mjs";

export const msgpack = [
  {
    library: "@msgpack/msgpack",
    version: version("@msgpack/msgpack"),
    format: "msgpack",
    target: "dynamic",
    prepare: () => {
      // An encoder and a decoder are reused to keep their buffers and key caches, as the library's
      // documentation recommends.
      const encoder = new official.Encoder({ useBigInt64: false });
      const decoder = new official.Decoder();
      return {
        decode: (bytes) => decoder.decode(bytes),
        encode: (value) => encoder.encode(value),
      };
    },
  },
  {
    library: "msgpackr",
    version: version("msgpackr"),
    format: "msgpack",
    target: "dynamic",
    prepare: () => {
      const packr = new Packr({ useRecords: false, variableMapSize: true });
      return {
        decode: (bytes) => packr.unpack(bytes),
        encode: (value) => packr.pack(value),
      };
    },
  },
];
