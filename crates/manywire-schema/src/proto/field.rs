use manywire_shape::proto::FIELD_NUMBER_MAX;

use super::ast::{Field, Label, Type, TypeName};
use super::lex::Kind;
use super::parse::Parser;
use super::{Fault, Result};

impl Parser<'_> {
    /// A field of a message, or of one of its oneofs.
    pub(super) fn field(&mut self, message: usize, oneof: Option<usize>) -> Result<()> {
        let doc = std::mem::take(&mut self.token.doc);
        let offset = self.token.offset;
        let label = match self.token.kind {
            Kind::Word("optional") => Some(Label::Optional),
            Kind::Word("required") => Some(Label::Required),
            Kind::Word("repeated") => Some(Label::Repeated),
            _ => None,
        };
        if label.is_some() {
            if oneof.is_some() {
                return Err(self.expected("a type, which is all a member of a oneof has"));
            }
            self.bump()?;
        }
        if self.token.kind == Kind::Word("group") {
            return Err(Fault::new(offset, "expected a field; groups are not read"));
        }
        let ty = self.field_type()?;
        let name = self.word("the name of a field")?.to_owned();
        self.mark('=')?;
        let number = self.field_number()?;
        let (mut json_name, mut packed) = (None, None);
        self.options(|name, value| match (name, value) {
            ("json_name", Kind::Text(text)) => json_name = Some(text.clone()),
            ("packed", Kind::Word(word)) => packed = Some(*word == "true"),
            ("features.repeated_field_encoding", Kind::Word(word)) => {
                packed = Some(*word == "PACKED")
            }
            _ => {}
        })?;
        self.mark(';')?;
        self.file.messages[message].fields.push(Field {
            name,
            doc,
            offset,
            number,
            label,
            ty,
            oneof,
            json_name,
            packed,
        });
        Ok(())
    }

    fn field_type(&mut self) -> Result<Type> {
        let name = self.type_name()?;
        if name.name != "map" {
            return Ok(Type::Named(name));
        }
        self.mark('<')?;
        let key = self.type_name()?;
        self.mark(',')?;
        let value = self.type_name()?;
        self.mark('>')?;
        Ok(Type::Map(key, value))
    }

    fn type_name(&mut self) -> Result<TypeName> {
        if !matches!(self.token.kind, Kind::Word(_) | Kind::Mark('.')) {
            return Err(self.expected("a type"));
        }
        let offset = self.token.offset;
        Ok(TypeName { name: self.dotted()?, offset })
    }

    fn field_number(&mut self) -> Result<u32> {
        let offset = self.token.offset;
        let number = self.int("the number of a field")?;
        match u32::try_from(number) {
            Ok(19_000..=19_999) => Err(Fault::new(
                offset,
                format_args!("expected a number outside 19000 to 19999, found {number}"),
            )),
            Ok(number @ 1..=FIELD_NUMBER_MAX) => Ok(number),
            _ => Err(Fault::new(
                offset,
                format_args!("expected a number from 1 to {FIELD_NUMBER_MAX}, found {number}"),
            )),
        }
    }

    /// Options in brackets, if there are any. A value that is a block says nothing we use.
    pub(super) fn options(&mut self, mut each: impl FnMut(&str, &Kind<'_>)) -> Result<()> {
        if !self.eat('[')? {
            return Ok(());
        }
        loop {
            let mut name = String::new();
            while !self.eat('=')? {
                match &self.token.kind {
                    Kind::Word(word) => name.push_str(word),
                    Kind::Mark(mark @ ('(' | ')' | '.')) => name.push(*mark),
                    _ => return Err(self.expected("the name of an option")),
                }
                self.bump()?;
            }
            each(&name, &self.token.kind);
            let mut depth = 0usize;
            while depth > 0 || !matches!(self.token.kind, Kind::Mark(',' | ']')) {
                match self.token.kind {
                    Kind::Mark('{' | '[') => depth += 1,
                    Kind::Mark('}' | ']') => {
                        depth = depth.checked_sub(1).ok_or_else(|| self.expected("']'"))?;
                    }
                    Kind::End => return Err(self.expected("']'")),
                    _ => {}
                }
                self.bump()?;
            }
            if !self.eat(',')? {
                return self.mark(']');
            }
        }
    }
}
