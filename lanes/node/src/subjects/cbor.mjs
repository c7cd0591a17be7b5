import { Encoder } from "cbor-x";

import { version } from "../version.mjs";

// The records of cbor-x are off: no other library can read this extension.
export const cbor = [
  {
    library: "cbor-x",
    version: version("cbor-x"),
    format: "cbor",
    target: "dynamic",
    prepare: () => {
      const coder = new Encoder({ useRecords: false, variableMapSize: true, mapsAsObjects: true, tagUint8Array: false });
      return {
        decode: (bytes) => coder.decode(bytes),
        encode: (value) => coder.encode(value),
      };
    },
  },
];
