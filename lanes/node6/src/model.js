'use strict';

// Converts messages to the values that they represent, by the model that CONTRACT.md describes. Only
// digests use this module: programs use messages directly.

const { Integer, Timestamp } = require('./digest');

const isAbsent = (value) => value === undefined || value === null;

/**
 * Reads messages. `get(message, field)` returns a field, or `undefined` or `null` if the field is absent.
 * `scalar(value, field)` converts a scalar of the library to one that has a digest.
 */
class Reader {
  constructor(model, get, scalar) {
    this.model = model;
    this.get = get;
    this.scalar = scalar;
  }

  root(message) {
    return this.message(message, this.model.messages[this.model.root]);
  }

  message(message, type) {
    const of = (field) => this.field(this.get(message, field), field);
    const set = () => type.fields.find((field) => !isAbsent(this.get(message, field)));
    switch (type.form) {
      case 'record':
        return this.record(type, of);
      case 'wrapper':
        return of(type.fields[0]);
      case 'tuple':
        return type.fields.map(of);
      case 'union': {
        const found = set();
        return found ? of(found) : null;
      }
      case 'variants': {
        const found = set();
        return found ? new Map([[found.name, of(found)]]) : null;
      }
      case 'null':
        return null;
      case 'timestamp':
        return new Timestamp(of(type.fields[0]), of(type.fields[1]));
      default:
        throw new Error(`a message of the form ${type.form} cannot be a whole value`);
    }
  }

  record(type, of) {
    const value = new Map();
    for (const field of type.fields) {
      const found = of(field);
      if (field.proto !== type.rest) value.set(field.name, found);
      else if (found) found.forEach((each, key) => value.set(key, each));
    }
    return value;
  }

  field(value, field) {
    const type = field.of === undefined ? undefined : this.model.messages[field.of];
    if (type && type.form === 'map') return this.map(value, type);
    const isRepeated = field.label === 'repeated' || field.label === 'packed';
    const items = isAbsent(value) ? [] : value;
    if (type && type.form === 'entry' && isRepeated) {
      return new Map(items.map((entry) => type.fields.map((each) => this.field(this.get(entry, each), each))));
    }
    if (isRepeated) {
      // An array without items is an empty array if absence means zero, otherwise null.
      if (items.length === 0 && field.absent !== 'zero') return null;
      return items.map((item) => this.item(item, field));
    }
    if (!isAbsent(value)) return this.item(value, field);
    return field.absent === 'zero' ? this.zero(field) : null;
  }

  zero(field) {
    const zeros = { bool: false, string: '', bytes: Buffer.alloc(0), message: null };
    if (field.kind === 'enum') return this.model.enums[field.of]['0'] || null;
    return field.kind in zeros ? zeros[field.kind] : 0;
  }

  /** Reads a `map<K, V>`, which is an object or has the method `forEach` of a `Map`. */
  map(value, type) {
    const entries = new Map();
    if (isAbsent(value)) return entries;
    const add = (each, key) => entries.set(this.scalar(key, type.fields[0]), this.item(each, type.fields[1]));
    if (Object.getPrototypeOf(value) === Object.prototype) Object.keys(value).forEach((key) => add(value[key], key));
    else value.forEach(add);
    return entries;
  }

  item(value, field) {
    switch (field.kind) {
      case 'message':
        return this.message(value, this.model.messages[field.of]);
      case 'enum': {
        const name = this.model.enums[field.of][value];
        return name === undefined ? value : name;
      }
      case 'bigint':
        return new Integer(value);
      case 'number':
        return Number(value);
      default:
        return this.scalar(value, field);
    }
  }
}

module.exports = { Reader };
