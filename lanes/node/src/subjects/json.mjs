// A service reads a request body from bytes and answers with bytes, so turning bytes into text and
// text into bytes belongs to JSON.

export const json = [
  {
    library: "JSON",
    version: `V8 ${process.versions.v8}`,
    format: "json",
    target: "dynamic",
    prepare: () => ({
      decode: (bytes) => JSON.parse(bytes.toString()),
      encode: (value) => Buffer.from(JSON.stringify(value)),
    }),
  },
];
