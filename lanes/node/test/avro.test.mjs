import assert from "node:assert/strict";
import test from "node:test";

import avsc from "avsc";

import { avro } from "../src/subjects/avro.mjs";

/** Returns what a value is after avsc has written and read it. */
function returned(schema, value) {
  const subject = avro[0].prepare({ avro: JSON.stringify(schema) });
  return subject.plain(subject.decode(avsc.Type.forSchema(schema).toBuffer(value)));
}

test("a record that a union names is a map by key", () => {
  const node = {
    type: "record",
    name: "Node",
    fields: [{ name: "next", type: ["string", "Node"], "manywire.name": "$next" }],
  };
  assert.deepEqual(returned(node, { next: { next: "end" } }), new Map([["$next", new Map([["$next", "end"]])]]));
});

test("a decimal in a union is an integer", () => {
  const decimal = { type: "bytes", logicalType: "decimal", precision: 39, scale: 0 };
  const list = { type: "array", items: ["double", decimal] };
  const bytes = Buffer.from("00ffffffffffffffff", "hex");
  assert.deepEqual(returned(list, [0.5, bytes, Buffer.from([0xff])]), [0.5, 2n ** 64n - 1n, -1n]);
});

test("an array of entries is a map with keys that are not text", () => {
  const entry = {
    type: "record",
    name: "Entry",
    "manywire.role": "entry",
    fields: [{ name: "key", type: "boolean" }, { name: "value", type: "string" }],
  };
  const pairs = [{ key: true, value: "a" }, { key: false, value: "b" }];
  const map = new Map([[true, "a"], [false, "b"]]);
  assert.deepEqual(returned({ type: "array", items: entry }, pairs), map);
  // Another array names the record.
  const fields = [{ name: "first", type: { type: "array", items: entry } }, { name: "second", type: { type: "array", items: "Entry" } }];
  const both = returned({ type: "record", name: "Both", fields }, { first: pairs, second: pairs });
  assert.deepEqual(both, new Map([["first", map], ["second", map]]));
});
