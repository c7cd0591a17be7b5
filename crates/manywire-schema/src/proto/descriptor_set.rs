//! Reads descriptor sets: `google.protobuf.FileDescriptorSet`, which `protoc -o` and `buf build`
//! write. The numbers are those of `google/protobuf/descriptor.proto`.

use manywire_shape::proto::{FIELD_NUMBER_MAX, Kind, Reserved, SCALARS, quote};

use super::tree::{
    DEPTH_MAX, Enum, EnumValue, FeatureOverrides, Field, FieldPresence, File, Import, Label,
    Message, Oneof, Syntax, Type, TypeName, join,
};

/// The position of a byte that is not part of a descriptor set, and what was expected there.
#[derive(Debug)]
pub(super) struct InvalidSet {
    pub(super) offset: usize,
    pub(super) expected: &'static str,
}

type Result<T, E = InvalidSet> = std::result::Result<T, E>;

/// Returns whether bytes are a descriptor set and not text: they begin with the tag of field 1,
/// which is a line feed, and have bytes that no text has.
pub(crate) fn is_descriptor_set(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    bytes.first() == Some(&0x0a)
        && (bytes.iter().any(is_control) || std::str::from_utf8(bytes).is_err())
}

/// Reads the files of a descriptor set, with their names.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<(String, File)>> {
    let mut files = Vec::new();
    for part in (Parts { bytes, at: 0, base: 0 }) {
        let part = part?;
        if part.number == 1 {
            files.push(file(part.message()?)?);
        }
    }
    Ok(files)
}

/// The fields of an encoded message.
#[derive(Clone, Copy)]
struct Parts<'b> {
    bytes: &'b [u8],
    at: usize,
    /// The offset of the message in the whole set.
    base: usize,
}

/// A field of an encoded message.
struct Part<'b> {
    number: u64,
    content: Content<'b>,
    /// The offset of the content in the whole set.
    offset: usize,
}

enum Content<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

impl<'b> Iterator for Parts<'b> {
    type Item = Result<Part<'b>>;

    fn next(&mut self) -> Option<Result<Part<'b>>> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let part = self.part();
        if part.is_err() {
            self.at = self.bytes.len();
        }
        Some(part)
    }
}

impl<'b> Parts<'b> {
    fn part(&mut self) -> Result<Part<'b>> {
        let start = self.at;
        let tag = self.varint()?;
        let offset = self.base + self.at;
        let content = match tag & 7 {
            0 => Content::Number(self.varint()?),
            1 => Content::Bytes(self.take(8)?),
            2 => {
                let len = self.varint()?;
                let len = usize::try_from(len).map_err(|_| self.invalid(start, "a length"))?;
                Content::Bytes(self.take(len)?)
            }
            5 => Content::Bytes(self.take(4)?),
            _ => return Err(self.invalid(start, "a field of a descriptor")),
        };
        let offset = match &content {
            Content::Bytes(bytes) => self.base + self.at - bytes.len(),
            Content::Number(_) => offset,
        };
        Ok(Part { number: tag >> 3, content, offset })
    }

    fn varint(&mut self) -> Result<u64> {
        let start = self.at;
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.bytes.get(self.at).copied();
            let byte = byte.ok_or_else(|| self.invalid(start, "a whole number"))?;
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.invalid(start, "a number of at most ten bytes"))
    }

    fn take(&mut self, len: usize) -> Result<&'b [u8]> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..len).ok_or_else(|| self.invalid(self.at, "more bytes"))?;
        self.at += len;
        Ok(taken)
    }

    #[cold]
    fn invalid(&self, at: usize, expected: &'static str) -> InvalidSet {
        InvalidSet { offset: self.base + at, expected }
    }
}

impl<'b> Part<'b> {
    fn message(&self) -> Result<Parts<'b>> {
        Ok(Parts { bytes: self.bytes()?, at: 0, base: self.offset })
    }

    fn bytes(&self) -> Result<&'b [u8]> {
        match self.content {
            Content::Bytes(bytes) => Ok(bytes),
            Content::Number(_) => Err(self.invalid("a field of bytes")),
        }
    }

    fn text(&self) -> Result<String> {
        let text = std::str::from_utf8(self.bytes()?).map_err(|_| self.invalid("UTF-8"))?;
        Ok(text.to_owned())
    }

    fn number(&self) -> Result<u64> {
        match self.content {
            Content::Number(number) => Ok(number),
            Content::Bytes(_) => Err(self.invalid("a number")),
        }
    }

    fn int32(&self) -> Result<i32> {
        // A negative number takes ten bytes, as its 64-bit form.
        i32::try_from(self.number()?.cast_signed()).map_err(|_| self.invalid("a 32-bit number"))
    }

    #[cold]
    fn invalid(&self, expected: &'static str) -> InvalidSet {
        InvalidSet { offset: self.offset, expected }
    }
}

fn file(parts: Parts<'_>) -> Result<(String, File)> {
    let mut name = String::new();
    let mut file = File::default();
    // The package and the dependencies may follow what refers to them.
    let mut public = Vec::new();
    for part in parts {
        let part = part?;
        match part.number {
            1 => name = part.text()?,
            2 => file.package = part.text()?,
            3 => file.imports.push(Import { path: part.text()?, offset: 0, public: false }),
            8 => file.overrides = features(&part, 50)?,
            10 => public.push(part.number()?),
            12 => {
                file.syntax = match part.text()?.as_str() {
                    "proto3" => Syntax::Proto3,
                    "editions" => Syntax::Edition,
                    "" | "proto2" => Syntax::Proto2,
                    _ => return Err(part.invalid("the syntax proto2, proto3 or editions")),
                }
            }
            // EDITION_2023 and EDITION_2024; `syntax` is "editions", too.
            14 => match part.number()? {
                1000 | 1001 => file.syntax = Syntax::Edition,
                998 | 999 => {}
                _ => return Err(part.invalid("the edition 2023 or 2024")),
            },
            _ => {}
        }
    }
    for at in public {
        if let Some(import) = usize::try_from(at).ok().and_then(|at| file.imports.get_mut(at)) {
            import.public = true;
        }
    }
    let scope = file.package.clone();
    for part in parts {
        let part = part?;
        match part.number {
            4 => message(part.message()?, &mut file, &scope, None, 0)?,
            5 => enumeration(part.message()?, &mut file, &scope, None)?,
            _ => {}
        }
    }
    file.resolve_features();
    Ok((name, file))
}

fn message(
    parts: Parts<'_>,
    file: &mut File,
    scope: &str,
    parent: Option<usize>,
    depth: usize,
) -> Result<()> {
    if depth >= DEPTH_MAX {
        return Err(parts.invalid(0, "at most 64 messages in each other"));
    }
    let full_name = join(scope, &name_of(parts)?);
    let at = file.messages.len();
    file.messages.push(Message { parent, ..Message::new(full_name.clone()) });
    let (mut fields, mut oneofs, mut reserved) = (Vec::new(), Vec::new(), Reserved::default());
    let mut entries = Vec::new();
    for part in parts {
        let part = part?;
        match part.number {
            2 => fields.push(field(part.message()?)?),
            3 => {
                let inner = part.message()?;
                match entry(inner)? {
                    Some(types) => entries.push((join(&full_name, &name_of(inner)?), types)),
                    None => message(inner, file, &full_name, Some(at), depth + 1)?,
                }
            }
            4 => enumeration(part.message()?, file, &full_name, Some(at))?,
            7 => file.messages[at].overrides = features(&part, 12)?,
            8 => oneofs.push(Oneof { name: name_of(part.message()?)?, offset: 0 }),
            9 => {
                let (start, end) = range(part.message()?)?;
                // The end is exclusive.
                reserved.numbers.push(start..=end.saturating_sub(1).max(start));
            }
            10 => reserved.names.push(part.text()?),
            _ => {}
        }
    }
    for field in &mut fields {
        let Type::Named(ty) = &field.ty else { continue };
        let entry = entries.iter_mut().find(|(name, _)| ty.name.strip_prefix('.') == Some(name));
        if let Some((_, types)) = entry
            && let Some((key, value)) = types.take()
        {
            field.ty = Type::Map(key, value);
        }
    }
    let message = &mut file.messages[at];
    // The oneofs of optional fields, which are not in the text, come last.
    let count = fields.iter().filter_map(|field| field.oneof).max().map_or(0, |last| last + 1);
    if count > oneofs.len() {
        return Err(parts.invalid(0, "a message with the oneofs of its fields"));
    }
    oneofs.truncate(count);
    message.fields = fields;
    message.oneofs = oneofs;
    message.reserved = reserved;
    Ok(())
}

fn name_of(parts: Parts<'_>) -> Result<String> {
    for part in parts {
        let part = part?;
        if part.number == 1 {
            return part.text();
        }
    }
    Err(parts.invalid(0, "a declaration with a name"))
}

/// The types of the key and of the value of a map. The types are moved to the field of the map.
type EntryTypes = Option<(TypeName, TypeName)>;

/// Returns the types of a message that represents the entries of a map.
fn entry(parts: Parts<'_>) -> Result<Option<EntryTypes>> {
    let mut is_entry = false;
    let (mut key, mut value) = (None, None);
    for part in parts {
        let part = part?;
        match part.number {
            7 => {
                for option in part.message()? {
                    let option = option?;
                    is_entry |= option.number == 7 && option.number()? != 0;
                }
            }
            2 => {
                let field = field(part.message()?)?;
                if let Type::Named(ty) = field.ty {
                    let place = if field.number == 1 { &mut key } else { &mut value };
                    *place = Some(ty);
                }
            }
            _ => {}
        }
    }
    match (is_entry, key, value) {
        (true, Some(key), Some(value)) => Ok(Some(Some((key, value)))),
        (true, ..) => Err(parts.invalid(0, "an entry with a key and a value")),
        (false, ..) => Ok(None),
    }
}

fn field(parts: Parts<'_>) -> Result<Field> {
    let mut field = Field {
        name: String::new(),
        doc: String::new(),
        offset: 0,
        number: 0,
        label: None,
        ty: Type::Named(TypeName { name: String::new(), offset: 0 }),
        oneof: None,
        json_name: None,
        packed: None,
        default: None,
        overrides: FeatureOverrides::default(),
        features: Default::default(),
    };
    let (mut ty, mut type_name, mut proto3_optional) = (0, String::new(), false);
    let mut default = None;
    for part in parts {
        let part = part?;
        match part.number {
            1 => field.name = part.text()?,
            3 => {
                let number = part.int32()?;
                let number = u32::try_from(number)
                    .ok()
                    .filter(|number| (1..=FIELD_NUMBER_MAX).contains(number));
                field.number = number.ok_or_else(|| part.invalid("the number of a field"))?;
            }
            4 => {
                field.label = match part.number()? {
                    2 => Some(Label::Required),
                    3 => Some(Label::Repeated),
                    _ => None,
                }
            }
            5 => ty = part.number()?,
            6 => type_name = part.text()?,
            7 => default = Some(part.text()?),
            8 => {
                field.overrides = features(&part, 21)?;
                for option in part.message()? {
                    let option = option?;
                    if option.number == 2 {
                        field.packed = Some(option.number()? != 0);
                    }
                }
            }
            9 => {
                let index = usize::try_from(part.int32()?);
                field.oneof = Some(index.map_err(|_| part.invalid("the index of a oneof"))?);
            }
            10 => field.json_name = Some(part.text()?),
            17 => proto3_optional = part.number()? != 0,
            _ => {}
        }
    }
    if proto3_optional {
        field.oneof = None;
        field.label = Some(Label::Optional);
    }
    let scalar = SCALARS.iter().find(|scalar| scalar.number == ty);
    field.default = default.map(|text| match scalar.map(|scalar| scalar.kind) {
        Some(Kind::String) => quote(&text),
        // Escaped already.
        Some(Kind::Bytes) => format!("\"{text}\""),
        _ => text,
    });
    const GROUP: u64 = 10;
    if ty == GROUP {
        field.overrides.delimited = Some(true);
    }
    let name = scalar.map_or(type_name, |scalar| scalar.name.to_owned());
    if name.is_empty() || field.name.is_empty() || field.number == 0 {
        return Err(parts.invalid(0, "a field with a name, a number and a type"));
    }
    field.ty = Type::Named(TypeName { name, offset: 0 });
    Ok(field)
}

fn enumeration(
    parts: Parts<'_>,
    file: &mut File,
    scope: &str,
    parent: Option<usize>,
) -> Result<()> {
    let full_name = join(scope, &name_of(parts)?);
    let mut each = Enum { full_name, parent, ..Enum::default() };
    for part in parts {
        let part = part?;
        match part.number {
            2 => {
                let inner = part.message()?;
                let name = name_of(inner)?;
                let mut number = 0;
                for part in inner {
                    let part = part?;
                    if part.number == 2 {
                        number = part.int32()?;
                    }
                }
                each.values.push(EnumValue { name, doc: String::new(), offset: 0, number });
            }
            3 => {
                each.overrides = features(&part, 7)?;
                for option in part.message()? {
                    let option = option?;
                    if option.number == 2 {
                        each.allows_aliases = option.number()? != 0;
                    }
                }
            }
            4 => {
                let (start, end) = range(part.message()?)?;
                each.reserved.numbers.push(start..=end.max(start));
            }
            5 => each.reserved.names.push(part.text()?),
            _ => {}
        }
    }
    if each.values.is_empty() {
        return Err(parts.invalid(0, "an enum of at least one value"));
    }
    file.enums.push(each);
    Ok(())
}

fn range(parts: Parts<'_>) -> Result<(i32, i32)> {
    let (mut start, mut end) = (0, 0);
    for part in parts {
        let part = part?;
        match part.number {
            1 => start = part.int32()?,
            2 => end = part.int32()?,
            _ => {}
        }
    }
    Ok((start, end))
}

/// Returns the features that options set: the message at `number` of the options.
fn features(options: &Part<'_>, number: u64) -> Result<FeatureOverrides> {
    let mut overrides = FeatureOverrides::default();
    for option in options.message()? {
        let option = option?;
        if option.number != number {
            continue;
        }
        for feature in option.message()? {
            let feature = feature?;
            // Extensions of the features, such as those of one language, are messages.
            let Content::Number(value) = feature.content else { continue };
            match (feature.number, value) {
                (1, 1) => overrides.presence = Some(FieldPresence::Explicit),
                (1, 2) => overrides.presence = Some(FieldPresence::Implicit),
                (1, 3) => overrides.presence = Some(FieldPresence::Required),
                (2, value) => overrides.closed = Some(value == 2),
                (3, value) => overrides.expanded = Some(value == 2),
                (5, value) => overrides.delimited = Some(value == 2),
                (6, value) => overrides.legacy_json = Some(value == 2),
                _ => {}
            }
        }
    }
    Ok(overrides)
}
