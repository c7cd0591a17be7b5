// Compares canonical digests with those that another program computed from the forms in
// CONTRACT.md.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { digest, Timestamp } from "../src/digest.mjs";

const of = (form) => createHash("sha256").update(form).digest("hex");

test("maps are sorted, and null entries are left out", () => {
  const value = { b: [true, null, -1], absent: null, gone: undefined, a: 2.0 };
  assert.equal(digest(value), "753eddbe36da30a04f154a5ed778ff5998296c28ca51dddde331745cdb105fea");
  assert.equal(digest(value), of("m2:s1:ai2;s1:ba3:tni-1;"));
  assert.equal(digest(new Map([[5, "x"], [true, "y"]])), digest({ true: "y", 5: "x" }));
});

test("equal numbers of different types have the same digest", () => {
  assert.equal(digest(1.5), "3e230c337144fa90267e8cb99b440c8b1f28f6b38db35fa4bdae13862a67e947");
  assert.equal(digest(-0), of("i0;"));
  assert.equal(digest(2n ** 64n - 1n), of("i18446744073709551615;"));
  assert.equal(digest(2n ** 64n), digest(2 ** 64));
  assert.equal(digest(NaN), of(Buffer.from("647ff8000000000000", "hex")));
});

test("the length of text is in bytes, and text differs from bytes and times", () => {
  assert.equal(digest("é😀"), of("s6:é😀"));
  assert.equal(digest(Buffer.from("ab")), of("b2:ab"));
  assert.equal(digest(new Date(-1)), of("T-1.999000000;"));
  assert.equal(digest(new Timestamp(-1, 999_000_000)), digest(new Date(-1)));
});

test("the keys of a document do not make it a value of a library", () => {
  assert.equal(digest({ low: 1, high: 2, unsigned: true }), of("m3:s3:lowi1;s4:highi2;s8:unsignedt"));
  assert.equal(digest({ _bsontype: "Long" }), of("m1:s9:_bsontypes4:Long"));
});

test("an error names a value without a digest", () => {
  assert.throws(() => digest(() => 0), /a function has no digest/);
  assert.throws(() => digest(new Map([[{}, 1]])), /as a key/);
});
