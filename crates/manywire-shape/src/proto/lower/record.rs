//! Records and tuples: a field for each of their parts.

use std::collections::HashSet;

use super::number::assign;
use super::{Lowering, Result, invalid};
use crate::proto::names::{camel, json_name, snake};
use crate::proto::schema::{Field, Form, Kind, Label, RESERVED_NUMBERS};
use crate::{NodeId, Presence, Record};

impl Lowering<'_> {
    pub(super) fn tuple(&mut self, index: usize, items: &[NodeId], hint: &str) -> Result<()> {
        for (at, item) in items.iter().enumerate() {
            let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
            if number > *RESERVED_NUMBERS.start() {
                return invalid(format_args!("{hint}: a tuple of more than 18,999 places"));
            }
            let mut field = Field::new(format!("_{at}"), number, Kind::Bool);
            self.place(&mut field, *item, Presence::Required, &format!("{hint}{at}"))?;
            self.messages[index].fields.push(field);
        }
        Ok(())
    }

    pub(super) fn record(&mut self, node: NodeId, record: &Record) -> Result<Kind> {
        let index = self.reserve_of(node, &record.name, &record.doc, Form::Record { rest: None });
        let given = record.fields.iter().map(|field| field.number).chain(record.rest.map(|_| None));
        let numbers = assign(&record.name, given)?;
        let type_name = self.messages[index].name.clone();
        let mut taken = Names::default();
        for (field, number) in record.fields.iter().zip(&numbers) {
            let hint = format!("{type_name}{}", camel(&field.name));
            let mut made = Field::new(field.name.clone(), *number, Kind::Bool);
            made.given = field.number.is_some();
            made.proto_name = taken.add(&field.name);
            made.aliases = field.aliases.iter().map(ToString::to_string).collect();
            made.doc = field.doc.to_string();
            self.place(&mut made, field.node, field.presence, &hint)?;
            self.messages[index].fields.push(made);
        }
        if let (Some(rest), Some(number)) = (record.rest, numbers.last()) {
            let value_kind = self.item(rest, &format!("{type_name}Additional"))?;
            let mut entry = Field::new("additional", *number, Kind::Bool);
            entry.proto_name = taken.add("additional");
            entry.name = json_name(&entry.proto_name);
            entry.kind = Kind::Message(match self.entries.get(&(Kind::String, value_kind)) {
                Some(index) => *index,
                None => {
                    let name = format!("{type_name}AdditionalEntry");
                    let made = self.reserve(&name, "", Form::Entry { native: true });
                    self.messages[made].fields = vec![
                        Field::new("key", 1, Kind::String),
                        Field::new("value", 2, value_kind),
                    ];
                    self.entries.insert((Kind::String, value_kind), made);
                    made
                }
            });
            entry.label = Label::Repeated;
            let fields = &mut self.messages[index].fields;
            fields.push(entry);
            let last = fields.len() - 1;
            self.messages[index].form = Form::Record { rest: Some(last) };
        }
        Ok(Kind::Message(index))
    }
}

/// The names of a message's fields: no two may look alike in JSON either, whatever their case.
#[derive(Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    pub(super) fn add(&mut self, name: &str) -> String {
        let name = snake(name);
        let mut free = name.clone();
        let mut count = 2;
        while !self.0.insert(json_name(&free).to_lowercase()) {
            free = format!("{name}_{count}");
            count += 1;
        }
        free
    }
}
