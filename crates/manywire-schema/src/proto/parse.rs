use manywire_shape::proto::{FIELD_NUMBER_MAX, Reserved};

use super::ast::{Enum, EnumValue, File, Message, Syntax};
use super::lex::{Kind, Lexer, Token};
use super::{Fault, Result};

/// Messages nested deeper than this are refused; protoc allows 31.
const DEPTH_MAX: usize = 64;

/// Parses a file.
pub(super) fn file(text: &str) -> Result<File> {
    let mut lexer = Lexer::new(text);
    let token = lexer.next()?;
    let mut parser = Parser {
        lexer,
        token,
        file: File {
            syntax: Syntax::Proto2,
            package: String::new(),
            imports: Vec::new(),
            messages: Vec::new(),
            enums: Vec::new(),
        },
    };
    while parser.token.kind != Kind::End {
        parser.declaration()?;
    }
    Ok(parser.file)
}

pub(super) struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The token that comes next.
    pub(super) token: Token<'t>,
    pub(super) file: File,
}

impl<'t> Parser<'t> {
    /// What may stand at the outermost level.
    fn declaration(&mut self) -> Result<()> {
        if self.eat(';')? {
            return Ok(());
        }
        let start = self.token.clone();
        match self.word("a declaration")? {
            "syntax" => {
                self.mark('=')?;
                let offset = self.token.offset;
                self.file.syntax = match self.text()?.as_str() {
                    "proto2" => Syntax::Proto2,
                    "proto3" => Syntax::Proto3,
                    other => {
                        let message = "expected \"proto2\" or \"proto3\", found";
                        return Err(Fault::new(offset, format_args!("{message} {other:?}")));
                    }
                };
                self.mark(';')
            }
            "edition" => {
                self.mark('=')?;
                self.text()?;
                self.file.syntax = Syntax::Edition;
                self.mark(';')
            }
            "package" => {
                self.file.package = self.dotted()?;
                self.mark(';')
            }
            "import" => {
                if matches!(self.token.kind, Kind::Word("public" | "weak" | "option")) {
                    self.bump()?;
                }
                let path = self.text()?;
                self.file.imports.push(path);
                self.mark(';')
            }
            "message" => {
                let scope = self.file.package.clone();
                self.message(&scope, start.doc, 0)
            }
            "enum" => {
                let scope = self.file.package.clone();
                self.enumeration(&scope, start.doc)
            }
            "option" | "service" | "extend" => self.skip_statement(),
            other => Err(Fault::new(
                start.offset,
                format_args!("expected a message, enum, import or option, found {other:?}"),
            )),
        }
    }

    /// A message after its keyword.
    pub(super) fn message(&mut self, scope: &str, doc: String, depth: usize) -> Result<()> {
        let offset = self.token.offset;
        if depth >= DEPTH_MAX {
            let message = format_args!("expected at most {DEPTH_MAX} messages in each other");
            return Err(Fault::new(offset, message));
        }
        let full_name = join(scope, self.word("the name of a message")?);
        let at = self.file.messages.len();
        self.file.messages.push(Message {
            full_name: full_name.clone(),
            doc,
            offset,
            outermost: depth == 0,
            fields: Vec::new(),
            oneofs: Vec::new(),
            import: None,
            reserved: Reserved::default(),
        });
        self.mark('{')?;
        while !self.eat('}')? {
            if self.eat(';')? {
                continue;
            }
            let start = self.token.clone();
            match start.kind {
                Kind::Word("message") => {
                    self.bump()?;
                    self.message(&full_name, start.doc, depth + 1)?;
                }
                Kind::Word("enum") => {
                    self.bump()?;
                    self.enumeration(&full_name, start.doc)?;
                }
                Kind::Word("oneof") => {
                    self.bump()?;
                    self.oneof(at)?;
                }
                Kind::Word("option" | "extensions" | "extend") => self.skip_statement()?,
                Kind::Word("reserved") => {
                    let more = self.reserved(FIELD_NUMBER_MAX as i32)?;
                    let reserved = &mut self.file.messages[at].reserved;
                    reserved.numbers.extend(more.numbers);
                    reserved.names.extend(more.names);
                }
                _ => self.field(at, None)?,
            }
        }
        Ok(())
    }

    fn oneof(&mut self, message: usize) -> Result<()> {
        let name = self.word("the name of a oneof")?.to_owned();
        let oneofs = &mut self.file.messages[message].oneofs;
        oneofs.push(name);
        let index = oneofs.len() - 1;
        self.mark('{')?;
        while !self.eat('}')? {
            match self.token.kind {
                Kind::Mark(';') => self.bump()?,
                Kind::Word("option") => self.skip_statement()?,
                _ => self.field(message, Some(index))?,
            }
        }
        Ok(())
    }

    fn enumeration(&mut self, scope: &str, doc: String) -> Result<()> {
        let offset = self.token.offset;
        let full_name = join(scope, self.word("the name of an enum")?);
        let mut values = Vec::new();
        let mut reserved = Reserved::default();
        self.mark('{')?;
        while !self.eat('}')? {
            let start = self.token.clone();
            match start.kind {
                Kind::Mark(';') => self.bump()?,
                Kind::Word("option") => self.skip_statement()?,
                Kind::Word("reserved") => {
                    let more = self.reserved(i32::MAX)?;
                    reserved.numbers.extend(more.numbers);
                    reserved.names.extend(more.names);
                }
                _ => {
                    let name = self.word("the name of a value")?.to_owned();
                    self.mark('=')?;
                    let negative = self.eat('-')?;
                    let offset = self.token.offset;
                    let number = i64::try_from(self.int("the number of a value")?).ok();
                    let number = number.map(|number| if negative { -number } else { number });
                    let number = number.and_then(|number| i32::try_from(number).ok());
                    let number = number.ok_or_else(|| {
                        Fault::new(offset, "expected a number that fits 32 bits with its sign")
                    })?;
                    self.options(|_, _| {})?;
                    self.mark(';')?;
                    values.push(EnumValue { name, doc: start.doc, number });
                }
            }
        }
        if values.is_empty() {
            return Err(Fault::new(offset, "expected an enum of at least one value"));
        }
        self.file.enums.push(Enum { full_name, doc, offset, values, reserved });
        Ok(())
    }

    /// Skips to the end of a statement: a semicolon, or the brace that closes its block.
    fn skip_statement(&mut self) -> Result<()> {
        let start = self.token.offset;
        let mut depth = 0usize;
        loop {
            match self.token.kind {
                Kind::End => return Err(Fault::new(start, "expected this statement to end")),
                Kind::Mark('{' | '[' | '(') => depth += 1,
                Kind::Mark(mark @ ('}' | ']' | ')')) => {
                    depth = depth.checked_sub(1).ok_or_else(|| self.expected("';'"))?;
                    // `option x = { … };` ends with its semicolon, which stands alone elsewhere.
                    if depth == 0 && mark == '}' {
                        self.bump()?;
                        self.eat(';')?;
                        return Ok(());
                    }
                }
                Kind::Mark(';') if depth == 0 => return self.bump(),
                _ => {}
            }
            self.bump()?;
        }
    }

    pub(super) fn bump(&mut self) -> Result<()> {
        self.token = self.lexer.next()?;
        Ok(())
    }

    /// Takes a mark if it comes next.
    pub(super) fn eat(&mut self, mark: char) -> Result<bool> {
        let found = self.token.kind == Kind::Mark(mark);
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    pub(super) fn mark(&mut self, mark: char) -> Result<()> {
        if self.eat(mark)? { Ok(()) } else { Err(self.expected(&format!("{mark:?}"))) }
    }

    pub(super) fn word(&mut self, expected: &str) -> Result<&'t str> {
        match self.token.kind {
            Kind::Word(word) => {
                self.bump()?;
                Ok(word)
            }
            _ => Err(self.expected(expected)),
        }
    }

    pub(super) fn int(&mut self, expected: &str) -> Result<u64> {
        match self.token.kind {
            Kind::Int(number) => {
                self.bump()?;
                Ok(number)
            }
            _ => Err(self.expected(expected)),
        }
    }

    /// Text; pieces that stand side by side are one.
    pub(super) fn text(&mut self) -> Result<String> {
        let mut text = None;
        while let Kind::Text(piece) = &self.token.kind {
            text.get_or_insert_with(String::new).push_str(piece);
            self.bump()?;
        }
        text.ok_or_else(|| self.expected("text in quotes"))
    }

    /// Words joined by dots, perhaps with one in front.
    pub(super) fn dotted(&mut self) -> Result<String> {
        let mut name = String::new();
        if self.eat('.')? {
            name.push('.');
        }
        name.push_str(self.word("a name")?);
        while self.eat('.')? {
            name.push('.');
            name.push_str(self.word("a name")?);
        }
        Ok(name)
    }

    #[cold]
    pub(super) fn expected(&self, expected: &str) -> Box<Fault> {
        let found = self.token.kind.describe();
        Fault::new(self.token.offset, format_args!("expected {expected}, found {found}"))
    }
}

pub(super) fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}
