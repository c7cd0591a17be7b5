//! Values of JavaScript: from dynamic values, and back.
//!
//! Each value of a format has one counterpart, or is refused with its path:
//!
//! | value | JavaScript |
//! |---|---|
//! | integer | a number if it is safe, and else a `bigint` |
//! | float | a number |
//! | bytes | a `Uint8Array` |
//! | map | an object if all keys are text, and else a `Map` |
//! | timestamp | a `Timestamp` of the package |
//! | extension | an `Extension` of the package |
//!
//! In the other direction, a number without a fraction is an integer if it is safe, and a `Date` is a
//! timestamp. Anything else that JavaScript has, such as `undefined` or a function, is refused.

use std::cell::RefCell;

use js_sys::{Array, BigInt, Date, Function, JsString, Map, Object, Reflect, Uint8Array};
use manywire_bindings::{
    DEPTH_MAX, Error, code_number, code_of_number, key_text, space_name, space_of_name,
};
use manywire_shape::fidelity::has_duplicate_keys;
use manywire_shape::{Arena, Ext, Timestamp, Value};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

/// The largest safe integer of JavaScript, 2^53 - 1: up to it, no other integer has the same
/// number.
const SAFE_MAX: i64 = (1 << 53) - 1;

/// The classes of the package.
struct Classes {
    timestamp: Function,
    extension: Function,
}

thread_local! {
    // A module has one thread, and JavaScript sets the classes once, before it calls anything else.
    static CLASSES: RefCell<Option<Classes>> = const { RefCell::new(None) };
}

/// Sets the classes of timestamps and extensions.
#[wasm_bindgen]
pub fn classes(timestamp: Function, extension: Function) {
    CLASSES.set(Some(Classes { timestamp, extension }));
}

/// Sets a member of an object that was made here.
pub(crate) fn set(object: &Object, name: &str, member: &JsValue) {
    // Setting a member of an object that was made here does not fail.
    drop(Reflect::set(object, &name.into(), member));
}

/// Returns the value in JavaScript.
pub(crate) fn to_js(value: &Value<'_>) -> Result<JsValue, Error> {
    Ok(match *value {
        Value::Null => JsValue::NULL,
        Value::Bool(truth) => truth.into(),
        Value::I64(number) | Value::Long(number) => integer(number),
        Value::U64(number) => BigInt::from(number).into(),
        Value::Number(text) => long_number(text)?,
        Value::F32(number) => f64::from(number).into(),
        Value::F64(number) => number.into(),
        Value::Str(text) => text.into(),
        Value::Bytes(bytes) => Uint8Array::from(bytes).into(),
        Value::Array(items) => {
            let array = Array::new_with_length(u32::try_from(items.len()).unwrap_or(u32::MAX));
            for (index, item) in items.iter().enumerate() {
                let item = to_js(item).map_err(|error| error.under_index(index))?;
                array.set(index as u32, item);
            }
            array.into()
        }
        Value::Map(entries) => map(entries)?,
        Value::Timestamp(time) => {
            let arguments = Array::of2(&integer(time.seconds), &time.nanoseconds.into());
            construct(|classes| &classes.timestamp, &arguments)?
        }
        Value::Ext(ext) => {
            let content = to_js(&ext.content)?;
            let code = code_number(ext.space, ext.code);
            let code = i64::try_from(code).map_or_else(|_| BigInt::from(ext.code).into(), integer);
            let arguments = Array::of3(&space_name(ext.space).into(), &code, &content);
            construct(|classes| &classes.extension, &arguments)?
        }
    })
}

fn integer(number: i64) -> JsValue {
    if (-SAFE_MAX..=SAFE_MAX).contains(&number) {
        (number as f64).into()
    } else {
        BigInt::from(number).into()
    }
}

#[cold]
fn long_number(text: &str) -> Result<JsValue, Error> {
    match BigInt::new(&text.into()) {
        Ok(number) => Ok(number.into()),
        Err(_) => Err(Error::at("$", format_args!("JavaScript has no number for {text}"))),
    }
}

fn map(entries: &[(Value<'_>, Value<'_>)]) -> Result<JsValue, Error> {
    if has_duplicate_keys(entries) {
        return Err(Error::at("$", "a key occurs twice, which JavaScript cannot hold"));
    }
    if entries.iter().all(|(key, _)| matches!(key, Value::Str(_))) {
        let object = Object::new();
        for (key, value) in entries {
            let Value::Str(name) = key else { continue };
            let value = to_js(value).map_err(|error| error.under_key(name))?;
            add_member(&object, name, &value);
        }
        return Ok(object.into());
    }
    let map = Map::new();
    for (key, value) in entries {
        let shown = key_text(key);
        let key = to_js(key)?;
        if map.has(&key) {
            let message = format_args!("the keys {shown} and another are equal in JavaScript");
            return Err(Error::at("$", message));
        }
        map.set(&key, &to_js(value).map_err(|error| error.under_key(&shown))?);
    }
    Ok(map.into())
}

/// Adds a member as object literals do: `__proto__` is a member like any other.
fn add_member(object: &Object, name: &str, value: &JsValue) {
    if name != "__proto__" {
        return set(object, name, value);
    }
    let descriptor = Object::new();
    set(&descriptor, "value", value);
    for property in ["writable", "enumerable", "configurable"] {
        set(&descriptor, property, &JsValue::TRUE);
    }
    Object::define_property(object, &name.into(), &descriptor);
}

fn construct(class: fn(&Classes) -> &Function, arguments: &Array) -> Result<JsValue, Error> {
    CLASSES.with_borrow(|classes| {
        let classes = classes.as_ref().ok_or_else(|| Error::new("the classes are not set"))?;
        Reflect::construct(class(classes), arguments).map_err(|_| Error::new("a class failed"))
    })
}

/// Returns the value of JavaScript as a dynamic value in the arena.
pub(crate) fn from_js<'a>(value: &JsValue, arena: &'a Arena) -> Result<Value<'a>, Error> {
    read(value, arena, 0)
}

fn read<'a>(value: &JsValue, arena: &'a Arena, depth: usize) -> Result<Value<'a>, Error> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    if let Some(truth) = value.as_bool() {
        return Ok(Value::Bool(truth));
    }
    if let Some(number) = value.as_f64() {
        return Ok(number_value(number));
    }
    if let Some(text) = value.dyn_ref::<JsString>() {
        return Ok(Value::Str(arena.alloc_str(&well_formed(text)?)));
    }
    if value.is_bigint() {
        return Ok(big_value(value, arena));
    }
    if let Some(bytes) = value.dyn_ref::<Uint8Array>() {
        return Ok(Value::Bytes(arena.alloc_slice_copy(&bytes.to_vec())));
    }
    if let Some(buffer) = value.dyn_ref::<js_sys::ArrayBuffer>() {
        return Ok(Value::Bytes(arena.alloc_slice_copy(&Uint8Array::new(buffer).to_vec())));
    }
    if let Some(date) = value.dyn_ref::<Date>() {
        return time_of_date(date);
    }
    if !value.is_object() {
        return Err(no_counterpart(value));
    }
    if depth == DEPTH_MAX {
        return Err(Error::at("$", format_args!("the value nests deeper than {DEPTH_MAX} levels")));
    }
    if let Some(items) = value.dyn_ref::<Array>() {
        return array(items, arena, depth);
    }
    if let Some(entries) = value.dyn_ref::<Map>() {
        return entries_of_map(entries, arena, depth);
    }
    if let Some(time) = instance(value, |classes| &classes.timestamp) {
        return timestamp(&time);
    }
    if let Some(extension) = instance(value, |classes| &classes.extension) {
        return ext(&extension, arena, depth);
    }
    match plain(value) {
        Some(object) => members(object, arena, depth),
        None => Err(no_counterpart(value)),
    }
}

/// Converts a number: to an integer if the number is a safe integer other than -0, otherwise to a
/// float.
fn number_value(number: f64) -> Value<'static> {
    let is_integer = number.fract() == 0.0
        && number.abs() <= SAFE_MAX as f64
        && (number != 0.0 || number.is_sign_positive());
    if is_integer { Value::I64(number as i64) } else { Value::F64(number) }
}

fn big_value<'a>(value: &JsValue, arena: &'a Arena) -> Value<'a> {
    let text = BigInt::from(value.clone()).to_string(10).map(String::from).unwrap_or_default();
    if let Ok(number) = text.parse::<i64>() {
        Value::I64(number)
    } else if let Ok(number) = text.parse::<u64>() {
        Value::U64(number)
    } else {
        Value::Number(arena.alloc_str(&text))
    }
}

/// Converts a string. Fails for half of a surrogate pair, which UTF-8 cannot represent.
fn well_formed(text: &JsString) -> Result<String, Error> {
    match text.is_valid_utf16() {
        true => Ok(String::from(text)),
        false => Err(Error::at("$", "the string has a surrogate without its other half")),
    }
}

fn time_of_date(date: &Date) -> Result<Value<'static>, Error> {
    let milliseconds = date.get_time();
    if milliseconds.is_nan() {
        return Err(Error::at("$", "the date is invalid"));
    }
    // A date has whole milliseconds, at most 8.64e15.
    let milliseconds = milliseconds as i64;
    let nanoseconds = milliseconds.rem_euclid(1000) as u32 * 1_000_000;
    Ok(Value::Timestamp(Timestamp { seconds: milliseconds.div_euclid(1000), nanoseconds }))
}

fn array<'a>(items: &Array, arena: &'a Arena, depth: usize) -> Result<Value<'a>, Error> {
    let mut values = Vec::new();
    for (index, item) in items.iter().enumerate() {
        values.push(read(&item, arena, depth + 1).map_err(|error| error.under_index(index))?);
    }
    Ok(Value::Array(arena.alloc_slice_copy(&values)))
}

fn entries_of_map<'a>(map: &Map, arena: &'a Arena, depth: usize) -> Result<Value<'a>, Error> {
    let mut entries = Vec::new();
    for entry in Array::from(map).iter() {
        let entry = Array::from(&entry);
        let key = read(&entry.get(0), arena, depth + 1)?;
        let value = read(&entry.get(1), arena, depth + 1);
        entries.push((key, value.map_err(|error| error.under_key(&key_text(&key)))?));
    }
    Ok(Value::Map(arena.alloc_slice_copy(&entries)))
}

fn members<'a>(object: &Object, arena: &'a Arena, depth: usize) -> Result<Value<'a>, Error> {
    let mut entries = Vec::new();
    let failed = |_| Error::at("$", "the members of the object cannot be read");
    for name in keys(object).map_err(failed)?.iter() {
        let text = well_formed(name.unchecked_ref())?;
        let member = Reflect::get(object, &name).map_err(failed)?;
        let value = read(&member, arena, depth + 1).map_err(|error| error.under_key(&text))?;
        entries.push((Value::Str(arena.alloc_str(&text)), value));
    }
    Ok(Value::Map(arena.alloc_slice_copy(&entries)))
}

fn timestamp(object: &Object) -> Result<Value<'static>, Error> {
    let seconds = whole_number(object, "seconds")?;
    let nanoseconds = whole_number(object, "nanoseconds")?;
    let time = (i64::try_from(seconds).ok().zip(u32::try_from(nanoseconds).ok()))
        .and_then(|(seconds, nanoseconds)| Timestamp::new(seconds, nanoseconds));
    time.map(Value::Timestamp).ok_or_else(|| Error::at("$", "the timestamp is out of range"))
}

fn ext<'a>(object: &Object, arena: &'a Arena, depth: usize) -> Result<Value<'a>, Error> {
    let member = |name: &str| Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let space = member("space").as_string().and_then(|name| space_of_name(&name));
    let space = space.ok_or_else(|| Error::at("$", "the extension has no known space"))?;
    let code = code_of_number(space, whole_number(object, "code")?);
    let code = code.ok_or_else(|| Error::at("$", "the code of the extension is out of range"))?;
    let content = read(&member("content"), arena, depth + 1)?;
    Ok(Value::Ext(arena.alloc(Ext { space, code, content })))
}

/// Returns a member that is a whole number: a safe one, or a `bigint`.
fn whole_number(object: &Object, name: &str) -> Result<i128, Error> {
    let member = Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let number = match member.as_f64() {
        Some(number) if number.fract() == 0.0 && number.abs() <= SAFE_MAX as f64 => {
            Some(number as i128)
        }
        Some(_) => None,
        None if member.is_bigint() => {
            let text = BigInt::from(member).to_string(10).map(String::from);
            text.ok().and_then(|text| text.parse().ok())
        }
        None => None,
    };
    number.ok_or_else(|| Error::at("$", format_args!("{name} is not a whole number")))
}

fn instance(value: &JsValue, class: fn(&Classes) -> &Function) -> Option<Object> {
    let is_instance = CLASSES.with_borrow(|classes| {
        let prototype = Reflect::get(class(classes.as_ref()?), &"prototype".into()).ok()?;
        let own = Reflect::get_prototype_of(value).ok()?;
        Object::is(&prototype, &own).then_some(())
    });
    is_instance.and_then(|()| value.dyn_ref::<Object>().cloned())
}

/// Returns the value if it is an object without a class.
fn plain(value: &JsValue) -> Option<&Object> {
    // An object without a prototype is no instance of `Object`.
    let object: &Object = value.is_object().then(|| value.unchecked_ref())?;
    let prototype = Reflect::get_prototype_of(object).ok()?;
    // The prototype of a plain object, also of one from another window, has no prototype.
    let is_plain = prototype.is_null()
        || Reflect::get_prototype_of(&prototype).is_ok_and(|outer| outer.is_null());
    is_plain.then_some(object)
}

#[wasm_bindgen]
extern "C" {
    /// The names of an object's own members. Proxies may throw.
    #[wasm_bindgen(catch, js_namespace = Object, js_name = keys)]
    fn keys(object: &Object) -> Result<Array, JsValue>;
}

/// Returns the error for a value that no format can represent.
#[cold]
fn no_counterpart(value: &JsValue) -> Error {
    let class =
        || Reflect::get(&Reflect::get(value, &"constructor".into()).ok()?, &"name".into()).ok();
    let kind = match class().filter(|_| value.is_object()).and_then(|name| name.as_string()) {
        Some(name) => format!("an object of the class {name}"),
        None => value.js_typeof().as_string().unwrap_or_default(),
    };
    Error::at("$", format_args!("{kind} has no counterpart in any format"))
}
