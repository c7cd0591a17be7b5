// Services receive and send bytes, so the conversion between bytes and text is part of JSON.

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
