use apache_avro::types::Value as Theirs;
use manywire_shape::avro::{NodeId, Record, Role, Schema, Type};
use manywire_shape::{Arena, Timestamp, Value};

use super::{array, map};
use crate::error::Result;

/// Converts a value of apache-avro. Attributes of the schema have the names and forms that Avro cannot
/// express.
pub(crate) fn avro<'a>(
    schema: &Schema,
    id: NodeId,
    value: &Theirs,
    arena: &'a Arena,
) -> Result<Value<'a>> {
    Ok(match (schema.ty(id), value) {
        (_, Theirs::Null) => Value::Null,
        (_, Theirs::Boolean(truth)) => Value::Bool(*truth),
        (_, Theirs::Int(number)) => Value::I64(i64::from(*number)),
        (_, Theirs::Long(number)) => Value::I64(*number),
        (_, Theirs::Float(number)) => Value::F32(*number),
        (_, Theirs::Double(number)) => Value::F64(*number),
        (_, Theirs::Bytes(bytes) | Theirs::Fixed(_, bytes)) => {
            Value::Bytes(arena.alloc_slice_copy(bytes))
        }
        (_, Theirs::Decimal(decimal)) => {
            let bytes = Vec::try_from(decimal)?;
            let logical = schema.node(id).logical.as_ref();
            match logical.and_then(|logical| logical.scale).unwrap_or(0) {
                0 => integer(&bytes, arena)?,
                _ => Value::Bytes(arena.alloc_slice_copy(&bytes)),
            }
        }
        (_, Theirs::String(text)) => Value::Str(arena.alloc_str(text)),
        (_, Theirs::TimestampMillis(ms)) => time(i128::from(*ms) * 1_000_000)?,
        (_, Theirs::TimestampMicros(us)) => time(i128::from(*us) * 1_000)?,
        (_, Theirs::TimestampNanos(ns)) => time(i128::from(*ns))?,
        (Type::Enum(of), Theirs::Enum(index, _)) => {
            let symbol = of
                .symbols
                .get(*index as usize)
                .ok_or("an enum index beyond the symbols of the schema")?;
            Value::Str(arena.alloc_str(symbol.key()))
        }
        (Type::Union(branches), Theirs::Union(index, inner)) => {
            let branch = branches.get(*index as usize);
            avro(
                schema,
                *branch.ok_or("a union index beyond the branches of the schema")?,
                inner,
                arena,
            )?
        }
        (Type::Array(item), Theirs::Array(items)) => {
            if let Type::Record(Record { role: Role::Entry, .. }) = schema.ty(*item) {
                return pairs(schema, *item, items, arena);
            }
            array(items.iter().map(|each| avro(schema, *item, each, arena)), arena)?
        }
        (Type::Map(item), Theirs::Map(entries)) => {
            let entries = entries.iter().map(|(key, each)| {
                Ok((Value::Str(arena.alloc_str(key)), avro(schema, *item, each, arena)?))
            });
            map(entries, arena)?
        }
        (Type::Record(of), Theirs::Record(fields)) => {
            let values = of.fields.iter().zip(fields);
            let values = values.map(|(field, (_, each))| avro(schema, field.node, each, arena));
            record(of, &values.collect::<Result<Vec<_>>>()?, arena)?
        }
        (_, other) => return Err(format!("{other:?} has no digest").into()),
    })
}

/// Converts a decimal of scale 0, in big-endian two's complement.
fn integer<'a>(bytes: &[u8], arena: &'a Arena) -> Result<Value<'a>> {
    let sign = if bytes.first().is_some_and(|byte| *byte >= 0x80) { 0xff } else { 0 };
    let mut wide = [sign; 16];
    let start = wide.len().checked_sub(bytes.len()).ok_or("an integer of more than 128 bits")?;
    wide[start..].copy_from_slice(bytes);
    Ok(super::integer(i128::from_be_bytes(wide), arena))
}

/// Converts an array of records with a key and a value each to a map.
fn pairs<'a>(
    schema: &Schema,
    item: NodeId,
    items: &[Theirs],
    arena: &'a Arena,
) -> Result<Value<'a>> {
    let Type::Record(of) = schema.ty(item) else {
        return Err("an entry that is not a record of a key and a value".into());
    };
    let pair = |each: &Theirs| match (of.fields.as_slice(), each) {
        ([key, value], Theirs::Record(fields)) if fields.len() == 2 => Ok((
            avro(schema, key.node, &fields[0].1, arena)?,
            avro(schema, value.node, &fields[1].1, arena)?,
        )),
        _ => Err("an entry that is not a pair".into()),
    };
    map(items.iter().map(pair), arena)
}

/// Converts a record to the value that it represents.
fn record<'a>(of: &Record, values: &[Value<'a>], arena: &'a Arena) -> Result<Value<'a>> {
    Ok(match (&of.role, values) {
        (Role::Record, _) => {
            let mut entries = Vec::new();
            for (field, value) in of.fields.iter().zip(values) {
                match *value {
                    Value::Map(rest) if field.rest => entries.extend_from_slice(rest),
                    value => entries.push((Value::Str(arena.alloc_str(field.key())), value)),
                }
            }
            Value::Map(arena.alloc_slice_copy(&entries))
        }
        (Role::Tuple, items) => Value::Array(arena.alloc_slice_copy(items)),
        (Role::Transparent, [inner]) => *inner,
        (Role::Timestamp, [Value::I64(seconds), Value::I64(nanoseconds)]) => {
            let time = Timestamp::new(*seconds, u32::try_from(*nanoseconds)?);
            Value::Timestamp(time.ok_or("nanoseconds that are more than a second")?)
        }
        (Role::Number, [Value::Str(text)]) => Value::Number(text),
        (role, _) => return Err(format!("{role:?} has no digest").into()),
    })
}

fn time(ns: i128) -> Result<Value<'static>> {
    const SECOND: i128 = 1_000_000_000;
    let seconds = i64::try_from(ns.div_euclid(SECOND))?;
    let nanoseconds = ns.rem_euclid(SECOND) as u32;
    Ok(Value::Timestamp(Timestamp { seconds, nanoseconds }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_integers() {
        let arena = Arena::new();
        for (bytes, value) in [
            (&[][..], Value::I64(0)),
            (&[0x7f], Value::I64(127)),
            (&[0x80], Value::I64(-128)),
            (&[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], Value::U64(u64::MAX)),
            (
                &[0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
                Value::Number("-9223372036854775809"),
            ),
        ] {
            assert_eq!(integer(bytes, &arena).unwrap(), value, "{bytes:x?}");
        }
        assert!(integer(&[1; 17], &arena).is_err());
    }
}
