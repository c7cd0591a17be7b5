//! Generates Haskell: records and sums with instances of aeson.
//!
//! aeson derives the instances by `GHC.Generics`, where its options can express the form of the
//! data. Otherwise they are written out: for a record with other keys, without fields, or with both
//! null and absent fields (`omitNothingFields` drops both), and for externally and internally
//! tagged enums.
//!
//! Fields and constructors have the type's name as a prefix, because all names of a module share
//! one scope, and `DuplicateRecordFields` makes selectors ambiguous where they are used.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

use manywire_shape::names::{capitalized, unique};
use manywire_shape::{Int, Presence, Tagging};

use super::layout::{
    Alternative, Declaration, DeclarationKind, Layout, Member, Members, Symbol, Type,
};
use super::names::{Case, Rules};
use super::source::{Options, Source, also_known, comment, lines, quoted_with};

pub(super) const RULES: Rules = Rules {
    types: Case::Pascal,
    fields: Case::Camel,
    variants: Case::Pascal,
    // A name with a prefix is no keyword.
    keywords: "",
    // The types and constructors of the Prelude, and those that are imported.
    used_types: "\
        Applicative Array Bool Bounded Bytes Char Double EQ Either Enum Eq False FilePath Float \
        Floating Foldable Fractional FromJSON FromJSONKey Functor GT Generic IO IOError Int Int16 \
        Int32 Int64 Int8 Integer Integral Just Key KeyMap LT Left Map Maybe Monad MonadFail Monoid \
        Nothing Null Num Number Object Options Ord Ordering Rational Read ReadS Real RealFloat \
        RealFrac Right Semigroup Show ShowS String TaggedObject Text ToJSON ToJSONKey Traversable \
        True UTCTime Value Void Word Word16 Word32 Word64 Word8",
    used_fields: "",
    // The instances of the standard library and of aeson end there.
    tuple_max: 15,
    declares_unions: false,
    recursive_aliases: true,
};

const KEY: &str = "qualified Data.Aeson.Key as Key";
const KEY_MAP: &str = "qualified Data.Aeson.KeyMap as KeyMap";
const MAP: &str = "qualified Data.Map.Strict as Map";

/// The imports: a module, the names that are used, and a package besides aeson and base.
const IMPORTS: [(&str, &[&str], Option<&str>); 11] = [
    (
        "Data.Aeson",
        &[
            "FromJSON (..)",
            "FromJSONKey (..)",
            "Options",
            "SumEncoding (..)",
            "ToJSON (..)",
            "ToJSONKey (..)",
            "Value",
            "Value (..)",
            "allNullaryToStringTag",
            "constructorTagModifier",
            "defaultJSONKeyOptions",
            "defaultOptions",
            "fieldLabelModifier",
            "genericFromJSONKey",
            "genericParseJSON",
            "genericToEncoding",
            "genericToJSON",
            "genericToJSONKey",
            "keyModifier",
            "object",
            "omitNothingFields",
            "pairs",
            "sumEncoding",
            "tagSingleConstructors",
            "withObject",
            "(.:)",
            "(.:?)",
            "(.=)",
        ],
        None,
    ),
    (KEY, &[KEY], None),
    (KEY_MAP, &[KEY_MAP], None),
    ("Data.Int", &["Int16", "Int32", "Int64", "Int8"], None),
    ("Data.Map.Strict", &["Map"], Some("containers")),
    (MAP, &[MAP], Some("containers")),
    ("Data.Text", &["Text"], Some("text")),
    ("Data.Time", &["UTCTime"], Some("time")),
    ("Data.Void", &["Void"], None),
    ("Data.Word", &["Word16", "Word32", "Word64", "Word8"], None),
    ("GHC.Generics", &["Generic"], None),
];

/// The functions that the code uses besides those of [`IMPORTS`], whose names a field must not have.
const METHODS: [&str; 7] = [
    "contentsFieldName",
    "fromJSONKey",
    "parseJSON",
    "tagFieldName",
    "toEncoding",
    "toJSON",
    "toJSONKey",
];

pub(super) fn write(layout: &Layout, options: &Options) -> Source {
    let declared = layout.declarations.iter().map(|it| &it.name).chain(&layout.root_name).cloned();
    let reserved = RULES.used_types.split_whitespace().map(str::to_owned);
    let imported = IMPORTS.into_iter().flat_map(|(_, names, _)| names.iter().copied());
    let mut file = HaskellWriter {
        layout,
        constructors: reserved.chain(declared).collect(),
        fields: imported.chain(METHODS).map(str::to_owned).collect(),
        imports: RefCell::default(),
        out: String::new(),
    };
    for (index, declaration) in layout.declarations.iter().enumerate() {
        file.out.push('\n');
        file.declaration(index, declaration);
    }
    let mut root = file.ty(&layout.root);
    if let Some(name) = &layout.root_name {
        let _ = write!(file.out, "\n-- | The whole value.\ntype {name} = {root}\n");
        root.clone_from(name);
    }
    if layout.uses(&|ty| *ty == Type::Bytes) {
        file.import("Text");
        file.out.push_str("\n-- | Bytes as base64, because JSON has none.\ntype Bytes = Text\n");
    }
    let module = [options.package.as_str(), options.class.as_str(), "Types"];
    let module = module.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    let text = file.head(module) + &file.out;
    Source { text, root }
}

struct HaskellWriter<'l> {
    layout: &'l Layout,
    /// The names of types and constructors.
    constructors: HashSet<String>,
    /// The names of fields and functions.
    fields: HashSet<String>,
    /// The names of [`IMPORTS`] and the extensions of the language that are used.
    imports: RefCell<BTreeSet<&'static str>>,
    out: String,
}

impl HaskellWriter<'_> {
    /// Notes that a name is used, and returns it.
    fn import(&self, name: &'static str) -> &'static str {
        self.imports.borrow_mut().insert(name);
        name
    }

    fn import_all(&self, names: &[&'static str]) {
        self.imports.borrow_mut().extend(names);
    }

    fn head(&self, module: &str) -> String {
        let mut used = self.imports.borrow().clone();
        // The constructors come with their type.
        if used.contains("Value (..)") {
            used.remove("Value");
        }
        let mut text = String::new();
        for extension in ["DeriveGeneric", "OverloadedStrings"] {
            if used.contains(extension) {
                let _ = writeln!(text, "{{-# LANGUAGE {extension} #-}}");
            }
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let mut packages = vec!["aeson"];
        let mut lines = String::new();
        for (from, names, package) in IMPORTS {
            let names: Vec<&str> = names.iter().copied().filter(|it| used.contains(it)).collect();
            if names.is_empty() {
                continue;
            }
            packages.extend(package.filter(|package| !packages.contains(package)));
            let _ = match names.as_slice() {
                [whole] if *whole == from => writeln!(lines, "import {from}"),
                few if few.len() <= 3 => writeln!(lines, "import {from} ({})", few.join(", ")),
                many => writeln!(lines, "import {from}\n  ( {}\n  )", many.join("\n  , ")),
            };
        }
        let packages = packages.join(", ");
        let _ = write!(
            text,
            "-- | Written by `manywire shape`. Packages: {packages}.\nmodule {module} where\n"
        );
        if !lines.is_empty() {
            let _ = write!(text, "\n{lines}");
        }
        text
    }

    fn declaration(&mut self, index: usize, declaration: &Declaration) {
        let name = &declaration.name;
        self.doc("", '|', &declaration.doc);
        match &declaration.kind {
            DeclarationKind::Record(members) => self.record(name, members),
            DeclarationKind::Symbols(symbols) => self.symbols(index, name, symbols),
            DeclarationKind::Sum(tagging, alternatives) => self.sum(name, tagging, alternatives),
            DeclarationKind::Tuple(types) => {
                let words = self.layout.describe(&Type::Tuple(types.clone()));
                self.doc("", '|', &format!("{words}."));
                let value = self.import("Value");
                let _ = writeln!(self.out, "type {name} = [{value}]");
            }
            DeclarationKind::Alias(ty) => {
                let ty = self.atom(ty);
                let _ = writeln!(self.out, "newtype {name} = {name} {ty}");
                self.deriving("Eq, Show");
                let options = self.import("defaultOptions");
                self.generic_writer(name, options);
                self.generic_reader(name, options);
            }
            // Haskell declares no unions.
            DeclarationKind::Union(_) => {}
        }
    }

    /// Writes a documentation comment. `mark` is `|` before what it describes, and `^` after it.
    fn doc(&mut self, indent: &str, mark: char, doc: &str) {
        for (at, line) in doc.lines().enumerate() {
            let prefix = if at == 0 { format!("{indent}-- {mark}") } else { format!("{indent}--") };
            comment(&mut self.out, &prefix, line);
        }
    }

    fn deriving(&mut self, classes: &str) {
        self.import_all(&["DeriveGeneric", "Generic"]);
        let _ = writeln!(self.out, "  deriving ({classes}, Generic)");
    }

    fn generic_writer(&mut self, name: &str, options: &str) {
        self.import_all(&["ToJSON (..)", "genericToEncoding", "genericToJSON"]);
        let _ = write!(
            self.out,
            "\ninstance ToJSON {name} where\n  toJSON = genericToJSON {options}\n  toEncoding = genericToEncoding {options}\n"
        );
    }

    fn generic_reader(&mut self, name: &str, options: &str) {
        self.import_all(&["FromJSON (..)", "genericParseJSON"]);
        let _ = write!(
            self.out,
            "\ninstance FromJSON {name} where\n  parseJSON = genericParseJSON {options}\n"
        );
    }

    /// Writes the options of derived instances. `keys` maps names in Haskell to those in the data.
    fn options(&mut self, name: &str, settings: &[String], argument: &str, keys: &[(&str, &str)]) {
        self.import_all(&["Options", "defaultOptions"]);
        let mut line = format!("{name} = defaultOptions {{{}}}", settings.join(", "));
        if line.len() > 100 {
            let settings = settings.join("\n    , ");
            line = format!("{name} =\n  defaultOptions\n    {{ {settings}\n    }}");
        }
        let _ = write!(
            self.out,
            "\n{name} :: Options\n{line}\n  where\n    key {argument} = case {argument} of\n"
        );
        for (name, key) in keys {
            let _ = writeln!(self.out, "      {} -> {}", quoted(name), quoted(key));
        }
        let _ = writeln!(self.out, "      _ -> {argument}");
    }

    /// Returns an unused name for a field or a function of a type.
    fn field(&mut self, prefix: &str, name: &str) -> String {
        unique(format!("{prefix}{}", capitalized(name)), &mut self.fields, "")
    }

    fn record(&mut self, name: &str, members: &Members) {
        let prefix = uncapitalized(name);
        let mut fields = Vec::new();
        for member in &members.fields {
            fields.push((self.field(&prefix, &member.name), member));
        }
        let rest = members.rest.as_ref().map(|(rest, ty)| (self.field(&prefix, rest), ty));
        let _ = writeln!(self.out, "data {name} = {name}");
        let mut mark = '{';
        for (field, member) in &fields {
            let ty = match self.is_maybe(member) {
                true => format!("(Maybe {})", self.atom(&member.ty)),
                false => self.atom(&member.ty),
            };
            let _ = writeln!(self.out, "  {mark} {field} :: !{ty}");
            self.member_doc(member);
            mark = ',';
        }
        if let Some((field, ty)) = &rest {
            let ty = self.atom(&Type::Map(Box::new(Type::Text), Box::new((*ty).clone())));
            let _ = writeln!(self.out, "  {mark} {field} :: !{ty}\n    -- ^ Every other key.");
            mark = ',';
        }
        if mark == ',' {
            self.out.push_str("  }\n");
        }
        self.deriving("Eq, Show");

        let rest = rest.map(|(field, _)| field);
        let is_special = rest.is_some() || fields.is_empty();
        let has_absent = fields.iter().any(|(_, member)| may_be_absent(member));
        let is_null = |member: &Member| !may_be_absent(member) && self.is_maybe(member);
        let has_null = fields.iter().any(|(_, member)| is_null(member));
        let options = self.field(&prefix, "Options");
        if is_special || has_absent && has_null {
            self.field_writer(name, &fields, rest.as_deref());
        } else {
            self.generic_writer(name, &options);
        }
        if is_special {
            return self.field_reader(name, &fields, rest.as_deref());
        }
        self.generic_reader(name, &options);
        let mut settings = vec![format!("{} = key", self.import("fieldLabelModifier"))];
        if has_absent && !has_null {
            settings.push(format!("{} = True", self.import("omitNothingFields")));
        }
        let keys: Vec<(&str, &str)> =
            fields.iter().map(|(field, member)| (field.as_str(), member.key.as_str())).collect();
        self.options(&options, &settings, "field", &keys);
    }

    /// Returns whether the type of a field is a `Maybe`. A `Value` has a null.
    fn is_maybe(&self, member: &Member) -> bool {
        may_be_absent(member) || member.nullable && self.ty(&member.ty) != "Value"
    }

    fn member_doc(&mut self, member: &Member) {
        let union = self.layout.union_note(member);
        let null = match may_be_absent(member) && member.nullable {
            true => "Null is read as absent.",
            false => "",
        };
        let doc = lines([&member.doc, &union, null, &also_known(&member.aliases)]);
        self.doc("    ", '^', &doc);
    }

    /// Writes the instance that writes a record field by field.
    fn field_writer(&mut self, name: &str, fields: &[(String, &Member)], rest: Option<&str>) {
        self.import_all(&["OverloadedStrings", "ToJSON (..)", "object", "pairs"]);
        let mut items = Vec::new();
        for (field, member) in fields {
            let key = quoted(&member.key);
            items.push(match may_be_absent(member) {
                true => format!("[{key} .= content | Just content <- [{field} record]]"),
                false => format!("[{key} .= {field} record]"),
            });
        }
        if let Some(rest) = rest {
            self.import_all(&[KEY, MAP]);
            items.push(format!(
                "[Key.fromText key .= content | (key, content) <- Map.toList ({rest} record)]"
            ));
        }
        let _ = write!(self.out, "\ninstance ToJSON {name} where\n");
        if items.is_empty() {
            self.out.push_str("  toJSON _ = object []\n  toEncoding _ = pairs mempty\n");
            return;
        }
        self.import("(.=)");
        let list = format!("        [ {}\n        ]\n", items.join("\n        , "));
        let _ = write!(
            self.out,
            "  toJSON record =\n    object $\n      concat\n{list}  toEncoding record =\n    pairs . mconcat $\n      concat\n{list}"
        );
    }

    /// Writes the instance that reads a record field by field.
    fn field_reader(&mut self, name: &str, fields: &[(String, &Member)], rest: Option<&str>) {
        self.import_all(&["FromJSON (..)", "OverloadedStrings", "withObject"]);
        let mut items = Vec::new();
        for (_, member) in fields {
            let (operator, name) =
                if may_be_absent(member) { (".:?", "(.:?)") } else { (".:", "(.:)") };
            self.import(name);
            items.push(format!("entries {operator} {}", quoted(&member.key)));
        }
        if rest.is_some() {
            self.import("Value (..)");
            let keys: Vec<String> = fields.iter().map(|(_, it)| quoted(&it.key)).collect();
            items.push(if keys.is_empty() {
                "parseJSON (Object entries)".to_owned()
            } else {
                self.import(KEY_MAP);
                let keys = keys.join(", ");
                format!(
                    "parseJSON (Object (KeyMap.filterWithKey (\\key _ -> key `notElem` [{keys}]) entries))"
                )
            });
        }
        let _ = write!(
            self.out,
            "\ninstance FromJSON {name} where\n  parseJSON = withObject {} $ ",
            quoted(name)
        );
        if items.is_empty() {
            let _ = writeln!(self.out, "\\_ -> pure {name}");
        } else {
            let items = items.join("\n      <*> ");
            let _ = writeln!(self.out, "\\entries ->\n    {name}\n      <$> {items}");
        }
    }

    /// Writes the head of a type with several constructors, and returns their names.
    fn constructors(&mut self, name: &str, variants: &[(&Symbol, Option<Type>)]) -> Vec<String> {
        let _ = writeln!(self.out, "data {name}");
        let mut names = Vec::new();
        let mut mark = '=';
        for (symbol, content) in variants {
            let constructor = format!("{name}{}", symbol.name);
            let constructor = unique(constructor, &mut self.constructors, "");
            let content = content.as_ref().map(|ty| format!(" !{}", self.atom(ty)));
            let content = content.unwrap_or_default();
            let _ = writeln!(self.out, "  {mark} {constructor}{content}");
            let doc = lines([&symbol.doc, &also_known(&symbol.aliases)]);
            self.doc("    ", '^', &doc);
            names.push(constructor);
            mark = '|';
        }
        names
    }

    fn symbols(&mut self, index: usize, name: &str, symbols: &[Symbol]) {
        if symbols.is_empty() {
            return self.void(name);
        }
        let variants: Vec<(&Symbol, Option<Type>)> =
            symbols.iter().map(|symbol| (symbol, None)).collect();
        let constructors = self.constructors(name, &variants);
        self.deriving("Eq, Ord, Show");
        let options = self.field(&uncapitalized(name), "Options");
        self.generic_writer(name, &options);
        self.generic_reader(name, &options);
        let is_key = |ty: &Type| matches!(ty, Type::Map(key, _) if **key == Type::Named(index));
        if self.layout.uses(&is_key) {
            self.import_all(&[
                "FromJSONKey (..)",
                "ToJSONKey (..)",
                "defaultJSONKeyOptions",
                "genericFromJSONKey",
                "genericToJSONKey",
                "keyModifier",
            ]);
            let of_keys =
                format!("defaultJSONKeyOptions {{keyModifier = constructorTagModifier {options}}}");
            let _ = write!(
                self.out,
                "\ninstance ToJSONKey {name} where\n  toJSONKey = genericToJSONKey {of_keys}\n\
                 \ninstance FromJSONKey {name} where\n  fromJSONKey = genericFromJSONKey {of_keys}\n"
            );
        }
        let settings = [
            format!("{} = key", self.import("constructorTagModifier")),
            // Without it, aeson writes the only constructor of a type as an empty array.
            format!("{} = True", self.import("tagSingleConstructors")),
        ];
        let keys = constructors.iter().zip(symbols);
        let keys: Vec<(&str, &str)> =
            keys.map(|(name, symbol)| (name.as_str(), symbol.key.as_str())).collect();
        self.options(&options, &settings, "name", &keys);
    }

    /// Writes a type without values.
    fn void(&mut self, name: &str) {
        let void = self.import("Void");
        let _ = writeln!(self.out, "type {name} = {void}");
    }

    fn sum(&mut self, name: &str, tagging: &Tagging, alternatives: &[Alternative]) {
        if alternatives.is_empty() {
            return self.void(name);
        }
        let variants: Vec<(&Symbol, Option<Type>)> =
            alternatives.iter().map(|it| (&it.symbol, it.content.ty())).collect();
        let constructors = self.constructors(name, &variants);
        self.deriving("Eq, Show");
        let rows = constructors.iter().zip(alternatives).map(|(constructor, it)| Variant {
            constructor,
            key: &it.symbol.key,
            has_content: it.content.ty().is_some(),
        });
        let rows: Vec<Variant<'_>> = rows.collect();
        match tagging {
            Tagging::External => self.external(name, &rows),
            Tagging::Internal { tag } => self.internal(name, tag, &rows),
            Tagging::Adjacent { tag, content } => {
                let options = self.field(&uncapitalized(name), "Options");
                self.generic_writer(name, &options);
                self.generic_reader(name, &options);
                self.import("SumEncoding (..)");
                let settings = [
                    format!("{} = False", self.import("allNullaryToStringTag")),
                    format!("{} = key", self.import("constructorTagModifier")),
                    format!(
                        "{} = TaggedObject {{tagFieldName = {}, contentsFieldName = {}}}",
                        self.import("sumEncoding"),
                        quoted(tag),
                        quoted(content)
                    ),
                    format!("{} = True", self.import("tagSingleConstructors")),
                ];
                let keys: Vec<(&str, &str)> =
                    rows.iter().map(|row| (row.constructor, row.key)).collect();
                self.options(&options, &settings, "name", &keys);
            }
        }
    }

    /// Writes the instances of an externally tagged enum. aeson would derive an object for a
    /// variant without content, which is a text.
    fn external(&mut self, name: &str, variants: &[Variant<'_>]) {
        self.import_all(&["FromJSON (..)", "OverloadedStrings", "ToJSON (..)", "Value (..)"]);
        let (mut values, mut encodings) = (String::new(), String::new());
        let (mut texts, mut objects) = (String::new(), String::new());
        for Variant { constructor, key, has_content } in variants {
            let key = quoted(key);
            if *has_content {
                self.import_all(&[KEY_MAP, "(.=)", "object", "pairs"]);
                let _ = writeln!(
                    values,
                    "  toJSON ({constructor} content) = object [{key} .= content]"
                );
                let _ = writeln!(
                    encodings,
                    "  toEncoding ({constructor} content) = pairs ({key} .= content)"
                );
                let _ = writeln!(
                    objects,
                    "    | [({key}, content)] <- KeyMap.toList entries = {constructor} <$> parseJSON content"
                );
            } else {
                let _ = writeln!(values, "  toJSON {constructor} = String {key}");
                let _ =
                    writeln!(encodings, "  toEncoding {constructor} = toEncoding (String {key})");
                let _ = writeln!(texts, "  parseJSON (String {key}) = pure {constructor}");
            }
        }
        if !objects.is_empty() {
            objects.insert_str(0, "  parseJSON (Object entries)\n");
        }
        let _ = write!(
            self.out,
            "\ninstance ToJSON {name} where\n{values}{encodings}\
             \ninstance FromJSON {name} where\n{texts}{objects}  parseJSON _ = fail \"expected a variant of {name}\"\n"
        );
    }

    /// Writes the instances of an internally tagged enum, whose tag is beside the fields of the
    /// content.
    fn internal(&mut self, name: &str, tag: &str, variants: &[Variant<'_>]) {
        let tag = quoted(tag);
        self.import_all(&[
            "(.:)",
            "FromJSON (..)",
            "OverloadedStrings",
            "ToJSON (..)",
            "Value (..)",
            "withObject",
        ]);
        let (mut values, mut cases) = (String::new(), String::new());
        for Variant { constructor, key, has_content } in variants {
            let key = quoted(key);
            if *has_content {
                self.import(KEY_MAP);
                let _ = write!(
                    values,
                    "  toJSON ({constructor} content) = case toJSON content of\n    Object fields -> Object (KeyMap.insert {tag} (String {key}) fields)\n    other -> other\n"
                );
                let _ = writeln!(
                    cases,
                    "      String {key} -> {constructor} <$> parseJSON (Object (KeyMap.delete {tag} entries))"
                );
            } else {
                self.import_all(&["(.=)", "object"]);
                let _ = writeln!(values, "  toJSON {constructor} = object [{tag} .= String {key}]");
                let _ = writeln!(cases, "      String {key} -> pure {constructor}");
            }
        }
        let _ = write!(
            self.out,
            "\ninstance ToJSON {name} where\n{values}\
             \ninstance FromJSON {name} where\n  parseJSON = withObject {} $ \\entries -> do\n    tag <- entries .: {tag}\n    case tag of\n{cases}      _ -> fail \"expected a variant of {name}\"\n",
            quoted(name)
        );
    }

    /// Returns a type, in parentheses if it is an application.
    fn atom(&self, ty: &Type) -> String {
        let text = self.ty(ty);
        let is_application = text.contains(' ') && !text.starts_with(['[', '(']);
        if is_application { format!("({text})") } else { text }
    }

    fn ty(&self, ty: &Type) -> String {
        let name: &str = match ty {
            Type::Null | Type::Any | Type::Union(_) => self.import("Value"),
            Type::Bool => "Bool",
            Type::Int(int) => self.integer(*int),
            Type::F32 => "Float",
            Type::F64 => "Double",
            // A list of characters would be written as one text.
            Type::Text | Type::Char => self.import("Text"),
            Type::Bytes => "Bytes",
            Type::Timestamp => self.import("UTCTime"),
            Type::Option(inner) => {
                let inner = self.atom(inner);
                return if inner == "Value" { inner } else { format!("Maybe {inner}") };
            }
            Type::Array(item, _) => return format!("[{}]", self.ty(item)),
            Type::Map(key, value) => {
                self.import("Map");
                return format!("Map {} {}", self.key(key), self.atom(value));
            }
            Type::Tuple(types) => {
                let all: Vec<String> = types.iter().map(|ty| self.ty(ty)).collect();
                return match all.len() {
                    // Haskell has no tuples of one item.
                    1 => format!("[{}]", all.join("")),
                    len if len <= RULES.tuple_max => format!("({})", all.join(", ")),
                    _ => format!("[{}]", self.import("Value")),
                };
            }
            Type::Named(index) => &self.layout.declaration(*index).name,
        };
        name.to_owned()
    }

    /// Returns the type of a map's keys, which are text in JSON.
    fn key(&self, ty: &Type) -> String {
        match ty {
            Type::Int(_) | Type::Bool => self.ty(ty),
            Type::Named(index)
                if matches!(&self.layout.declaration(*index).kind,
                    DeclarationKind::Symbols(symbols) if !symbols.is_empty()) =>
            {
                self.ty(ty)
            }
            _ => self.import("Text").to_owned(),
        }
    }

    fn integer(&self, int: Int) -> &'static str {
        self.import(match (int.signed, int.bits) {
            (true, 8) => "Int8",
            (true, 16) => "Int16",
            (true, 32) => "Int32",
            (true, 64) => "Int64",
            (false, 8) => "Word8",
            (false, 16) => "Word16",
            (false, 32) => "Word32",
            (false, 64) => "Word64",
            _ => return "Integer",
        })
    }
}

/// A variant of an enum with content.
struct Variant<'a> {
    constructor: &'a str,
    key: &'a str,
    has_content: bool,
}

/// Returns whether a field may be absent. Haskell has no default for a field, so one with a default
/// may be absent, too.
fn may_be_absent(member: &Member) -> bool {
    member.presence != Presence::Required
}

/// Returns a name with its first word in lower case: `hotel` for `Hotel`, `aBox` for `ABox` and
/// `url` for `URL`.
fn uncapitalized(name: &str) -> String {
    let run = name.bytes().take_while(u8::is_ascii_uppercase).count();
    // The last of several capitals begins the next word if small letters follow.
    let begins_word = run > 1 && name[run..].starts_with(|c: char| c.is_ascii_lowercase());
    let (first, rest) = name.split_at(run - usize::from(begins_word));
    first.to_ascii_lowercase() + rest
}

/// Returns a string literal. `\&` ends the digits of an escape.
fn quoted(text: &str) -> String {
    quoted_with(text, |code| format!("\\x{code:x}\\&"))
}
