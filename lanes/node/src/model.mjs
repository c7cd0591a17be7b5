// Converts messages to the values that they represent, by the model that CONTRACT.md describes. Only
// digests use this module: programs use messages directly.

import { Timestamp } from "./digest.mjs";

/** Reads messages. `get(message, field)` returns a field, or `undefined` if the field is absent. */
export class Reader {
  constructor(model, get) {
    this.model = model;
    this.get = get;
  }

  root(message) {
    return this.message(message, this.model.messages[this.model.root]);
  }

  message(message, type) {
    const of = (field) => this.field(this.get(message, field), field);
    switch (type.form) {
      case "record": {
        const value = new Map();
        for (const field of type.fields) {
          const found = of(field);
          if (field.proto !== type.rest) value.set(field.name, found);
          else if (found) for (const [key, each] of found) value.set(key, each);
        }
        return value;
      }
      case "wrapper":
        return of(type.fields[0]);
      case "tuple":
        return type.fields.map(of);
      case "union": {
        const set = type.fields.find((field) => this.isSet(message, field));
        return set ? of(set) : null;
      }
      case "variants": {
        const set = type.fields.find((field) => this.isSet(message, field));
        return set ? new Map([[set.name, of(set)]]) : null;
      }
      case "null":
        return null;
      case "timestamp":
        return new Timestamp(whole(this.get(message, type.fields[0]) ?? 0), Number(this.get(message, type.fields[1]) ?? 0));
      default:
        throw new Error(`a message of the form ${type.form} cannot be a whole value`);
    }
  }

  isSet(message, field) {
    const value = this.get(message, field);
    return value !== undefined && value !== null;
  }

  field(value, field) {
    const type = field.of === undefined ? undefined : this.model.messages[field.of];
    if (type?.form === "map") {
      const pairs = value instanceof Map ? [...value] : Object.entries(value ?? {});
      return new Map(pairs.map(([key, each]) => [key, this.item(each, type.fields[1])]));
    }
    const repeated = field.label === "repeated" || field.label === "packed";
    if (type?.form === "entry" && repeated) {
      return new Map((value ?? []).map((entry) => type.fields.map((each) => this.field(this.get(entry, each), each))));
    }
    if (repeated) {
      // An array without items is an empty array if absence means zero, otherwise null.
      if (!value?.length && field.absent !== "zero") return null;
      return (value ?? []).map((item) => this.item(item, field));
    }
    if (value !== undefined && value !== null) return this.item(value, field);
    return field.absent === "zero" ? this.zero(field) : null;
  }

  item(value, field) {
    switch (field.kind) {
      case "message":
        return this.message(value, this.model.messages[field.of]);
      case "enum":
        return this.model.enums[field.of][value] ?? value;
      case "bigint":
        return BigInt(value);
      case "number":
        return Number(value);
      default:
        return value;
    }
  }

  zero(field) {
    if (field.kind === "enum") return this.model.enums[field.of]["0"] ?? null;
    const zeros = { bool: false, string: "", bytes: new Uint8Array(0), message: null };
    return field.kind in zeros ? zeros[field.kind] : 0;
  }
}

const whole = (value) => BigInt(value.toString());
