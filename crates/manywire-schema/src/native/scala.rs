//! Generates Scala 2.13 and 3: case classes and sealed traits. The libraries of Scala derive codecs
//! from them without annotations, because each field and each case has the name that the data have.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt::Write;

use manywire_shape::names::unique;
use manywire_shape::{Int, Presence, Tagging};

use super::layout::{
    Alternative, Content, Declaration, DeclarationKind, Layout, Member, Members, Type, as_fields,
    content_members, describe_enum,
};
use super::names::{Case, Rules};
use super::source::{Options, Source, also_known, comment, doc_comment, quoted};

pub(super) const RULES: Rules = Rules {
    types: Case::Pascal,
    // Keys are written as in the data; the names of fields and variants are not used.
    fields: Case::Camel,
    variants: Case::Pascal,
    keywords: "",
    // The types that are written here, and those that the code of a derivation may mention.
    used_types: "\
        Any AnyRef AnyVal Array BigDecimal BigInt Boolean Byte Char Double Either Float Instant \
        Int Iterator Left List Long Map Nil None Nothing Null Object Option Ordering Predef \
        Product Right Seq Serializable Set Short Some String StringBuilder Tuple1 Unit Vector",
    used_fields: "",
    tuple_max: 22,
    declares_unions: false,
    // A type that contains itself needs a class, which would be a record in the data.
    recursive_aliases: false,
};

/// The keywords of both versions, and `using`, which begins a list of parameters in Scala 3.
const KEYWORDS: &str = "\
    abstract case catch class def do else enum export extends false final finally for forSome given \
    if implicit import lazy macro match new null object override package private protected return \
    sealed super then this throw trait true try type using val var while with yield";

/// The names that a field cannot have, even in backquotes: those of members that every case class
/// has, and of methods of class files.
const RESERVED: &str = "\
    ## $init$ <init> clone finalize getClass hashCode notify notifyAll productArity \
    productElementNames productIterator productPrefix toString wait";

/// The names of operators in class files. A derivation decodes them: it takes `$eq` for `=`.
const OPERATORS: &str = "\
    $amp $at $bang $bar $bslash $colon $div $eq $greater $hash $less $minus $percent $plus $qmark \
    $tilde $times $up";

/// The maximum number of fields of a case class. A type with more fields becomes a map, because a
/// constructor has at most 255 arguments, and a `Long` counts twice.
const FIELDS_MAX: usize = 120;

pub(super) fn write(layout: &Layout, options: &Options) -> Source {
    let mut file = ScalaWriter { layout, out: String::new(), time: Cell::new(false) };
    for declaration in &layout.declarations {
        file.declaration(declaration);
    }
    let root = file.ty(&layout.root);
    let mut text = format!(
        "// Written by `manywire shape` for Scala 2.13 and 3. The whole value is {root}.\n"
    );
    if !options.package.is_empty() {
        let _ = writeln!(text, "package {}", options.package);
    }
    if file.time.get() {
        text.push_str("\nimport java.time.Instant\n");
    }
    Source { text: text + &file.out, root }
}

struct ScalaWriter<'l> {
    layout: &'l Layout,
    out: String,
    /// True if a type is `Instant`, which is imported.
    time: Cell<bool>,
}

impl ScalaWriter<'_> {
    fn declaration(&mut self, declaration: &Declaration) {
        let name = &declaration.name;
        match &declaration.kind {
            DeclarationKind::Record(members) if members.fields.len() > FIELDS_MAX => {
                let words = format!(
                    "{name} is a Map[String, Any]: its {} fields are more than the constructor of a class can have.",
                    members.fields.len()
                );
                self.out.push('\n');
                comment(&mut self.out, "//", &words);
            }
            DeclarationKind::Record(members) => {
                self.out.push('\n');
                self.doc("", &declaration.doc);
                self.class("", name, members, "");
            }
            DeclarationKind::Symbols(symbols) => {
                let keys: Vec<&str> = symbols.iter().map(|symbol| symbol.key.as_str()).collect();
                let names = names(&keys, &HashSet::from([name.clone()]));
                self.sealed(name, &declaration.doc, "");
                for (at, (symbol, case)) in symbols.iter().zip(&names).enumerate() {
                    self.out.push_str(if at == 0 { "" } else { "\n" });
                    self.case_notes(&symbol.doc, &symbol.aliases, &symbol.key, case);
                    let _ = writeln!(self.out, "  case object {} extends {name}", identifier(case));
                }
                self.out.push_str("}\n");
            }
            DeclarationKind::Sum(tagging, alternatives) => {
                self.sum(name, &declaration.doc, tagging, alternatives);
            }
            // These types have no names here.
            DeclarationKind::Tuple(_) | DeclarationKind::Alias(_) | DeclarationKind::Union(_) => {}
        }
    }

    /// Writes a sealed trait, and begins the object of its cases.
    fn sealed(&mut self, name: &str, doc: &str, words: &str) {
        self.out.push('\n');
        self.doc("", doc);
        comment(&mut self.out, "//", words);
        let _ = writeln!(
            self.out,
            "sealed trait {name} extends Product with Serializable\n\nobject {name} {{"
        );
    }

    /// Writes an enum as a sealed trait with a case for each variant, if a derivation that is given
    /// the tag can read it: an external or internal tag beside the fields of a record, or an adjacent
    /// tag. Others become a case class with a field for each variant, or a trait whose cases have a
    /// `value`.
    fn sum(&mut self, name: &str, doc: &str, tagging: &Tagging, alternatives: &[Alternative]) {
        let is_plain = |it: &Alternative| {
            matches!(it.content, Content::Empty) || self.inlined(tagging, it).is_some()
        };
        if !alternatives.iter().all(is_plain)
            && let Some(fields) = as_fields(tagging, alternatives)
        {
            self.out.push('\n');
            self.doc("", doc);
            comment(&mut self.out, "//", "One of the fields is there.");
            return self.class("", name, &Members { fields, rest: None }, "");
        }
        let contents: Vec<Option<Members>> = alternatives
            .iter()
            .map(|it| match it.content {
                Content::Empty => None,
                _ => self.inlined(tagging, it).or_else(|| Some(content_members("value", it))),
            })
            .collect();
        // Within the object, a case hides a type of the same name.
        let mut hidden = HashSet::from([name.to_owned()]);
        for member in contents.iter().flatten().flat_map(|members| &members.fields) {
            let ty = self.ty(&member.ty);
            hidden.extend(ty.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned));
        }
        hidden.extend(["Option", "None"].map(str::to_owned));
        let keys: Vec<&str> = alternatives.iter().map(|it| it.symbol.key.as_str()).collect();
        let names = names(&keys, &hidden);
        self.sealed(name, doc, &describe_enum(self.layout, tagging, alternatives));
        for (at, (alternative, content)) in alternatives.iter().zip(contents).enumerate() {
            self.out.push_str(if at == 0 { "" } else { "\n" });
            let symbol = &alternative.symbol;
            self.case_notes(&symbol.doc, &symbol.aliases, &symbol.key, &names[at]);
            let case = identifier(&names[at]);
            match content {
                None => {
                    let _ = writeln!(self.out, "  case object {case} extends {name}");
                }
                Some(members) => self.class("  ", &case, &members, &format!(" extends {name}")),
            }
        }
        self.out.push_str("}\n");
    }

    /// Returns the fields of a variant's case, if a derivation reads them from where the data have
    /// them: under the key of the content, or those of a record. Otherwise `None`.
    fn inlined(&self, tagging: &Tagging, alternative: &Alternative) -> Option<Members> {
        match (tagging, &alternative.content) {
            (_, Content::Empty) => None,
            (Tagging::Adjacent { content, .. }, _) => Some(content_members(content, alternative)),
            (_, Content::Single(Type::Named(index))) => {
                match &self.layout.declaration(*index).kind {
                    DeclarationKind::Record(members) if members.fields.len() <= FIELDS_MAX => {
                        Some(members.clone())
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn case_notes(&mut self, doc: &str, aliases: &[String], key: &str, name: &str) {
        self.doc("  ", doc);
        self.notes("  //", aliases, key, name);
    }

    /// Writes what no name says: other keys, and the key itself if it cannot be the name.
    fn notes(&mut self, prefix: &str, aliases: &[String], key: &str, name: &str) {
        comment(&mut self.out, prefix, &also_known(aliases));
        if name != key {
            let words = format!("The key is {}, which cannot be the name here.", quoted(key));
            comment(&mut self.out, prefix, &words);
        }
    }

    /// Writes a case class. `extends` follows its fields.
    fn class(&mut self, indent: &str, name: &str, members: &Members, extends: &str) {
        let _ = write!(self.out, "{indent}final case class {name}(");
        let keys: Vec<&str> = members.fields.iter().map(|member| member.key.as_str()).collect();
        let names = names(&keys, &HashSet::new());
        let prefix = format!("{indent}    //");
        for (at, (member, name)) in members.fields.iter().zip(&names).enumerate() {
            self.out.push_str(if at == 0 { "\n" } else { ",\n" });
            comment(&mut self.out, &prefix, &member.doc);
            comment(&mut self.out, &prefix, &self.layout.union_note(member));
            self.notes(&prefix, &member.aliases, &member.key, name);
            let (ty, default) = self.member(member);
            let _ = write!(self.out, "{indent}    {}: {ty}{default}", identifier(name));
        }
        if let Some((_, ty)) = &members.rest {
            self.out.push('\n');
            let words = self.layout.describe(ty);
            let words = format!("Other keys, which a derived codec ignores, hold {words}.");
            comment(&mut self.out, &prefix, &words);
        } else if !members.fields.is_empty() {
            self.out.push('\n');
        }
        let is_empty = members.fields.is_empty() && members.rest.is_none();
        let end = if is_empty { "" } else { indent };
        let _ = writeln!(self.out, "{end}){extends}");
    }

    /// Returns the type of a field, and its default with an equals sign, if it has one.
    fn member(&self, member: &Member) -> (String, String) {
        let ty = self.ty(&member.ty);
        let default = match member.presence {
            Presence::Required => None,
            Presence::Optional => Some("None"),
            Presence::Defaulted if member.nullable => Some("None"),
            Presence::Defaulted => Some(default(&member.ty).unwrap_or("None")),
        };
        let is_option = member.nullable || default == Some("None");
        let ty = if is_option { format!("Option[{ty}]") } else { ty };
        (ty, default.map(|default| format!(" = {default}")).unwrap_or_default())
    }

    fn doc(&mut self, indent: &str, doc: &str) {
        // Comments nest in Scala.
        doc_comment(&mut self.out, indent, &doc.replace("/*", "/ *"));
    }

    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Null | Type::Any | Type::Union(_) => "Any".to_owned(),
            Type::Bool => "Boolean".to_owned(),
            Type::Int(int) => integer(*int).to_owned(),
            Type::F32 => "Float".to_owned(),
            Type::F64 => "Double".to_owned(),
            Type::Char | Type::Text => "String".to_owned(),
            Type::Bytes => "Array[Byte]".to_owned(),
            Type::Timestamp => {
                self.time.set(true);
                "Instant".to_owned()
            }
            Type::Option(inner) => format!("Option[{}]", self.ty(inner)),
            Type::Array(item, _) => format!("List[{}]", self.ty(item)),
            Type::Map(key, value) => {
                let key = match &**key {
                    Type::Text | Type::Char | Type::Int(_) | Type::Bool | Type::Named(_) => {
                        self.ty(key)
                    }
                    _ => "Any".to_owned(),
                };
                format!("Map[{key}, {}]", self.ty(value))
            }
            Type::Tuple(types) => {
                let items: Vec<String> = types.iter().map(|ty| self.ty(ty)).collect();
                match items.as_slice() {
                    [item] => format!("Tuple1[{item}]"),
                    items => format!("({})", items.join(", ")),
                }
            }
            Type::Named(index) => {
                let declaration = self.layout.declaration(*index);
                match &declaration.kind {
                    // A tuple that is declared is longer than the tuples of Scala, or empty.
                    DeclarationKind::Tuple(_) => "List[Any]".to_owned(),
                    DeclarationKind::Record(members) if members.fields.len() > FIELDS_MAX => {
                        "Map[String, Any]".to_owned()
                    }
                    _ => declaration.name.clone(),
                }
            }
        }
    }
}

/// Returns the default of an absent value, or `None` if absence is a value of its own.
fn default(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Bool => Some("false"),
        Type::Int(int) => Some(match integer(*int) {
            "Long" => "0L",
            "BigInt" => "BigInt(0)",
            _ => "0",
        }),
        Type::F32 => Some("0.0f"),
        Type::F64 => Some("0.0"),
        Type::Text | Type::Char => Some("\"\""),
        Type::Bytes => Some("Array.emptyByteArray"),
        Type::Array(..) => Some("Nil"),
        Type::Map(..) => Some("Map.empty"),
        _ => None,
    }
}

/// Returns the narrowest type that holds the integer: Scala has no unsigned integers.
fn integer(int: Int) -> &'static str {
    match (int.signed, int.bits) {
        (true, 8) => "Byte",
        (true, 16) | (false, 8) => "Short",
        (true, 32) | (false, 16) => "Int",
        (true, 64) | (false, 32) => "Long",
        _ => "BigInt",
    }
}

/// Returns the name of each key in one scope: the key itself, or, if no name can be that or if it is
/// one of the `hidden` names, the key with an underscore.
fn names(keys: &[&str], hidden: &HashSet<String>) -> Vec<String> {
    let is_usable = |key: &str| is_name(key) && !hidden.contains(key);
    let mut taken: HashSet<String> = HashSet::new();
    for key in keys.iter().copied().filter(|key| is_usable(key)) {
        taken.insert(key.to_owned());
    }
    let mut names = Vec::new();
    for key in keys.iter().copied() {
        let first = if key.is_empty() { "empty" } else { key };
        names.push(match is_usable(key) {
            true => key.to_owned(),
            false => unique(format!("{first}_"), &mut taken, ""),
        });
    }
    names
}

/// Returns whether a field or a case can have this name in both versions, and a derivation finds the
/// same name.
fn is_name(key: &str) -> bool {
    // A case class has the members `_1`, `_2`, … in Scala 3.
    let is_member = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    !key.is_empty()
        && !RESERVED.split_whitespace().any(|word| word == key)
        && !key.strip_prefix('_').is_some_and(is_member)
        && !OPERATORS.split_whitespace().any(|operator| key.contains(operator))
}

/// Returns a name as it is written: in backquotes, unless it is a word without them.
fn identifier(name: &str) -> String {
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|first: char| first.is_ascii_digit())
        // A colon after an underscore would belong to the name.
        && !name.ends_with('_');
    if is_word && !KEYWORDS.split_whitespace().any(|word| word == name) {
        return name.to_owned();
    }
    let text = quoted(name);
    let inner = text[1..text.len() - 1].replace("\\\"", "\"");
    format!("`{}`", inner.replace('`', "\\u0060"))
}
