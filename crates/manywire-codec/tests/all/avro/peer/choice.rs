//! Generates values of a generated shape.

use manywire_shape::{Arena, Ext, Int, Space, Timestamp, Value};

use super::spec::{NAMES, Spec};

/// Chooses the content of a value by splitmix64, so that a failure is reproducible by its seed.
pub(super) struct Choice(pub(super) u64);

impl Choice {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// Returns bits of every magnitude.
    fn magnitude(&mut self) -> u64 {
        let shift = self.below(64);
        self.bits() >> shift
    }

    fn text<'a>(&mut self, arena: &'a Arena) -> &'a str {
        let len = self.below(12);
        let letters = ['a', 'Z', 'é', '日', '\0', '"', '\u{10ffff}'];
        arena.alloc_str(&(0..len).map(|_| letters[self.below(letters.len())]).collect::<String>())
    }

    fn number<'a>(&mut self, int: Int, arena: &'a Arena) -> Value<'a> {
        let wide = (u128::from(self.bits()) << 64 | u128::from(self.bits())) >> self.below(128);
        let unused = 128 - u32::from(int.bits);
        if int.signed {
            let value = (wide << unused).cast_signed() >> unused;
            match i64::try_from(value) {
                Ok(value) => Value::I64(value),
                Err(_) => match u64::try_from(value) {
                    Ok(value) => Value::from(value),
                    Err(_) => Value::Number(arena.alloc_str(&value.to_string())),
                },
            }
        } else {
            // An Avro long has the range of an i64.
            let unused = if int.bits == 64 { 65 } else { unused };
            let value = (wide << unused) >> unused;
            match u64::try_from(value) {
                Ok(value) => Value::from(value),
                Err(_) => Value::Number(arena.alloc_str(&value.to_string())),
            }
        }
    }

    fn anything<'a>(&mut self, depth: usize, arena: &'a Arena) -> Value<'a> {
        match self.below(if depth == 0 { 11 } else { 14 }) {
            0 => Value::Null,
            1 => Value::Bool(true),
            2 | 3 => self.value(&Spec::Int(Int::signed(64)), arena),
            4 => Value::U64(u64::MAX - self.magnitude() / 2),
            5 => self.number(Int::signed(128), arena),
            6 => Value::Number("-1.5e400"),
            7 => self.value(&Spec::F32, arena),
            8 => self.value(&Spec::F64, arena),
            9 => self.value(&Spec::Str, arena),
            10 => self.value(&Spec::Timestamp, arena),
            11 => {
                let items: Vec<_> =
                    (0..self.below(4)).map(|_| self.anything(depth - 1, arena)).collect();
                Value::Array(arena.alloc_slice_copy(&items))
            }
            12 => {
                let mixed = self.below(3) == 0;
                let entries: Vec<_> = (0..self.below(4))
                    .map(|index| {
                        // The peer keeps maps in a hash map, which has each key once.
                        let key = if mixed {
                            self.anything(depth - 1, arena)
                        } else {
                            let text = self.text(arena);
                            Value::Str(arena.alloc_str(&format!("{index}{text}")))
                        };
                        (key, self.anything(depth - 1, arena))
                    })
                    .collect();
                Value::Map(arena.alloc_slice_copy(&entries))
            }
            _ => Value::Ext(arena.alloc(Ext {
                space: Space::CborTag,
                code: self.magnitude(),
                content: self.anything(depth - 1, arena),
            })),
        }
    }

    pub(super) fn value<'a>(&mut self, spec: &Spec, arena: &'a Arena) -> Value<'a> {
        match spec {
            Spec::Null => Value::Null,
            Spec::Bool => Value::Bool(self.below(2) == 1),
            Spec::Int(int) => self.number(*int, arena),
            Spec::F32 => Value::F32(f32::from_bits(self.bits() as u32)),
            Spec::F64 => Value::F64(f64::from_bits(self.bits())),
            Spec::Str => Value::Str(self.text(arena)),
            Spec::Bytes => Value::Bytes(self.text(arena).as_bytes()),
            Spec::Timestamp => {
                let seconds = self.magnitude().cast_signed();
                let nanoseconds = self.below(1_000_000_000) as u32;
                Value::Timestamp(Timestamp { seconds, nanoseconds })
            }
            Spec::Any => self.anything(3, arena),
            Spec::Option(inner) if self.below(2) == 0 => self.value(inner, arena),
            Spec::Option(_) => Value::Null,
            Spec::Array(item) => {
                let len = self.below(5);
                let items: Vec<_> = (0..len).map(|_| self.value(item, arena)).collect();
                Value::Array(arena.alloc_slice_copy(&items))
            }
            Spec::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|item| self.value(item, arena)).collect();
                Value::Array(arena.alloc_slice_copy(&items))
            }
            Spec::Map(value) => {
                let keys = NAMES.iter().filter(|_| self.below(3) == 0).collect::<Vec<_>>();
                let entries = keys.iter().map(|key| (Value::Str(key), self.value(value, arena)));
                Value::Map(arena.alloc_slice_copy(&entries.collect::<Vec<_>>()))
            }
            Spec::Pairs(value) => {
                let entries = (0..self.below(4))
                    .map(|key| (Value::I64(key as i64), self.value(value, arena)));
                let entries: Vec<_> = entries.collect();
                Value::Map(arena.alloc_slice_copy(&entries))
            }
            Spec::Record(fields) => Value::Map(self.entries(None, fields, arena)),
            Spec::Names(count) => Value::Str(NAMES[self.below(*count)]),
            Spec::Union(branches) => {
                let branch = &branches[self.below(branches.len())];
                self.value(branch, arena)
            }
            Spec::Sum(number, variants) => {
                let index = self.below(variants.len());
                let (name, spec) = (Value::Str(NAMES[index]), &variants[index]);
                let tag = (Value::Str("$tag"), name);
                let entries = match (number, spec) {
                    (0, Spec::Null) => return name,
                    (0, spec) => vec![(name, self.value(spec, arena))],
                    (_, Spec::Null) => vec![tag],
                    (1, Spec::Record(fields)) => {
                        return Value::Map(self.entries(Some(tag), fields, arena));
                    }
                    (1, spec) => vec![tag, (Value::Str("inner"), self.value(spec, arena))],
                    (_, spec) => vec![tag, (Value::Str("$content"), self.value(spec, arena))],
                };
                Value::Map(arena.alloc_slice_copy(&entries))
            }
        }
    }

    fn entries<'a>(
        &mut self,
        tag: Option<(Value<'a>, Value<'a>)>,
        fields: &[(bool, Spec)],
        arena: &'a Arena,
    ) -> &'a [(Value<'a>, Value<'a>)] {
        let mut entries: Vec<_> = tag.into_iter().collect();
        for ((optional, spec), name) in fields.iter().zip(NAMES) {
            let value = self.value(spec, arena);
            // A null in an optional field is left out: Avro has one null for both.
            let left_out = *optional && (value == Value::Null || self.below(2) == 0);
            if !left_out {
                entries.push((Value::Str(name), value));
            }
        }
        arena.alloc_slice_copy(&entries)
    }
}
