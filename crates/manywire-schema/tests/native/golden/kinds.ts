// Written by `manywire shape`.

/**
 * An integer of 64 bits or more. JSON.parse reads it as a number, which is exact up to
 * Number.MAX_SAFE_INTEGER (2^53 - 1) and rounded beyond.
 */
export type Int64 = number;

/** Of every kind one. * / // """ \u002a */
export interface Kinds {
  small: number;
  sizes?: number[];
  letter: string;
  color: Color;
  pair: [string, Int64];
  square: number[];
  one: string | Int64 | null;
  any: unknown;
  external: External[];
  whole?: Whole;
  internal: Internal[];
  adjacent: Adjacent[];
  byNumber: { [key: string]: string };
  byColor: { [key: string]: boolean };
  nested?: KindsNestedItem;
  open?: Open;
  tree?: Tree;
}

export function isKinds(value: unknown): value is Kinds {
  return (
    isRecord(value) &&
    hasOwn(value, "small") && isInteger(value["small"], 0, 255) &&
    (!hasOwn(value, "sizes") || value["sizes"] === undefined || isArrayOf(value["sizes"], (item) => isInteger(item, 0, 255))) &&
    hasOwn(value, "letter") && typeof value["letter"] === "string" &&
    hasOwn(value, "color") && isColor(value["color"]) &&
    hasOwn(value, "pair") && (isArrayOf(value["pair"], () => true) && value["pair"].length === 2 && typeof value["pair"][0] === "string" && isInteger(value["pair"][1], -Infinity, Infinity)) &&
    hasOwn(value, "square") && (isArrayOf(value["square"], (item) => typeof item === "number") && value["square"].length === 4) &&
    hasOwn(value, "one") && (value["one"] === null || (typeof value["one"] === "string" || isInteger(value["one"], -Infinity, Infinity))) &&
    hasOwn(value, "any") &&
    hasOwn(value, "external") && isArrayOf(value["external"], (item) => isExternal(item)) &&
    (!hasOwn(value, "whole") || value["whole"] === undefined || isWhole(value["whole"])) &&
    hasOwn(value, "internal") && isArrayOf(value["internal"], (item) => isInternal(item)) &&
    hasOwn(value, "adjacent") && isArrayOf(value["adjacent"], (item) => isAdjacent(item)) &&
    hasOwn(value, "byNumber") && isMapOf(value["byNumber"], (inner) => typeof inner === "string") &&
    hasOwn(value, "byColor") && isMapOf(value["byColor"], (inner) => typeof inner === "boolean") &&
    (!hasOwn(value, "nested") || value["nested"] === undefined || isKindsNestedItem(value["nested"])) &&
    (!hasOwn(value, "open") || value["open"] === undefined || isOpen(value["open"])) &&
    (!hasOwn(value, "tree") || value["tree"] === undefined || isTree(value["tree"]))
  );
}

export type Color = "red" | "dark green" | "" | "class";

export function isColor(value: unknown): value is Color {
  const all: unknown[] = ["red", "dark green", "", "class"];
  return all.includes(value);
}

export type External =
  | "none"
  | { circle: Circle }
  | { "a box": Box };

export function isExternal(value: unknown): value is External {
  return (
    value === "none" ||
    (isRecord(value) && hasOwn(value, "circle") && isCircle(value["circle"])) ||
    (isRecord(value) && hasOwn(value, "a box") && isBox(value["a box"]))
  );
}

export type Whole =
  | { circle: Circle }
  | { number: Int64 };

export function isWhole(value: unknown): value is Whole {
  return (
    (isRecord(value) && hasOwn(value, "circle") && isCircle(value["circle"])) ||
    (isRecord(value) && hasOwn(value, "number") && isInteger(value["number"], -Infinity, Infinity))
  );
}

export type Internal =
  | ({ kind: "circle" } & Circle2)
  | ({ kind: "a box" } & ABox);

export function isInternal(value: unknown): value is Internal {
  return (
    (isRecord(value) && hasOwn(value, "kind") && value["kind"] === "circle" && isCircle2(value)) ||
    (isRecord(value) && hasOwn(value, "kind") && value["kind"] === "a box" && isABox(value))
  );
}

export type Adjacent =
  | { t: "circle"; c: Circle }
  | { t: "text"; c: string };

export function isAdjacent(value: unknown): value is Adjacent {
  return (
    (isRecord(value) && hasOwn(value, "t") && value["t"] === "circle" && hasOwn(value, "c") && isCircle(value["c"])) ||
    (isRecord(value) && hasOwn(value, "t") && value["t"] === "text" && hasOwn(value, "c") && typeof value["c"] === "string")
  );
}

export type KindsNestedItem = KindsNestedItem[];

export function isKindsNestedItem(value: unknown): value is KindsNestedItem {
  return isArrayOf(value, (item) => isKindsNestedItem(item));
}

export interface Open {
  id: Int64;
  /** Every other key holds string. */
  [key: string]: unknown;
}

export function isOpen(value: unknown): value is Open {
  return (
    isRecord(value) &&
    hasOwn(value, "id") && isInteger(value["id"], -Infinity, Infinity) &&
    Object.entries(value).every(([key, rest]) => ["id"].includes(key) || typeof rest === "string")
  );
}

export interface Tree {
  left: Tree | null;
  right?: Tree;
}

export function isTree(value: unknown): value is Tree {
  return (
    isRecord(value) &&
    hasOwn(value, "left") && (value["left"] === null || isTree(value["left"])) &&
    (!hasOwn(value, "right") || value["right"] === undefined || isTree(value["right"]))
  );
}

export interface Circle {
  radius: number;
}

export function isCircle(value: unknown): value is Circle {
  return (
    isRecord(value) &&
    hasOwn(value, "radius") && typeof value["radius"] === "number"
  );
}

export interface Box {
  width: number;
  label?: string;
}

export function isBox(value: unknown): value is Box {
  return (
    isRecord(value) &&
    hasOwn(value, "width") && typeof value["width"] === "number" &&
    (!hasOwn(value, "label") || value["label"] === undefined || typeof value["label"] === "string")
  );
}

export interface Circle2 {
  radius: number;
}

export function isCircle2(value: unknown): value is Circle2 {
  return (
    isRecord(value) &&
    hasOwn(value, "radius") && typeof value["radius"] === "number"
  );
}

export interface ABox {
  width: number;
}

export function isABox(value: unknown): value is ABox {
  return (
    isRecord(value) &&
    hasOwn(value, "width") && typeof value["width"] === "number"
  );
}

function isRecord(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasOwn(value: object, key: string): boolean {
  return Object.prototype.hasOwnProperty.call(value, key);
}

function isInteger(value: unknown, min: number, max: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}

function isArrayOf(value: unknown, isItem: (item: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.every(isItem);
}

function isMapOf(value: unknown, isValue: (value: unknown) => boolean): boolean {
  return isRecord(value) && Object.values(value).every(isValue);
}
