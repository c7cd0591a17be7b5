// The values that messages represent.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Reader } from "../src/model.mjs";

const field = (proto, kind, change) => ({ proto, name: proto, kind, label: "singular", absent: "zero", ...change });

/** Reads a message without fields. */
function readEmpty(fields) {
  const model = {
    root: "Root",
    messages: { Root: { form: "record", fields } },
    enums: { Color: { 0: "red" }, Size: { 1: "large" } },
  };
  return Object.fromEntries(new Reader(model, () => undefined).root({}));
}

test("absent fields are zero, null or missing", () => {
  const read = readEmpty([
    field("text", "string"),
    field("number", "sint64"),
    field("flag", "bool"),
    field("list", "int32", { label: "packed" }),
    field("color", "enum", { of: "Color" }),
    // The number 0 has no name.
    field("size", "enum", { of: "Size" }),
    field("optional", "enum", { of: "Color", label: "optional", absent: "missing" }),
  ]);
  assert.deepEqual(read, { text: "", number: 0, flag: false, list: [], color: "red", size: null, optional: null });
});
