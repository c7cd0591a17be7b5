//! One datum, along its schema.

use manywire_shape::avro::{NodeId, Record, Role as RecordRole, Schema, Type};

use crate::trail::{Kind, Opening, Trail, Walked};
use crate::{Options, Role};

/// How much more may be reported that takes no bytes: a few bytes can claim 2^60 nulls, and a
/// schema alone can hold that many records in each other. One input has one budget.
pub(crate) struct Empties {
    left: usize,
    /// How much may stand, on average, with each byte.
    ratio: usize,
}

impl Empties {
    /// What an input may have of it, beside what its bytes allow.
    pub(crate) fn new(options: Options<'_>) -> Self {
        Empties { left: options.empties_max, ratio: options.empties_ratio }
    }

    /// So many more bytes are there.
    pub(crate) fn allow(&mut self, bytes: usize) {
        self.left = self.left.saturating_add(bytes.saturating_mul(self.ratio));
    }
}

/// The datum that begins at `start`. Stands at its end when done.
pub(crate) fn datum(
    bytes: &[u8],
    start: usize,
    schema: &Schema,
    empties: &mut Empties,
    trail: &mut Trail<'_>,
) -> Walked {
    let mut walker = Walker { bytes, at: start, schema, levels: Vec::new(), empties, trail };
    walker.value(schema.root())?;
    while walker.trail.depth() > 0 {
        // What was complete has closed itself.
        walker.levels.truncate(walker.trail.depth());
        walker.step()?;
    }
    Ok(())
}

/// An open container.
enum Level<'b> {
    Record { record: &'b Record, next: usize },
    Blocks { items: NodeId, left: u64, end: Option<usize> },
}

pub(super) struct Walker<'b, 't, 's> {
    pub(super) bytes: &'b [u8],
    pub(super) at: usize,
    pub(super) schema: &'b Schema,
    levels: Vec<Level<'b>>,
    empties: &'t mut Empties,
    pub(super) trail: &'t mut Trail<'s>,
}

impl<'b> Walker<'b, '_, '_> {
    /// The next field, item or entry of the innermost container, or its end.
    fn step(&mut self) -> Walked {
        match self.levels.last_mut() {
            None => Ok(()),
            Some(Level::Record { record, next }) => {
                let field = &record.fields[*next];
                *next += 1;
                if self.trail.top().is_some_and(|frame| frame.kind == Kind::Map) {
                    self.trail.name(field.key());
                }
                self.value(field.node)
            }
            Some(Level::Blocks { items, left, end }) => {
                let (items, end) = (*items, *end);
                if *left == 0 {
                    return self.end_of_block(end);
                }
                *left -= 1;
                if self.trail.top().is_some_and(|frame| frame.kind == Kind::Map) {
                    self.text("string", Role::Key)?;
                }
                self.value(items)
            }
        }
    }

    fn value(&mut self, node: NodeId) -> Walked {
        let schema = self.schema;
        let mut node = node;
        // A field that has a record of its own stands for the whole of it.
        while let Type::Record(Record { role: RecordRole::Transparent, fields, .. }) =
            schema.ty(node)
        {
            let Some(field) = fields.first() else { break };
            self.takes_nothing()?;
            node = field.node;
        }
        match schema.ty(node) {
            Type::Union(branches) => self.branch(branches),
            Type::Record(record) => self.record(record),
            Type::Array(items) => self.blocks(Kind::Array, *items),
            Type::Map(values) => self.blocks(Kind::Map, *values),
            _ => self.scalar(node),
        }
    }

    fn record(&mut self, record: &'b Record) -> Walked {
        self.takes_nothing()?;
        let here = self.at;
        let kind = match record.role {
            RecordRole::Tuple => Kind::Array,
            _ => Kind::Map,
        };
        let opening = Opening::of(kind, Some(record.fields.len() as u64));
        let name = format_args!("record {}", record.name.name);
        self.trail.open(here..here, Role::Head, name, opening)?;
        self.levels.push(Level::Record { record, next: 0 });
        Ok(())
    }

    /// Counts a span without bytes.
    pub(super) fn takes_nothing(&mut self) -> Walked {
        match self.empties.left.checked_sub(1) {
            Some(left) => {
                self.empties.left = left;
                Ok(())
            }
            None => {
                let expected = format_args!("less that takes no bytes, in so few bytes");
                Err(self.trail.fault(self.at, expected))
            }
        }
    }

    fn branch(&mut self, branches: &'b [NodeId]) -> Walked {
        let start = self.at;
        let index = self.long("the branch of a union")?;
        let known = usize::try_from(index).ok().and_then(|index| branches.get(index));
        let Some(&branch) = known else {
            let last = branches.len() - 1;
            let expected = format_args!("a branch from 0 to {last}, not {index}");
            return Err(self.trail.fault(start, expected));
        };
        let range = start..self.at;
        if *self.schema.ty(branch) == Type::Null {
            let name = format_args!("branch {index}, null");
            self.trail.scalar(range, 0, Role::Fixed, name, manywire_shape::Value::Null);
            return Ok(());
        }
        let name = format_args!("branch {index}");
        self.trail.head(range, Role::Head, name, None);
        // A union holds no union, so this does not go on.
        self.value(branch)
    }

    /// An array or a map: blocks of items, up to one of none.
    fn blocks(&mut self, kind: Kind, items: NodeId) -> Walked {
        let start = self.at;
        let (left, end) = self.block(kind)?;
        let noun = noun(kind);
        let range = start..self.at;
        if left == 0 {
            let name = format_args!("0-element {noun}");
            return self.trail.open(range, Role::Length, name, Opening::of(kind, Some(0)));
        }
        let name = format_args!("{noun}, block of {left}");
        self.trail.open(range, Role::Length, name, Opening::of(kind, None))?;
        self.levels.push(Level::Blocks { items, left, end });
        self.claims(start, kind, items, left);
        Ok(())
    }

    fn end_of_block(&mut self, end: Option<usize>) -> Walked {
        if let Some(end) = end.filter(|end| *end != self.at) {
            // The items are what counts; the size is there for those who skip them.
            self.trail.fault(self.at, format_args!("the block to end at byte {end}"));
        }
        let kind = self.trail.top().map_or(Kind::Array, |frame| frame.kind);
        let start = self.at;
        let (count, end_of_next) = self.block(kind)?;
        let range = start..self.at;
        if count == 0 {
            self.trail.close(range, format_args!("end of {}", noun(kind)));
            return Ok(());
        }
        self.trail.block(range, format_args!("block of {count} more"));
        let mut of = None;
        if let Some(Level::Blocks { items, left, end }) = self.levels.last_mut() {
            (*left, *end) = (count, end_of_next);
            of = Some(*items);
        }
        if let Some(items) = of {
            self.claims(start, kind, items, count);
        }
        Ok(())
    }

    /// How many items a block has, and where it ends, if it says so. A count below zero has the
    /// size in bytes behind it.
    fn block(&mut self, kind: Kind) -> Walked<(u64, Option<usize>)> {
        let count = self.long(if kind == Kind::Map { "entries" } else { "items" })?;
        if count >= 0 {
            return Ok((count.unsigned_abs(), None));
        }
        let start = self.at;
        let size = self.long("the size of a block")?;
        let left = self.bytes.len() - self.at;
        match usize::try_from(size) {
            Ok(size) if size <= left => Ok((count.unsigned_abs(), Some(self.at + size))),
            Ok(_) => {
                let expected = format_args!("{size} bytes of a block, of which {left} are here");
                Err(self.trail.cut(start, expected))
            }
            Err(_) => {
                let expected = format_args!("a size of 0 or more, not {size}");
                Err(self.trail.fault(start, expected))
            }
        }
    }

    /// Minds items that cannot all be there.
    fn claims(&mut self, start: usize, kind: Kind, items: NodeId, count: u64) {
        let left = self.bytes.len() - self.at;
        if count > left as u64 && (kind == Kind::Map || takes_bytes(self.schema, items)) {
            // What is there can be read all the same.
            let expected = format_args!("{count} elements, of which {left} bytes cannot hold all");
            self.trail.cut(start, expected);
        }
    }
}

fn noun(kind: Kind) -> &'static str {
    if kind == Kind::Map { "map" } else { "array" }
}

/// Whether every value of a type takes a byte or more.
fn takes_bytes(schema: &Schema, node: NodeId) -> bool {
    let mut seen = std::collections::HashSet::new();
    let mut nodes = vec![node];
    while let Some(node) = nodes.pop() {
        match schema.ty(node) {
            Type::Null => {}
            Type::Fixed(fixed) if fixed.size == 0 => {}
            Type::Record(record) if seen.insert(node) => {
                nodes.extend(record.fields.iter().map(|field| field.node));
            }
            Type::Record(_) => {}
            _ => return true,
        }
    }
    false
}
