//! Checks which modules use which. The modules of the large crates are compared with the tables
//! "Edges between modules" of ARCHITECTURE.md, as `architecture` does for the crates. In every
//! crate, and at every level, modules may use each other in a circle only for a stated reason.
//!
//! The paths that begin with `crate`, `self` or `super` are read from the text of the files. A path
//! counts for the module that has the item, not for a module that only imports the item. Unit tests
//! may use anything.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::run::root;

/// The path of a module or item from the root of its crate: empty for the root.
type ItemPath = Vec<String>;

/// The text of each module of a crate.
type Modules = BTreeMap<ItemPath, String>;

/// The paths of the names that each module imports.
type Imports = BTreeMap<ItemPath, BTreeMap<String, ItemPath>>;

/// For each child of a module, the other children that it uses, each with an example.
type Edges = BTreeMap<String, BTreeMap<String, String>>;

/// The crates and modules that have a table.
const TABLES: [&str; 5] = [
    "manywire",
    "manywire-codec",
    "manywire-tools",
    "manywire-tools::trial",
    "manywire-tools::weigh",
];

/// The number of imports that are followed to find an item, because names can import each other in
/// a circle.
const IMPORTS_MAX: usize = 8;

/// The words of a comment that states why modules are in a circle.
const REASON: &str = "use each other";

/// Returns the name and the folder of sources of each crate.
fn crates() -> Vec<(String, PathBuf)> {
    let folders = std::fs::read_dir(root().join("crates")).expect("crates/");
    let folders = folders.map(|entry| entry.expect("an entry").path());
    let named = folders.map(|folder| (name_of(&folder), folder.join("src")));
    let mut found: Vec<_> = named.filter(|(_, source)| source.is_dir()).collect();
    found.sort();
    found.push(("lanes/rust".to_owned(), root().join("lanes/rust/src")));
    found
}

/// Returns the last part of a path, without `.rs`.
fn name_of(path: &Path) -> String {
    path.file_stem().and_then(|name| name.to_str()).expect("UTF-8").to_owned()
}

/// Returns the segments of a path.
fn item_path(text: &str) -> ItemPath {
    text.split("::").filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// Returns the modules in the folder of the module `parent`, without files of unit tests.
fn modules_in(folder: &Path, parent: &[String]) -> Modules {
    let mut found = Modules::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = name_of(&path);
        if name == "tests" || name.ends_with("_tests") {
            continue;
        }
        let module = match &*name {
            "lib" | "main" | "mod" => parent.to_vec(),
            _ => [parent, &[name]].concat(),
        };
        if path.join("mod.rs").is_file() || path.is_dir() && path.with_extension("rs").is_file() {
            found.extend(modules_in(&path, &module));
        } else if path.is_file() && path.extension().is_some_and(|extension| extension == "rs") {
            found.insert(module, std::fs::read_to_string(&path).expect("UTF-8"));
        }
        // Any other folder holds assets or templates.
    }
    found
}

/// Returns a text without its comments and without the unit tests at its end.
fn code_of(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let code = lines.collect::<Vec<_>>().join("\n");
    code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
}

/// Returns whether a character can be part of a name.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns the rest of the code from each place where `start` begins a path or statement.
fn starts<'c>(code: &'c str, start: &'c str) -> impl Iterator<Item = &'c str> {
    let places = code.match_indices(start).map(|(index, _)| code.split_at(index));
    let begins = |before: &str| !before.ends_with(|it| is_word(it) || it == ':');
    places.filter(move |(before, _)| begins(before)).map(|(_, rest)| rest)
}

/// Returns the items of a list, up to the brace that closes the list.
fn items(list: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (index, it) in list.char_indices() {
        match it {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                found.push(&list[start..index]);
                start = index + 1;
                if it == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the paths of the tree that `text` begins with, and the names that a `use` of the tree
/// binds: `a::{B as C, self}` is `a::B` as `C`, and `a` as `a`.
fn paths(text: &str) -> Vec<(Vec<&str>, &str)> {
    let text = text.trim_start();
    if let Some(list) = text.strip_prefix('{') {
        return items(list).into_iter().flat_map(paths).collect();
    }
    let (first, rest) = text.split_at(text.find(|it| !is_word(it)).unwrap_or(text.len()));
    if first.is_empty() {
        return Vec::new();
    }
    let mut found = rest.strip_prefix("::").map(paths).unwrap_or_default();
    for (path, name) in &mut found {
        if path[..] == ["self"] {
            *path = vec![first];
            *name = if *name == "self" { first } else { name };
        } else {
            path.insert(0, first);
        }
    }
    if found.is_empty() {
        let alias = rest.strip_prefix(" as ").and_then(|it| it.split(|it| !is_word(it)).next());
        found.push((vec![first], alias.unwrap_or(first)));
    }
    found
}

/// Returns a path of the code of `module` as a path from the root of the crate. A path to another
/// crate becomes a path below `module` that leads nowhere.
fn from_root(path: &[&str], module: &[String]) -> ItemPath {
    let (mut from_root, mut rest) = match path {
        ["crate", rest @ ..] => (Vec::new(), rest),
        ["self", rest @ ..] => (module.to_vec(), rest),
        _ => (module.to_vec(), path),
    };
    while let ["super", below @ ..] = rest {
        from_root.pop();
        rest = below;
    }
    from_root.extend(rest.iter().map(|&it| it.to_owned()));
    from_root
}

/// Returns the names that a module imports.
fn imports(module: &[String], code: &str) -> BTreeMap<String, ItemPath> {
    let trees = starts(code, "use ").flat_map(|statement| paths(&statement["use ".len()..]));
    trees.map(|(path, name)| (name.to_owned(), from_root(&path, module))).collect()
}

/// Returns the module that has the item at `path`, following at most `steps` imports.
fn module_of(path: &[String], imports: &Imports, steps: usize) -> ItemPath {
    let is_module = |end: &usize| imports.contains_key(&path[..*end]);
    let end = (0..=path.len()).take_while(is_module).last().unwrap_or_default();
    let (module, rest) = path.split_at(end);
    if let [name, below @ ..] = rest
        && let Some(origin) = imports.get(module).and_then(|names| names.get(name))
        && steps > 0
    {
        return module_of(&[origin, below].concat(), imports, steps - 1);
    }
    module.to_vec()
}

/// Returns the edges between the children of each module.
///
/// A path in `a::b` to an item of `a::c::d` is an edge of `a`, from `b` to `c`.
fn edges(modules: &Modules) -> BTreeMap<ItemPath, Edges> {
    let codes: Modules = modules.iter().map(|(path, text)| (path.clone(), code_of(text))).collect();
    let imports: Imports =
        codes.iter().map(|(path, code)| (path.clone(), imports(path, code))).collect();
    let mut edges = BTreeMap::<ItemPath, Edges>::new();
    for (module, code) in &codes {
        // A module that uses no other is in the tables, too.
        if let Some((name, parent)) = module.split_last() {
            edges.entry(parent.to_vec()).or_default().entry(name.clone()).or_default();
        }
        let starts = ["crate::", "self::", "super::"].into_iter().flat_map(|it| starts(code, it));
        for (path, _) in starts.flat_map(paths) {
            let path = from_root(&path, module);
            let used = module_of(&path, &imports, IMPORTS_MAX);
            let common = module.iter().zip(&used).take_while(|(a, b)| a == b).count();
            if let (Some(child), Some(used)) = (module.get(common), used.get(common)) {
                let edges = edges.entry(module[..common].to_vec()).or_default();
                let example = || format!("{} uses {}", module.join("::"), path.join("::"));
                let child = edges.entry(child.clone()).or_default();
                child.entry(used.clone()).or_insert_with(example);
            }
        }
    }
    edges
}

/// Returns the modules that a module uses, directly or through others.
fn used_by<'e>(module: &'e str, edges: &'e Edges) -> BTreeSet<&'e str> {
    let mut found = BTreeSet::new();
    let mut open = vec![module];
    while let Some(next) = open.pop() {
        let used = edges.get(next).into_iter().flat_map(BTreeMap::keys).map(|it| &**it);
        open.extend(used.filter(|it| found.insert(*it)));
    }
    found
}

/// Returns the groups of modules that use each other, directly or through others.
fn circles(edges: &Edges) -> BTreeSet<BTreeSet<&str>> {
    let circles = edges.keys().map(|module| {
        let used = used_by(module, edges).into_iter();
        used.filter(|it| used_by(it, edges).contains(&**module)).collect::<BTreeSet<_>>()
    });
    circles.filter(|circle| !circle.is_empty()).collect()
}

/// Returns whether a text states why the modules of a circle use each other: in its header, or in a
/// comment in the same paragraph as their declarations.
fn states_reason(text: &str, circle: &BTreeSet<&str>) -> bool {
    text.split("\n\n").any(|paragraph| {
        let comments = paragraph.lines().filter(|line| line.starts_with("//"));
        let words =
            comments.flat_map(|line| line.trim_start_matches(['/', '!']).split_whitespace());
        let declares =
            |module: &&str| paragraph.lines().any(|it| it.ends_with(&format!("mod {module};")));
        words.collect::<Vec<_>>().join(" ").contains(REASON)
            && (paragraph.starts_with("//!") || circle.iter().all(declares))
    })
}

/// Returns a line for a circle among the children of `parent`, and a line for each edge.
fn describe(parent: &str, circle: &BTreeSet<&str>, edges: &Edges) -> String {
    let modules: Vec<_> = circle.iter().copied().collect();
    let mut text = format!("\n{parent}: circle of {}\n", modules.join(", "));
    for module in &modules {
        let used = edges[*module].iter().filter(|(used, _)| circle.contains(&***used));
        for (used, example) in used {
            writeln!(text, "    {module} -> {used}: {example}").expect("a string");
        }
    }
    text
}

/// Returns the names in backquotes.
fn quoted_names(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Returns the rows of the table for a crate or module.
fn stated_edges<'t>(text: &'t str, name: &str) -> BTreeMap<&'t str, BTreeSet<&'t str>> {
    let section = text.split("\n## Edges between modules\n").nth(1).expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let table = section.split(&format!("\n| modules of `{name}` |")).nth(1);
    let table = table.unwrap_or_else(|| panic!("no table for {name}"));
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        let [module, used] = cells[..] else { panic!("two cells: {line}") };
        (module.trim().trim_matches('`'), quoted_names(used))
    })
    .collect()
}

#[test]
fn every_edge_between_modules_is_in_the_table() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for name in TABLES {
        let (package, parent) = name.split_once("::").unwrap_or((name, ""));
        let modules = modules_in(&root().join("crates").join(package).join("src"), &[]);
        let real = edges(&modules).remove(&item_path(parent)).unwrap_or_default();
        assert!(real.len() > 3, "{name} has {} modules", real.len());
        let mut stated = stated_edges(&text, name);
        for (module, used) in &real {
            let used: BTreeSet<&str> = used.keys().map(|it| &**it).collect();
            let allowed = stated.remove(&**module).unwrap_or_default();
            assert_eq!(used, allowed, "{name}: edges of the module {module} (left: in the code)");
        }
        assert!(stated.is_empty(), "{name}: the table names modules that do not exist: {stated:?}");
    }
}

#[test]
fn modules_use_each_other_only_for_a_stated_reason() {
    let mut found = String::new();
    for (name, source) in crates() {
        let modules = modules_in(&source, &[]);
        for (parent, edges) in edges(&modules) {
            for circle in circles(&edges) {
                if !states_reason(&modules[&parent], &circle) {
                    let parent = format!("{name}::{}", parent.join("::"));
                    found += &describe(parent.trim_end_matches("::"), &circle, &edges);
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "modules use each other in circles. Move each item to the module that it belongs to. If a \
         circle is in the nature of the modules, say why, with the words \"{REASON}\", in a \
         comment directly above their declarations or in the header of the file that declares \
         them.\n{found}"
    );
}

/// Returns each edge of a crate with these modules as `parent: child -> used`.
fn edges_of(modules: &[(&str, &str)]) -> Vec<String> {
    let modules =
        modules.iter().map(|(module, code)| (item_path(module), (*code).to_owned())).collect();
    let mut found = Vec::new();
    for (parent, edges) in edges(&modules) {
        for (child, used) in edges {
            let parent = parent.join("::");
            found.extend(used.keys().map(|used| format!("{parent}: {child} -> {used}")));
        }
    }
    found
}

#[test]
fn trees_of_paths_are_read() {
    let read = |text| -> Vec<String> {
        let paths = paths(text).into_iter();
        paths.map(|(path, name)| format!("{} as {name}", path.join("::"))).collect()
    };
    assert_eq!(read("crate::a::f(b::c)"), ["crate::a::f as f"]);
    assert_eq!(
        read("a::{\n    self,\n    b::{C as D, e::*},\n};"),
        ["a as a", "a::b::C as D", "a::b::e as e"]
    );
    assert_eq!(read("{a::{self as b}, c}; {d}"), ["a as b", "c as c"]);
}

#[test]
fn relative_paths_are_resolved() {
    let modules =
        |code| [("", ""), ("a", ""), ("b", ""), ("b::c", ""), ("b::d", code), ("b::d::e", "")];
    assert_eq!(edges_of(&modules("use crate::{a::B, b::c};")), [": b -> a", "b: d -> c"]);
    assert_eq!(edges_of(&modules("super::super::a::b(super::c::D)")), [": b -> a", "b: d -> c"]);
    assert_eq!(edges_of(&modules("use self::e::F; use super::{self, F}; self::e()")), [""; 0]);
    assert_eq!(edges_of(&modules("// crate::a\nuse std::a::b; my_crate::a; x::super::c")), [""; 0]);
    let tests = "#[cfg(test)]\nmod tests {\n    use crate::a;\n}";
    assert_eq!(edges_of(&modules(tests)), [""; 0]);
}

#[test]
fn imported_names_belong_to_their_module() {
    let modules = |code| {
        let root = "pub use a::{B, C as D};";
        [
            ("", root),
            ("a", "pub use self::e::B;\nuse super::f::C;"),
            ("a::e", ""),
            ("f", ""),
            ("g", code),
        ]
    };
    assert_eq!(edges_of(&modules("")), [": a -> f"]);
    assert_eq!(edges_of(&modules("use super::B;")), [": a -> f", ": g -> a"]);
    assert_eq!(edges_of(&modules("crate::D::new()")), [": a -> f", ": g -> f"]);
    assert_eq!(edges_of(&[("", "use a::B;"), ("a", "use super::B;")]), [""; 0]);
}

#[test]
fn circles_are_found() {
    let used = |names: &[&str]| names.iter().map(|it| ((*it).to_owned(), String::new())).collect();
    let edges =
        [("a", used(&["b"])), ("b", used(&["c"])), ("c", used(&["b"])), ("d", used(&["a", "e"]))];
    let more = [("e", used(&["f"])), ("f", used(&["g"])), ("g", used(&["e"]))];
    let edges = edges.into_iter().chain(more).map(|(name, used)| (name.to_owned(), used)).collect();
    let expected = [BTreeSet::from(["b", "c"]), BTreeSet::from(["e", "f", "g"])];
    assert_eq!(circles(&edges), BTreeSet::from(expected));
}

#[test]
fn a_reason_is_above_the_declarations() {
    let circle = BTreeSet::from(["a", "b"]);
    assert!(states_reason(
        "//! Values. `a` and `b` use each\n//! other.\n\nmod a;\nmod b;\n",
        &circle
    ));
    assert!(states_reason("//! Values.\n\n// They use each other.\nmod a;\npub mod b;\n", &circle));
    assert!(!states_reason("//! Values.\n\n// They use each other.\nmod a;\n\nmod b;\n", &circle));
    assert!(!states_reason("//! Values.\n\nmod a;\nmod b;\n\n// They use each other.\n", &circle));
    assert!(!states_reason("let text = \"use each other\";\nmod a;\nmod b;\n", &circle));
}
