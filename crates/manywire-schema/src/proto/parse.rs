//! The parser of the `.proto` language.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use manywire_shape::proto::{FIELD_NUMBER_MAX, RESERVED_NUMBERS, Reserved, quote_bytes};

use super::lex::{Lexer, Token, TokenKind};
use super::tree::{
    DEPTH_MAX, Enum, EnumValue, FeatureOverrides, Features, Field, File, Import, Label, Message,
    Oneof, Syntax, Type, TypeName, join,
};
use super::{Fault, Result};

/// Parses a file.
pub(super) fn file(text: &str) -> Result<File> {
    let mut lexer = Lexer::new(text);
    let token = lexer.next()?;
    let mut parser = Parser { text, lexer, token, file: File::default() };
    let mut is_first = true;
    while parser.token.kind != TokenKind::End {
        parser.declaration(is_first)?;
        is_first = false;
    }
    parser.file.qualify_names();
    parser.file.resolve_features();
    Ok(parser.file)
}

struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    /// The next token.
    token: Token<'t>,
    file: File,
}

/// Sets the features that an option names, which only editions have.
fn set_features(
    overrides: &mut FeatureOverrides,
    syntax: Syntax,
    name: &str,
    value: &OptionValue<'_>,
) -> Result<()> {
    if syntax != Syntax::Edition && (name == "features" || name.starts_with("features.")) {
        return Err(Fault::new(
            value.offset,
            "expected an edition, as only editions have features",
        ));
    }
    let set = overrides.set(name, &value.source, &value.members);
    set.map_err(|message| Fault::new(value.offset, message))
}

/// Checks that the syntax has the label of a field.
fn check_label(label: Option<Label>, syntax: Syntax) -> std::result::Result<(), &'static str> {
    match (label, syntax) {
        (Some(Label::Required), Syntax::Proto3) => {
            Err("expected a field that is not required, as proto3 has none")
        }
        (Some(Label::Required), Syntax::Edition) => {
            Err("expected the option features.field_presence = LEGACY_REQUIRED instead of \
                 \"required\" in an edition")
        }
        (Some(Label::Optional), Syntax::Edition) => {
            Err("expected no \"optional\": in editions, fields have presence without it")
        }
        _ => Ok(()),
    }
}

/// The value of an option.
struct OptionValue<'t> {
    offset: usize,
    /// The source of the value. Adjacent literals are one.
    source: Cow<'t, str>,
    /// The text between the quotes, if the value is text.
    text: Option<Vec<u8>>,
    /// The words between the braces, if the value is a message in text format. Those of the messages
    /// in it are left out.
    members: Vec<&'t str>,
}

impl<'t> Parser<'t> {
    /// Parses a top-level declaration. Names are without the package, which may come later.
    fn declaration(&mut self, is_first: bool) -> Result<()> {
        if self.accept(';')? {
            return Ok(());
        }
        let start = self.token.clone();
        match self.word("a declaration")? {
            "syntax" | "edition" if !is_first => {
                Err(Fault::new(start.offset, "expected the syntax at the start of the file"))
            }
            "syntax" => self.syntax("\"proto2\" or \"proto3\"", |name| match name {
                "proto2" => Some(Syntax::Proto2),
                "proto3" => Some(Syntax::Proto3),
                _ => None,
            }),
            "edition" => self.syntax("the edition \"2023\" or \"2024\"", |name| match name {
                "2023" | "2024" => Some(Syntax::Edition),
                _ => None,
            }),
            "package" => {
                if !self.file.package.is_empty() {
                    return Err(Fault::new(start.offset, "the package is declared twice"));
                }
                if self.token.kind == TokenKind::Mark('.') {
                    return Err(self.expected("a name"));
                }
                self.file.package = self.dotted()?;
                self.expect(';')
            }
            "import" => {
                let public = self.token.kind == TokenKind::Word("public");
                if matches!(self.token.kind, TokenKind::Word("public" | "weak" | "option")) {
                    self.advance()?;
                }
                let offset = self.token.offset;
                let path = self.text()?;
                self.file.imports.push(Import { path, offset, public });
                self.expect(';')
            }
            "message" => self.message("", start.doc, None, 0),
            "enum" => self.enumeration("", start.doc, None),
            "export" | "local" if self.is_visibility_of(&self.token.kind) => {
                self.token.doc = start.doc;
                Ok(())
            }
            "option" => {
                let (name, value) = self.option_statement()?;
                let syntax = self.file.syntax;
                set_features(&mut self.file.overrides, syntax, &name, &value)
            }
            "service" | "extend" => self.skip_statement(),
            other => Err(Fault::new(
                start.offset,
                format_args!("expected a message, enum, import or option, found {other:?}"),
            )),
        }
    }

    /// Parses the name of a syntax or an edition after its keyword.
    fn syntax(&mut self, expected: &str, find: fn(&str) -> Option<Syntax>) -> Result<()> {
        self.expect('=')?;
        let offset = self.token.offset;
        let name = self.text()?;
        let unknown = || Fault::new(offset, format_args!("expected {expected}, found {name:?}"));
        self.file.syntax = find(&name).ok_or_else(unknown)?;
        self.expect(';')
    }

    /// Parses a message after its keyword.
    fn message(
        &mut self,
        scope: &str,
        doc: String,
        parent: Option<usize>,
        depth: usize,
    ) -> Result<()> {
        let offset = self.token.offset;
        let full_name = join(scope, self.word("the name of a message")?);
        self.message_body(full_name, offset, doc, parent, depth)
    }

    /// Parses the body of a message, in braces.
    fn message_body(
        &mut self,
        full_name: String,
        offset: usize,
        doc: String,
        parent: Option<usize>,
        depth: usize,
    ) -> Result<()> {
        if depth >= DEPTH_MAX {
            let message = format_args!("expected at most {DEPTH_MAX} messages in each other");
            return Err(Fault::new(offset, message));
        }
        let at = self.file.messages.len();
        let message = Message { doc, offset, parent, ..Message::new(full_name.clone()) };
        self.file.messages.push(message);
        self.expect('{')?;
        while !self.accept('}')? {
            if self.accept(';')? {
                continue;
            }
            let start = self.token.clone();
            match start.kind {
                TokenKind::Word("export" | "local")
                    if self
                        .lexer
                        .clone()
                        .next()
                        .is_ok_and(|it| self.is_visibility_of(&it.kind)) =>
                {
                    self.advance()?;
                    self.token.doc = start.doc;
                }
                TokenKind::Word("message") => {
                    self.advance()?;
                    self.message(&full_name, start.doc, Some(at), depth + 1)?;
                }
                TokenKind::Word("enum") => {
                    self.advance()?;
                    self.enumeration(&full_name, start.doc, Some(at))?;
                }
                TokenKind::Word("oneof") => {
                    self.advance()?;
                    self.oneof(at, depth)?;
                }
                TokenKind::Word("option") => {
                    self.advance()?;
                    let (name, value) = self.option_statement()?;
                    let syntax = self.file.syntax;
                    set_features(&mut self.file.messages[at].overrides, syntax, &name, &value)?;
                }
                TokenKind::Word("extensions" | "extend") => self.skip_statement()?,
                TokenKind::Word("reserved") => {
                    let more = self.reserved(FIELD_NUMBER_MAX as i32)?;
                    let reserved = &mut self.file.messages[at].reserved;
                    reserved.numbers.extend(more.numbers);
                    reserved.names.extend(more.names);
                }
                _ => self.field(at, None, depth)?,
            }
        }
        Ok(())
    }

    /// Returns whether a word before this token is a visibility of edition 2024, which says that other
    /// files may use the message or enum after it, or may not.
    fn is_visibility_of(&self, after: &TokenKind<'_>) -> bool {
        self.file.syntax == Syntax::Edition && matches!(after, TokenKind::Word("message" | "enum"))
    }

    fn oneof(&mut self, message: usize, depth: usize) -> Result<()> {
        let offset = self.token.offset;
        let name = self.word("the name of a oneof")?.to_owned();
        let Message { oneofs, fields, .. } = &mut self.file.messages[message];
        oneofs.push(Oneof { name, offset });
        let (index, before) = (oneofs.len() - 1, fields.len());
        self.expect('{')?;
        while !self.accept('}')? {
            match self.token.kind {
                TokenKind::Mark(';') => self.advance()?,
                TokenKind::Word("option") => self.skip_statement()?,
                _ => self.field(message, Some(index), depth)?,
            }
        }
        match self.file.messages[message].fields.len() > before {
            true => Ok(()),
            false => Err(Fault::new(offset, "expected a oneof of at least one field")),
        }
    }

    fn enumeration(&mut self, scope: &str, doc: String, parent: Option<usize>) -> Result<()> {
        let offset = self.token.offset;
        let full_name = join(scope, self.word("the name of an enum")?);
        let mut values = Vec::new();
        let mut reserved = Reserved::default();
        let mut overrides = FeatureOverrides::default();
        let mut allows_aliases = false;
        self.expect('{')?;
        while !self.accept('}')? {
            let start = self.token.clone();
            match start.kind {
                TokenKind::Mark(';') => self.advance()?,
                TokenKind::Word("option") => {
                    self.advance()?;
                    let (name, value) = self.option_statement()?;
                    match name.as_str() {
                        "allow_alias" => allows_aliases = value.source == "true",
                        _ => set_features(&mut overrides, self.file.syntax, &name, &value)?,
                    }
                }
                TokenKind::Word("reserved") => {
                    let more = self.reserved(i32::MAX)?;
                    reserved.numbers.extend(more.numbers);
                    reserved.names.extend(more.names);
                }
                _ => {
                    let name = self.word("the name of a value")?.to_owned();
                    self.expect('=')?;
                    let (number, offset) = self.signed("the number of a value")?;
                    let number = number.ok_or_else(|| {
                        Fault::new(offset, "expected a number that fits 32 bits with its sign")
                    })?;
                    self.options()?;
                    self.expect(';')?;
                    let Token { doc, offset, .. } = start;
                    values.push(EnumValue { name, doc, offset, number });
                }
            }
        }
        if values.is_empty() {
            return Err(Fault::new(offset, "expected an enum of at least one value"));
        }
        self.file.enums.push(Enum {
            full_name,
            doc,
            offset,
            values,
            allows_aliases,
            reserved,
            parent,
            overrides,
            ..Enum::default()
        });
        Ok(())
    }

    /// Parses an option after its keyword.
    fn option_statement(&mut self) -> Result<(String, OptionValue<'t>)> {
        let name = self.option_name()?;
        let value = self.option_value(&[';'], "';'")?;
        self.advance()?;
        Ok((name, value))
    }

    /// Parses the value of an option up to one of these marks, which stays the next token. Marks in
    /// braces and brackets belong to the value, and so do angle brackets in them, which text format has
    /// around messages, too. Errors name the mark that is expected.
    fn option_value(&mut self, ends: &[char], expected: &str) -> Result<OptionValue<'t>> {
        let offset = self.token.offset;
        let (mut end, mut depth) = (offset, 0usize);
        let (mut literals, mut is_text, mut members) = (Vec::new(), true, Vec::new());
        loop {
            match &self.token.kind {
                TokenKind::Mark(mark) if depth == 0 && ends.contains(mark) => break,
                TokenKind::Mark('{' | '[') => depth += 1,
                TokenKind::Mark('<') if depth > 0 => depth += 1,
                TokenKind::Mark('}' | ']' | '>') => {
                    depth = depth.checked_sub(1).ok_or_else(|| self.expected(expected))?;
                }
                TokenKind::Word(word) if depth == 1 => members.push(*word),
                TokenKind::Text(literal) if depth == 0 => literals.push(literal.clone()),
                TokenKind::End => return Err(self.expected(expected)),
                _ => {}
            }
            is_text &= matches!(self.token.kind, TokenKind::Text(_));
            end = self.token.end;
            self.advance()?;
        }
        if end == offset {
            return Err(self.expected("a value"));
        }
        let text = is_text.then(|| literals.concat());
        let source = match &text {
            Some(text) if literals.len() > 1 => Cow::Owned(quote_bytes(text)),
            _ => Cow::Borrowed(&self.text[offset..end]),
        };
        Ok(OptionValue { offset, source, text, members })
    }

    /// Parses the name of an option and the equals sign after it.
    fn option_name(&mut self) -> Result<String> {
        let mut name = String::new();
        while !self.accept('=')? {
            match &self.token.kind {
                TokenKind::Word(word) => name.push_str(word),
                TokenKind::Mark(mark @ ('(' | ')' | '.')) => name.push(*mark),
                _ => return Err(self.expected("the name of an option")),
            }
            self.advance()?;
        }
        Ok(name)
    }

    /// Skips to the end of a statement: a semicolon, or the closing brace of its block.
    fn skip_statement(&mut self) -> Result<()> {
        let start = self.token.offset;
        let mut depth = 0usize;
        loop {
            match self.token.kind {
                TokenKind::End => return Err(Fault::new(start, "expected this statement to end")),
                TokenKind::Mark('{' | '[' | '(') => depth += 1,
                TokenKind::Mark(mark @ ('}' | ']' | ')')) => {
                    depth = depth.checked_sub(1).ok_or_else(|| self.expected("';'"))?;
                    // `option x = { … };` ends with a semicolon; elsewhere a single semicolon is an
                    // empty statement.
                    if depth == 0 && mark == '}' {
                        self.advance()?;
                        self.accept(';')?;
                        return Ok(());
                    }
                }
                TokenKind::Mark(';') if depth == 0 => return self.advance(),
                _ => {}
            }
            self.advance()?;
        }
    }

    fn advance(&mut self) -> Result<()> {
        self.token = self.lexer.next()?;
        Ok(())
    }

    /// Consumes a punctuation mark if it is the next token.
    fn accept(&mut self, mark: char) -> Result<bool> {
        let found = self.token.kind == TokenKind::Mark(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, mark: char) -> Result<()> {
        if self.accept(mark)? { Ok(()) } else { Err(self.expected(&format!("{mark:?}"))) }
    }

    fn word(&mut self, expected: &str) -> Result<&'t str> {
        match self.token.kind {
            TokenKind::Word(word) => {
                self.advance()?;
                Ok(word)
            }
            _ => Err(self.expected(expected)),
        }
    }

    fn int(&mut self, expected: &str) -> Result<u64> {
        match self.token.kind {
            TokenKind::Int(number) => {
                self.advance()?;
                Ok(number)
            }
            _ => Err(self.expected(expected)),
        }
    }

    /// Parses a number with or without a minus sign. Returns the number if it fits 32 bits, and the
    /// offset of its digits.
    fn signed(&mut self, expected: &str) -> Result<(Option<i32>, usize)> {
        let is_negative = self.accept('-')?;
        let offset = self.token.offset;
        let magnitude = i64::try_from(self.int(expected)?).ok();
        let number = magnitude.map(|number| if is_negative { -number } else { number });
        Ok((number.and_then(|number| i32::try_from(number).ok()), offset))
    }

    /// Parses a string; adjacent literals are concatenated.
    fn text(&mut self) -> Result<String> {
        let mut text = None;
        while let TokenKind::Text(piece) = &self.token.kind {
            text.get_or_insert_with(Vec::new).extend_from_slice(piece);
            self.advance()?;
        }
        let text = text.ok_or_else(|| self.expected("text in quotes"))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Parses words joined by dots, with an optional leading dot.
    fn dotted(&mut self) -> Result<String> {
        let mut name = String::new();
        if self.accept('.')? {
            name.push('.');
        }
        name.push_str(self.word("a name")?);
        while self.accept('.')? {
            name.push('.');
            name.push_str(self.word("a name")?);
        }
        Ok(name)
    }

    #[cold]
    fn expected(&self, expected: &str) -> Box<Fault> {
        let found = self.token.kind.describe();
        Fault::new(self.token.offset, format_args!("expected {expected}, found {found}"))
    }

    /// Parses a field of a message or of one of its oneofs. `depth` is that of the message.
    fn field(&mut self, message: usize, oneof: Option<usize>, depth: usize) -> Result<()> {
        let doc = std::mem::take(&mut self.token.doc);
        let offset = self.token.offset;
        let label = match self.token.kind {
            TokenKind::Word("optional") => Some(Label::Optional),
            TokenKind::Word("required") => Some(Label::Required),
            TokenKind::Word("repeated") => Some(Label::Repeated),
            _ => None,
        };
        if label.is_some() {
            if oneof.is_some() {
                return Err(self.expected("a type, which is all a member of a oneof has"));
            }
            self.advance()?;
        }
        let syntax = self.file.syntax;
        check_label(label, syntax).map_err(|message| Fault::new(offset, message))?;
        let ty_offset = self.token.offset;
        let mut ty = self.field_type()?;
        if matches!(ty, Type::Map(..)) && (label.is_some() || oneof.is_some()) {
            return Err(Fault::new(ty_offset, "expected a map without a label and not in a oneof"));
        }
        let name_offset = self.token.offset;
        let mut name = self.word("the name of a field")?.to_owned();
        self.expect('=')?;
        let number = self.field_number()?;
        let (mut json_name, mut packed, mut default) = (None, None, None);
        let mut overrides = FeatureOverrides::default();
        for (name, value) in self.options()? {
            let offset = value.offset;
            match name.as_str() {
                "json_name" => {
                    let text =
                        value.text.ok_or_else(|| Fault::new(offset, "expected text in quotes"))?;
                    json_name = Some(String::from_utf8_lossy(&text).into_owned());
                }
                "packed" => match &*value.source {
                    "true" => packed = Some(true),
                    "false" => packed = Some(false),
                    _ => return Err(Fault::new(offset, "expected true or false")),
                },
                "default" if syntax == Syntax::Proto3 => {
                    return Err(Fault::new(offset, "expected no default, as proto3 has none"));
                }
                "default" => default = Some(value.source.into_owned()),
                _ => set_features(&mut overrides, syntax, &name, &value)?,
            }
        }
        let is_group = matches!(&ty, Type::Named(ty) if ty.name == "group")
            && self.token.kind == TokenKind::Mark('{');
        if is_group {
            if syntax != Syntax::Proto2 {
                let message = "expected a message instead of a group, which only proto2 has";
                return Err(Fault::new(ty_offset, message));
            }
            // A group also declares a message. The message has the name of the group, the field
            // that name in lower case.
            let scope = self.file.messages[message].full_name.clone();
            let full_name = join(&scope, &name);
            self.message_body(full_name, name_offset, String::new(), Some(message), depth + 1)?;
            ty = Type::Named(TypeName { name: name.clone(), offset: ty_offset });
            name.make_ascii_lowercase();
            overrides.delimited = Some(true);
        } else {
            self.expect(';')?;
        }
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
            default,
            overrides,
            features: Features::default(),
        });
        Ok(())
    }

    fn field_type(&mut self) -> Result<Type> {
        let name = self.type_name()?;
        if name.name != "map" {
            return Ok(Type::Named(name));
        }
        self.expect('<')?;
        let key = self.type_name()?;
        self.expect(',')?;
        let value = self.type_name()?;
        self.expect('>')?;
        Ok(Type::Map(key, value))
    }

    fn type_name(&mut self) -> Result<TypeName> {
        if !matches!(self.token.kind, TokenKind::Word(_) | TokenKind::Mark('.')) {
            return Err(self.expected("a type"));
        }
        let offset = self.token.offset;
        Ok(TypeName { name: self.dotted()?, offset })
    }

    fn field_number(&mut self) -> Result<u32> {
        let offset = self.token.offset;
        let number = self.int("the number of a field")?;
        match u32::try_from(number) {
            Ok(number) if RESERVED_NUMBERS.contains(&number) => Err(Fault::new(
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

    /// Parses options in brackets, if any, and returns their names and values.
    fn options(&mut self) -> Result<Vec<(String, OptionValue<'t>)>> {
        let mut options = Vec::new();
        if !self.accept('[')? {
            return Ok(options);
        }
        loop {
            let name = self.option_name()?;
            options.push((name, self.option_value(&[',', ']'], "']'")?));
            if !self.accept(',')? {
                self.expect(']')?;
                return Ok(options);
            }
        }
    }

    /// Parses a `reserved` statement, such as `reserved 2, 9 to 11, 40 to max;`. `max` is the
    /// largest number.
    fn reserved(&mut self, max: i32) -> Result<Reserved> {
        self.advance()?;
        let mut reserved = Reserved::default();
        loop {
            match &self.token.kind {
                TokenKind::Text(_) => reserved.names.push(self.text()?),
                // Editions write names without quotes.
                TokenKind::Word(_) => reserved.names.push(self.word("a name")?.to_owned()),
                _ => reserved.numbers.push(self.range(max)?),
            }
            if !self.accept(',')? {
                self.expect(';')?;
                return Ok(reserved);
            }
        }
    }

    fn range(&mut self, max: i32) -> Result<RangeInclusive<i32>> {
        let start = self.end_of_range(max)?;
        if self.token.kind != TokenKind::Word("to") {
            return Ok(start..=start);
        }
        self.advance()?;
        let offset = self.token.offset;
        let end = if self.token.kind == TokenKind::Word("max") {
            self.advance()?;
            max
        } else {
            self.end_of_range(max)?
        };
        if end < start {
            let message = format_args!("expected a number from {start}, found {end}");
            return Err(Fault::new(offset, message));
        }
        Ok(start..=end)
    }

    fn end_of_range(&mut self, max: i32) -> Result<i32> {
        let (number, offset) = self.signed("a number or a name to reserve")?;
        number
            .filter(|number| *number <= max)
            .ok_or_else(|| Fault::new(offset, format_args!("expected a number up to {max}")))
    }
}
