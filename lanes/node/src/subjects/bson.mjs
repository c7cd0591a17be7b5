import { BSON } from "bson";

import { version } from "../version.mjs";

export const bson = [
  {
    library: "bson",
    version: version("bson"),
    format: "bson",
    target: "dynamic",
    prepare: () => ({
      decode: (bytes) => BSON.deserialize(bytes),
      encode: (value) => BSON.serialize(value),
    }),
  },
];
