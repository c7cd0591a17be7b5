//! Generates TypeScript: interfaces, and a type guard for each.

use std::fmt::Write;

use manywire_shape::{Int, Tagging};

use super::layout::{
    Alternative, Declaration, DeclarationKind, Layout, Member, Members, Type, other_names,
};
use super::names::{Case, Rules};
use super::source::{Options, Source, also_known, doc_comment, lines, quoted};

pub(super) const RULES: Rules = Rules {
    types: Case::Pascal,
    // Keys are written as in the data; these names are not used.
    fields: Case::Camel,
    variants: Case::Pascal,
    keywords: "",
    // The guards of the last five would have the names of the helpers.
    used_types: "\
        Array Boolean Date Int64 Map Number Object String Symbol Uint8Array ArrayOf Bytes Integer \
        MapOf Record",
    used_fields: "",
    tuple_max: usize::MAX,
    declares_unions: false,
    recursive_aliases: true,
};

pub(super) fn write(layout: &Layout, _: &Options) -> Source {
    let mut file = TypeScriptWriter { layout, out: "// Written by `manywire shape`.\n".to_owned() };
    if layout.uses(&|ty| matches!(ty, Type::Int(int) if int.bits > 53)) {
        file.out.push_str(INT64);
    }
    for declaration in &layout.declarations {
        file.out.push('\n');
        file.declaration(declaration);
    }
    if let Some(name) = &layout.root_name {
        file.out.push_str("\n/** The whole value. */\n");
        file.alias(name, &layout.root);
    }
    // A helper comes after the ones that it uses, so the list is checked from its end.
    let mut used = String::new();
    for (word, text) in HELPERS.iter().rev() {
        if file.out.contains(word) || used.contains(word) {
            used.insert_str(0, text);
        }
    }
    let root = layout.root_name.clone().unwrap_or_else(|| file.ty(&layout.root));
    Source { text: file.out + &used, root }
}

struct TypeScriptWriter<'l> {
    layout: &'l Layout,
    out: String,
}

impl TypeScriptWriter<'_> {
    fn declaration(&mut self, declaration: &Declaration) {
        let name = &declaration.name;
        let names = match &declaration.kind {
            DeclarationKind::Symbols(symbols) => other_names(symbols.iter()),
            DeclarationKind::Sum(_, alternatives) => {
                other_names(alternatives.iter().map(|it| &it.symbol))
            }
            _ => String::new(),
        };
        doc_comment(&mut self.out, "", &lines([&declaration.doc, &names]));
        match &declaration.kind {
            DeclarationKind::Record(members) => self.record(name, members),
            DeclarationKind::Symbols(symbols) => {
                let keys: Vec<String> = symbols.iter().map(|symbol| quoted(&symbol.key)).collect();
                let all = if keys.is_empty() { "never".to_owned() } else { keys.join(" | ") };
                let _ = writeln!(self.out, "export type {name} = {all};");
                let list = keys.join(", ");
                self.guard(
                    name,
                    &format!("  const all: unknown[] = [{list}];\n  return all.includes(value);\n"),
                );
            }
            DeclarationKind::Sum(tagging, alternatives) => self.sum(name, tagging, alternatives),
            DeclarationKind::Alias(ty) => self.alias(name, ty),
            DeclarationKind::Tuple(types) => self.alias(name, &Type::Tuple(types.clone())),
            // TypeScript declares no unions.
            DeclarationKind::Union(_) => {}
        }
    }

    fn alias(&mut self, name: &str, ty: &Type) {
        let (text, check) = (self.ty(ty), self.check(ty, "value"));
        let _ = writeln!(self.out, "export type {name} = {text};");
        self.guard(name, &format!("  return {check};\n"));
    }

    fn guard(&mut self, name: &str, body: &str) {
        let _ = write!(
            self.out,
            "\nexport function is{name}(value: unknown): value is {name} {{\n{body}}}\n"
        );
    }

    fn record(&mut self, name: &str, members: &Members) {
        let _ = writeln!(self.out, "export interface {name} {{");
        for member in &members.fields {
            let doc = lines([&member.doc, &also_known(&member.aliases)]);
            doc_comment(&mut self.out, "  ", &doc);
            let mark = if member.is_optional() { "?" } else { "" };
            let ty = self.ty(&member.full_type());
            let _ = writeln!(self.out, "  {}{mark}: {ty};", property(&member.key));
        }
        if let Some((_, ty)) = &members.rest {
            let ty = self.ty(ty);
            let _ = writeln!(
                self.out,
                "  /** Every other key holds {ty}. */\n  [key: string]: unknown;"
            );
        }
        self.out.push_str("}\n");
        let mut checks = vec!["isRecord(value)".to_owned()];
        checks.extend(members.fields.iter().map(|member| self.member_check(member)));
        if let Some((_, ty)) = &members.rest {
            let known: Vec<String> = members.fields.iter().map(|it| quoted(&it.key)).collect();
            let check = self.check(ty, "rest");
            // The empty list has the type `never[]`, whose `includes` takes no key.
            checks.push(match known.is_empty() {
                true => format!("Object.values(value).every((rest) => {check})"),
                false => format!(
                    "Object.entries(value).every(([key, rest]) => [{}].includes(key) || {check})",
                    known.join(", ")
                ),
            });
        }
        checks.dedup();
        self.guard(name, &format!("  return (\n    {}\n  );\n", checks.join(" &&\n    ")));
    }

    fn member_check(&self, member: &Member) -> String {
        let place = format!("value[{}]", quoted(&member.key));
        let check = self.check(&member.full_type(), &place);
        // Objects inherit properties such as `constructor`, which are not in the data.
        let own = has_own(&member.key);
        match (member.is_optional(), check.as_str()) {
            (true, "true") => check,
            (true, _) => format!("(!{own} || {place} === undefined || {check})"),
            (false, "true") => own,
            (false, _) => format!("{own} && {check}"),
        }
    }

    fn sum(&mut self, name: &str, tagging: &Tagging, alternatives: &[Alternative]) {
        let mut types = Vec::new();
        let mut checks = Vec::new();
        for alternative in alternatives {
            let name = &alternative.symbol.key;
            let key = quoted(name);
            let content = alternative.content.ty();
            let (ty, check) = match tagging {
                Tagging::External => match content {
                    None => (key.clone(), format!("value === {key}")),
                    Some(ty) => {
                        let check = self.check(&ty, &format!("value[{key}]"));
                        (
                            format!("{{ {}: {} }}", property(name), self.ty(&ty)),
                            format!("(isRecord(value) && {} && {check})", has_own(name)),
                        )
                    }
                },
                Tagging::Internal { tag } => {
                    let of_content = content.map(|ty| {
                        let check = self.check(&ty, "value");
                        (format!(" & {}", self.ty(&ty)), format!(" && {check}"))
                    });
                    let (also, check) = of_content.unwrap_or_default();
                    (
                        format!("({{ {}: {key} }}{also})", property(tag)),
                        tag_check(tag, &key, &check),
                    )
                }
                Tagging::Adjacent { tag, content: under } => {
                    let of_content = content.map(|ty| {
                        let check = self.check(&ty, &format!("value[{}]", quoted(under)));
                        (
                            format!("; {}: {}", property(under), self.ty(&ty)),
                            format!(" && {} && {check}", has_own(under)),
                        )
                    });
                    let (also, check) = of_content.unwrap_or_default();
                    (format!("{{ {}: {key}{also} }}", property(tag)), tag_check(tag, &key, &check))
                }
            };
            types.push(ty);
            checks.push(check);
        }
        let never = |all: &[String], none: &str, joint: &str| {
            if all.is_empty() { none.to_owned() } else { all.join(joint) }
        };
        let _ =
            writeln!(self.out, "export type {name} =\n  | {};", never(&types, "never", "\n  | "));
        let checks = never(&checks, "false", " ||\n    ");
        self.guard(name, &format!("  return (\n    {checks}\n  );\n"));
    }

    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Null => "null".to_owned(),
            Type::Bool => "boolean".to_owned(),
            Type::Int(int) if int.bits > 53 => "Int64".to_owned(),
            Type::Int(_) | Type::F32 | Type::F64 => "number".to_owned(),
            Type::Char | Type::Text => "string".to_owned(),
            Type::Bytes => "Uint8Array | number[]".to_owned(),
            Type::Timestamp => "Date".to_owned(),
            Type::Any => "unknown".to_owned(),
            Type::Option(inner) => format!("{} | null", self.ty(inner)),
            Type::Array(item, _) => {
                let item = self.ty(item);
                if item.contains([' ', '|']) { format!("({item})[]") } else { format!("{item}[]") }
            }
            Type::Map(key, value) if is_property_key(key) => {
                format!("{{ [key: string]: {} }}", self.ty(value))
            }
            Type::Map(key, value) => {
                format!("Map<{}, {}>", self.ty(key), self.ty(value))
            }
            Type::Tuple(types) => format!("[{}]", self.list(types, ", ")),
            Type::Union(types) => self.list(types, " | "),
            Type::Named(index) => {
                let declaration = self.layout.declaration(*index);
                match &declaration.kind {
                    // A union of literals can also be the key of an index signature.
                    DeclarationKind::Symbols(symbols) if symbols.is_empty() => "never".to_owned(),
                    _ => declaration.name.clone(),
                }
            }
        }
    }

    fn list(&self, types: &[Type], joint: &str) -> String {
        types.iter().map(|ty| self.ty(ty)).collect::<Vec<_>>().join(joint)
    }
}

/// Returns whether JavaScript objects can have such keys: text, and values that they convert to
/// text.
fn is_property_key(key: &Type) -> bool {
    matches!(key, Type::Text | Type::Char | Type::Int(_) | Type::Bool | Type::Named(_))
}

/// Returns an expression that checks whether `value` has a property that it does not inherit.
fn has_own(key: &str) -> String {
    format!("hasOwn(value, {})", quoted(key))
}

/// Returns an expression that checks whether `value` has a tag with this text, and more.
fn tag_check(tag: &str, text: &str, more: &str) -> String {
    format!("(isRecord(value) && {} && value[{}] === {text}{more})", has_own(tag), quoted(tag))
}

fn property(key: &str) -> String {
    let plain = key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))
        && key.starts_with(|c: char| !c.is_ascii_digit());
    if plain { key.to_owned() } else { quoted(key) }
}

/// The type of 64-bit integers in JavaScript.
const INT64: &str = "
/**
 * An integer of 64 bits or more. JSON.parse reads it as a number, which is exact up to
 * Number.MAX_SAFE_INTEGER (2^53 - 1) and rounded beyond.
 */
export type Int64 = number;
";

/// The helper guards, each with the text whose presence shows that it is used.
const HELPERS: [(&str, &str); 6] = [
    (
        "isRecord(",
        "
function isRecord(value: unknown): value is { [key: string]: unknown } {
  return typeof value === \"object\" && value !== null && !Array.isArray(value);
}
",
    ),
    (
        "hasOwn(",
        "
function hasOwn(value: object, key: string): boolean {
  return Object.prototype.hasOwnProperty.call(value, key);
}
",
    ),
    (
        "isInteger(",
        "
function isInteger(value: unknown, min: number, max: number): value is number {
  return typeof value === \"number\" && Number.isInteger(value) && value >= min && value <= max;
}
",
    ),
    (
        "isArrayOf(",
        "
function isArrayOf(value: unknown, isItem: (item: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.every(isItem);
}
",
    ),
    (
        "isMapOf(",
        "
function isMapOf(value: unknown, isValue: (value: unknown) => boolean): boolean {
  return isRecord(value) && Object.values(value).every(isValue);
}
",
    ),
    (
        "isBytes(",
        "
function isBytes(value: unknown): value is Uint8Array | number[] {
  return value instanceof Uint8Array || isArrayOf(value, (item) => isInteger(item, 0, 255));
}
",
    ),
];

impl TypeScriptWriter<'_> {
    /// Returns an expression that checks whether another expression has a type.
    fn check(&self, ty: &Type, value: &str) -> String {
        match ty {
            Type::Null => format!("{value} === null"),
            Type::Bool => format!("typeof {value} === \"boolean\""),
            Type::Int(int) => integer_check(*int, value),
            Type::F32 | Type::F64 => format!("typeof {value} === \"number\""),
            Type::Char | Type::Text => format!("typeof {value} === \"string\""),
            Type::Bytes => format!("isBytes({value})"),
            Type::Timestamp => format!("{value} instanceof Date"),
            Type::Any => "true".to_owned(),
            Type::Option(inner) => format!("({value} === null || {})", self.check(inner, value)),
            Type::Array(item, len) => {
                let array = format!("isArrayOf({value}, (item) => {})", self.check(item, "item"));
                match len {
                    Some(len) => format!("({array} && {value}.length === {len})"),
                    None => array,
                }
            }
            Type::Map(key, inner) if is_property_key(key) => {
                format!("isMapOf({value}, (inner) => {})", self.check(inner, "inner"))
            }
            Type::Map(key, inner) => format!(
                "({value} instanceof Map && [...{value}].every(([key, inner]) => {} && {}))",
                self.check(key, "key"),
                self.check(inner, "inner")
            ),
            Type::Tuple(types) => {
                let mut all = vec![
                    format!("isArrayOf({value}, () => true)"),
                    format!("{value}.length === {}", types.len()),
                ];
                let places = types.iter().enumerate();
                all.extend(places.map(|(at, ty)| self.check(ty, &format!("{value}[{at}]"))));
                all.retain(|check| check != "true");
                format!("({})", all.join(" && "))
            }
            Type::Union(types) => {
                let all: Vec<String> = types.iter().map(|ty| self.check(ty, value)).collect();
                format!("({})", all.join(" || "))
            }
            Type::Named(index) => format!("is{}({value})", self.layout.declaration(*index).name),
        }
    }
}

/// Returns a check for an integer within its range. For 64 bits, `Number.isInteger` is enough:
/// values beyond 2^53 were rounded when they were read.
fn integer_check(int: Int, value: &str) -> String {
    match (int.signed, int.bits) {
        (_, ..=32) => format!("isInteger({value}, {}, {})", int.min_value(), int.max_value()),
        (true, _) => format!("isInteger({value}, -Infinity, Infinity)"),
        (false, _) => format!("isInteger({value}, 0, Infinity)"),
    }
}
