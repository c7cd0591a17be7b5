// Calls the example by the types that openapi-typescript generates, and checks the answers. Lines after
// `@ts-expect-error` must not compile, because the types exclude them.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const client = createClient<paths>({ baseUrl: process.argv[2]! });

const listed = await client.GET("/hotels", { params: { query: { city: "Wien", limit: 3 } } });
assert.equal(listed.response.status, 200);
const hotels: components["schemas"]["Hotel"][] = listed.data!;
assert.deepEqual(hotels.map((hotel) => [hotel.id, hotel.city]), [[5, "Wien"], [10, "Wien"], [15, "Wien"]]);
assert.equal(hotels[0]!.rooms[1]!.rate, 105);
assert.equal((await client.GET("/hotels")).data!.length, 50);

const found = await client.GET("/hotels/{id}", { params: { path: { id: 7 } } });
assert.equal(found.data!.name, "Hotel 7");
const missing = await client.GET("/hotels/{id}", { params: { path: { id: 999 } } });
assert.equal(missing.response.status, 404);
const problem: components["schemas"]["Problem"] = missing.error!;
assert.equal(problem.type, "/problems/no-such-hotel");
assert.equal(problem.detail, "there is no hotel 999");

// Without `accept`, the response is a stream of lines.
const headers = { accept: "application/json" };
const streamed = await client.GET("/hotels/stream", { headers });
assert.equal(streamed.response.headers.get("content-type"), "application/json");

const created = await client.POST("/hotels", { body: found.data! });
assert.equal(created.response.status, 201);
assert.equal(created.response.headers.get("location"), "/hotels/7");
assert.deepEqual(created.data, found.data);

const person = { name: "Ada", age: 36, tags: ["first"] };
assert.deepEqual((await client.POST("/echo", { body: person })).data, person);
// @ts-expect-error: the age is missing
const refused = await client.POST("/echo", { body: { name: "Ada", tags: [] } });
assert.equal(refused.response.status, 422);
const place: components["schemas"]["Place"] = refused.error!.errors![0]!.in;
assert.equal(place, "body");

// @ts-expect-error: there is no such parameter
await client.GET("/hotels", { params: { query: { town: "Wien" } } });
// @ts-expect-error: there is no such place
const nowhere: components["schemas"]["Place"] = "nowhere";

const text = await client.GET("/text/{s}", { params: { path: { s: "a/ü" } }, parseAs: "text" });
assert.equal(text.data, "a/ü");
assert.equal((await client.GET("/health")).response.status, 204);
console.log("TypeScript called every operation");
