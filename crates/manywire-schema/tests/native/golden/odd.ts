// Written by `manywire shape`.

/**
 * An integer of 64 bits or more. JSON.parse reads it as a number, which is exact up to
 * Number.MAX_SAFE_INTEGER (2^53 - 1) and rounded beyond.
 */
export type Int64 = number;

export interface Root {
  "": Int64;
  "odd key": Int64;
  class: Int64;
  Class: Int64;
  CLASS: Int64;
  self: Int64;
  Self: string;
  type: string;
  import: boolean;
  int: Int64;
  list: string[];
  "naïve": Int64;
  "名前": string;
  "имя": string;
  "a-b": Int64;
  a_b: Int64;
  aB: Int64;
  "1st": Int64;
  "quote\"": Int64;
  "back\\slash": Int64;
  "it's": Int64;
  "comma,": Int64;
  "`tick`": Int64;
  "xml:lang": string;
  "tab\t": Int64;
  "line\nfeed": Int64;
  "emoji😀": Int64;
  "rtl\u202e": Int64;
  "\\u0022": Int64;
  $ref: string;
  "-": Int64;
  _: Int64;
  __proto__: Int64;
  constructor: Int64;
  hashCode: Int64;
  toString: string;
  "*/": string;
  userId: Int64;
  http_url: string;
  nothing: null;
  unsigned: Int64;
  least: Int64;
  mixed: (number | boolean | string | Int64[] | Mixed | null)[];
  numbers: number[];
  empty: null[];
  emptyObject: EmptyObject;
  matrix: Int64[][];
  maybe: Maybe[];
  byNumber: { [key: string]: ByNumber };
  String: String2;
  Option: Option;
  tree: Tree;
  chain: Chain;
}

export function isRoot(value: unknown): value is Root {
  return (
    isRecord(value) &&
    hasOwn(value, "") && isInteger(value[""], -Infinity, Infinity) &&
    hasOwn(value, "odd key") && isInteger(value["odd key"], -Infinity, Infinity) &&
    hasOwn(value, "class") && isInteger(value["class"], -Infinity, Infinity) &&
    hasOwn(value, "Class") && isInteger(value["Class"], -Infinity, Infinity) &&
    hasOwn(value, "CLASS") && isInteger(value["CLASS"], -Infinity, Infinity) &&
    hasOwn(value, "self") && isInteger(value["self"], -Infinity, Infinity) &&
    hasOwn(value, "Self") && typeof value["Self"] === "string" &&
    hasOwn(value, "type") && typeof value["type"] === "string" &&
    hasOwn(value, "import") && typeof value["import"] === "boolean" &&
    hasOwn(value, "int") && isInteger(value["int"], -Infinity, Infinity) &&
    hasOwn(value, "list") && isArrayOf(value["list"], (item) => typeof item === "string") &&
    hasOwn(value, "naïve") && isInteger(value["naïve"], -Infinity, Infinity) &&
    hasOwn(value, "名前") && typeof value["名前"] === "string" &&
    hasOwn(value, "имя") && typeof value["имя"] === "string" &&
    hasOwn(value, "a-b") && isInteger(value["a-b"], -Infinity, Infinity) &&
    hasOwn(value, "a_b") && isInteger(value["a_b"], -Infinity, Infinity) &&
    hasOwn(value, "aB") && isInteger(value["aB"], -Infinity, Infinity) &&
    hasOwn(value, "1st") && isInteger(value["1st"], -Infinity, Infinity) &&
    hasOwn(value, "quote\"") && isInteger(value["quote\""], -Infinity, Infinity) &&
    hasOwn(value, "back\\slash") && isInteger(value["back\\slash"], -Infinity, Infinity) &&
    hasOwn(value, "it's") && isInteger(value["it's"], -Infinity, Infinity) &&
    hasOwn(value, "comma,") && isInteger(value["comma,"], -Infinity, Infinity) &&
    hasOwn(value, "`tick`") && isInteger(value["`tick`"], -Infinity, Infinity) &&
    hasOwn(value, "xml:lang") && typeof value["xml:lang"] === "string" &&
    hasOwn(value, "tab\t") && isInteger(value["tab\t"], -Infinity, Infinity) &&
    hasOwn(value, "line\nfeed") && isInteger(value["line\nfeed"], -Infinity, Infinity) &&
    hasOwn(value, "emoji😀") && isInteger(value["emoji😀"], -Infinity, Infinity) &&
    hasOwn(value, "rtl\u202e") && isInteger(value["rtl\u202e"], -Infinity, Infinity) &&
    hasOwn(value, "\\u0022") && isInteger(value["\\u0022"], -Infinity, Infinity) &&
    hasOwn(value, "$ref") && typeof value["$ref"] === "string" &&
    hasOwn(value, "-") && isInteger(value["-"], -Infinity, Infinity) &&
    hasOwn(value, "_") && isInteger(value["_"], -Infinity, Infinity) &&
    hasOwn(value, "__proto__") && isInteger(value["__proto__"], -Infinity, Infinity) &&
    hasOwn(value, "constructor") && isInteger(value["constructor"], -Infinity, Infinity) &&
    hasOwn(value, "hashCode") && isInteger(value["hashCode"], -Infinity, Infinity) &&
    hasOwn(value, "toString") && typeof value["toString"] === "string" &&
    hasOwn(value, "*/") && typeof value["*/"] === "string" &&
    hasOwn(value, "userId") && isInteger(value["userId"], -Infinity, Infinity) &&
    hasOwn(value, "http_url") && typeof value["http_url"] === "string" &&
    hasOwn(value, "nothing") && value["nothing"] === null &&
    hasOwn(value, "unsigned") && isInteger(value["unsigned"], 0, Infinity) &&
    hasOwn(value, "least") && isInteger(value["least"], -Infinity, Infinity) &&
    hasOwn(value, "mixed") && isArrayOf(value["mixed"], (item) => (item === null || (typeof item === "number" || typeof item === "boolean" || typeof item === "string" || isArrayOf(item, (item) => isInteger(item, -Infinity, Infinity)) || isMixed(item)))) &&
    hasOwn(value, "numbers") && isArrayOf(value["numbers"], (item) => typeof item === "number") &&
    hasOwn(value, "empty") && isArrayOf(value["empty"], (item) => item === null) &&
    hasOwn(value, "emptyObject") && isEmptyObject(value["emptyObject"]) &&
    hasOwn(value, "matrix") && isArrayOf(value["matrix"], (item) => isArrayOf(item, (item) => isInteger(item, -Infinity, Infinity))) &&
    hasOwn(value, "maybe") && isArrayOf(value["maybe"], (item) => isMaybe(item)) &&
    hasOwn(value, "byNumber") && isMapOf(value["byNumber"], (inner) => isByNumber(inner)) &&
    hasOwn(value, "String") && isString2(value["String"]) &&
    hasOwn(value, "Option") && isOption(value["Option"]) &&
    hasOwn(value, "tree") && isTree(value["tree"]) &&
    hasOwn(value, "chain") && isChain(value["chain"])
  );
}

export interface Mixed {
  b: Int64;
}

export function isMixed(value: unknown): value is Mixed {
  return (
    isRecord(value) &&
    hasOwn(value, "b") && isInteger(value["b"], -Infinity, Infinity)
  );
}

export interface EmptyObject {
}

export function isEmptyObject(value: unknown): value is EmptyObject {
  return (
    isRecord(value)
  );
}

export interface Maybe {
  x: Int64 | null;
  y?: string | null;
}

export function isMaybe(value: unknown): value is Maybe {
  return (
    isRecord(value) &&
    hasOwn(value, "x") && (value["x"] === null || isInteger(value["x"], -Infinity, Infinity)) &&
    (!hasOwn(value, "y") || value["y"] === undefined || (value["y"] === null || typeof value["y"] === "string"))
  );
}

export interface ByNumber {
  n: Int64;
}

export function isByNumber(value: unknown): value is ByNumber {
  return (
    isRecord(value) &&
    hasOwn(value, "n") && isInteger(value["n"], -Infinity, Infinity)
  );
}

export interface String2 {
  Object: Object2;
}

export function isString2(value: unknown): value is String2 {
  return (
    isRecord(value) &&
    hasOwn(value, "Object") && isObject2(value["Object"])
  );
}

export interface Option {
  Vec: Vec;
}

export function isOption(value: unknown): value is Option {
  return (
    isRecord(value) &&
    hasOwn(value, "Vec") && isVec(value["Vec"])
  );
}

export interface Tree {
  name: string;
  children: Tree[];
}

export function isTree(value: unknown): value is Tree {
  return (
    isRecord(value) &&
    hasOwn(value, "name") && typeof value["name"] === "string" &&
    hasOwn(value, "children") && isArrayOf(value["children"], (item) => isTree(item))
  );
}

export interface Chain {
  value: Int64;
  next: Chain | null;
}

export function isChain(value: unknown): value is Chain {
  return (
    isRecord(value) &&
    hasOwn(value, "value") && isInteger(value["value"], -Infinity, Infinity) &&
    hasOwn(value, "next") && (value["next"] === null || isChain(value["next"]))
  );
}

export interface Object2 {
  List: List;
}

export function isObject2(value: unknown): value is Object2 {
  return (
    isRecord(value) &&
    hasOwn(value, "List") && isList(value["List"])
  );
}

export interface Vec {
  Box: boolean;
}

export function isVec(value: unknown): value is Vec {
  return (
    isRecord(value) &&
    hasOwn(value, "Box") && typeof value["Box"] === "boolean"
  );
}

export interface List {
  Map: Int64;
}

export function isList(value: unknown): value is List {
  return (
    isRecord(value) &&
    hasOwn(value, "Map") && isInteger(value["Map"], -Infinity, Infinity)
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
