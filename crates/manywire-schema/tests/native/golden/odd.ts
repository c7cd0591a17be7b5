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
    isInteger(value[""], -Infinity, Infinity) &&
    isInteger(value["odd key"], -Infinity, Infinity) &&
    isInteger(value["class"], -Infinity, Infinity) &&
    isInteger(value["Class"], -Infinity, Infinity) &&
    isInteger(value["CLASS"], -Infinity, Infinity) &&
    isInteger(value["self"], -Infinity, Infinity) &&
    typeof value["Self"] === "string" &&
    typeof value["type"] === "string" &&
    typeof value["import"] === "boolean" &&
    isInteger(value["int"], -Infinity, Infinity) &&
    isArrayOf(value["list"], (item) => typeof item === "string") &&
    isInteger(value["naïve"], -Infinity, Infinity) &&
    typeof value["名前"] === "string" &&
    typeof value["имя"] === "string" &&
    isInteger(value["a-b"], -Infinity, Infinity) &&
    isInteger(value["a_b"], -Infinity, Infinity) &&
    isInteger(value["aB"], -Infinity, Infinity) &&
    isInteger(value["1st"], -Infinity, Infinity) &&
    isInteger(value["quote\""], -Infinity, Infinity) &&
    isInteger(value["back\\slash"], -Infinity, Infinity) &&
    isInteger(value["it's"], -Infinity, Infinity) &&
    isInteger(value["comma,"], -Infinity, Infinity) &&
    isInteger(value["`tick`"], -Infinity, Infinity) &&
    typeof value["xml:lang"] === "string" &&
    isInteger(value["tab\t"], -Infinity, Infinity) &&
    isInteger(value["line\nfeed"], -Infinity, Infinity) &&
    isInteger(value["emoji😀"], -Infinity, Infinity) &&
    isInteger(value["rtl\u202e"], -Infinity, Infinity) &&
    isInteger(value["\\u0022"], -Infinity, Infinity) &&
    typeof value["$ref"] === "string" &&
    isInteger(value["-"], -Infinity, Infinity) &&
    isInteger(value["_"], -Infinity, Infinity) &&
    isInteger(value["__proto__"], -Infinity, Infinity) &&
    isInteger(value["constructor"], -Infinity, Infinity) &&
    isInteger(value["hashCode"], -Infinity, Infinity) &&
    typeof value["toString"] === "string" &&
    typeof value["*/"] === "string" &&
    isInteger(value["userId"], -Infinity, Infinity) &&
    typeof value["http_url"] === "string" &&
    value["nothing"] === null &&
    isInteger(value["unsigned"], 0, Infinity) &&
    isInteger(value["least"], -Infinity, Infinity) &&
    isArrayOf(value["mixed"], (item) => (item === null || (typeof item === "number" || typeof item === "boolean" || typeof item === "string" || isArrayOf(item, (item) => isInteger(item, -Infinity, Infinity)) || isMixed(item)))) &&
    isArrayOf(value["numbers"], (item) => typeof item === "number") &&
    isArrayOf(value["empty"], (item) => item === null) &&
    isEmptyObject(value["emptyObject"]) &&
    isArrayOf(value["matrix"], (item) => isArrayOf(item, (item) => isInteger(item, -Infinity, Infinity))) &&
    isArrayOf(value["maybe"], (item) => isMaybe(item)) &&
    isMapOf(value["byNumber"], (inner) => isByNumber(inner)) &&
    isString2(value["String"]) &&
    isOption(value["Option"]) &&
    isTree(value["tree"]) &&
    isChain(value["chain"])
  );
}

export interface Mixed {
  b: Int64;
}

export function isMixed(value: unknown): value is Mixed {
  return (
    isRecord(value) &&
    isInteger(value["b"], -Infinity, Infinity)
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
    (value["x"] === null || isInteger(value["x"], -Infinity, Infinity)) &&
    (value["y"] === undefined || (value["y"] === null || typeof value["y"] === "string"))
  );
}

export interface ByNumber {
  n: Int64;
}

export function isByNumber(value: unknown): value is ByNumber {
  return (
    isRecord(value) &&
    isInteger(value["n"], -Infinity, Infinity)
  );
}

export interface String2 {
  Object: Object2;
}

export function isString2(value: unknown): value is String2 {
  return (
    isRecord(value) &&
    isObject2(value["Object"])
  );
}

export interface Option {
  Vec: Vec;
}

export function isOption(value: unknown): value is Option {
  return (
    isRecord(value) &&
    isVec(value["Vec"])
  );
}

export interface Tree {
  name: string;
  children: Tree[];
}

export function isTree(value: unknown): value is Tree {
  return (
    isRecord(value) &&
    typeof value["name"] === "string" &&
    isArrayOf(value["children"], (item) => isTree(item))
  );
}

export interface Chain {
  value: Int64;
  next: Chain | null;
}

export function isChain(value: unknown): value is Chain {
  return (
    isRecord(value) &&
    isInteger(value["value"], -Infinity, Infinity) &&
    (value["next"] === null || isChain(value["next"]))
  );
}

export interface Object2 {
  List: List;
}

export function isObject2(value: unknown): value is Object2 {
  return (
    isRecord(value) &&
    isList(value["List"])
  );
}

export interface Vec {
  Box: boolean;
}

export function isVec(value: unknown): value is Vec {
  return (
    isRecord(value) &&
    typeof value["Box"] === "boolean"
  );
}

export interface List {
  Map: Int64;
}

export function isList(value: unknown): value is List {
  return (
    isRecord(value) &&
    isInteger(value["Map"], -Infinity, Infinity)
  );
}

function isRecord(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
