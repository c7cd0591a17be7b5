//! Collects the files of a schema: the file that the caller passed, and everything that it imports.

use std::collections::{HashMap, HashSet, VecDeque};

use super::tree::{Enum, File, Import, Message};
use super::{Fault, ImportedFile, Importer, Result, parse, well_known};
use crate::Error;

/// The maximum number of files of one schema.
const FILES_MAX: usize = 4_096;

/// Files that refer to each other, with all their declarations in one list.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) files: Vec<FileInfo>,
    pub(super) messages: Vec<Message>,
    pub(super) enums: Vec<Enum>,
}

/// One file of a schema.
#[derive(Debug)]
pub(super) struct FileInfo {
    /// The name for errors, and the text in which errors count the lines.
    name: String,
    text: String,
    pub(super) package: String,
    /// The imported files that were found, and whether the files that import this file see them,
    /// too.
    imports: Vec<(usize, bool)>,
    /// The paths of the imports that were not found.
    pub(super) missing: Vec<String>,
    /// True if a message of the file can be the root when the caller names no message.
    pub(super) is_root: bool,
}

impl Files {
    /// Parses a file and everything that it imports. The well-known files of Google are built in.
    pub(super) fn read(
        file: &str,
        text: &str,
        importer: Option<&Importer<'_>>,
    ) -> Result<Files, Error> {
        let parsed = parse::file(text).map_err(|fault| fault.at(file, text))?;
        let mut files = Files::default();
        let mut known: HashMap<String, Option<usize>> = HashMap::new();
        let mut waiting = VecDeque::new();
        let imports = files.add(file.to_owned(), text.to_owned(), parsed, None);
        files.files[0].is_root = true;
        waiting.push_back((0, imports));
        while let Some((index, imports)) = waiting.pop_front() {
            for import in imports {
                let found = match known.get(&import.path) {
                    Some(found) => *found,
                    None => {
                        let found = files.import(&import, index, importer)?;
                        let found = found.map(|(found, imports)| {
                            waiting.push_back((found, imports));
                            found
                        });
                        known.insert(import.path.clone(), found);
                        found
                    }
                };
                match found {
                    Some(found) => files.files[index].imports.push((found, import.public)),
                    None => files.files[index].missing.push(import.path),
                }
            }
        }
        Ok(files)
    }

    /// Joins the files of a descriptor set, which are parsed already. A file that no other file
    /// imports can contain the root.
    pub(super) fn of_descriptors(set: &str, parsed: Vec<(String, File)>) -> Files {
        let mut files = Files::default();
        let indexes: HashMap<String, usize> =
            parsed.iter().enumerate().map(|(at, (name, _))| (name.clone(), at)).collect();
        let mut imported = HashSet::new();
        for (at, (name, file)) in parsed.into_iter().enumerate() {
            let well_known = well_known::path(&name);
            let imports = files.add(format!("{set}: {name}"), String::new(), file, well_known);
            for import in imports {
                match indexes.get(&import.path) {
                    Some(found) if *found != at => {
                        imported.insert(*found);
                        files.files[at].imports.push((*found, import.public));
                    }
                    Some(_) => {}
                    None => files.files[at].missing.push(import.path),
                }
            }
        }
        for (at, file) in files.files.iter_mut().enumerate() {
            file.is_root = !imported.contains(&at);
        }
        files
    }

    /// Finds, parses and adds an imported file. Returns its index and its imports.
    fn import(
        &mut self,
        import: &Import,
        from: usize,
        importer: Option<&Importer<'_>>,
    ) -> Result<Option<(usize, Vec<Import>)>, Error> {
        let failed = |files: &Files, message: String| {
            files.locate(&Fault::new(import.offset, message).in_file(from))
        };
        if let Some((path, text)) = well_known::text(&import.path) {
            let parsed = parse::file(&text).map_err(|fault| fault.at(path, &text))?;
            let imports = self.add(path.to_owned(), text, parsed, Some(path));
            return Ok(Some((self.files.len() - 1, imports)));
        }
        let Some(importer) = importer else { return Ok(None) };
        let found = importer(&import.path).map_err(|message| failed(self, message))?;
        let Some(ImportedFile { name, text }) = found else { return Ok(None) };
        if text == self.files[0].text {
            // An import refers to the first file, by another path.
            return Ok(Some((0, Vec::new())));
        }
        if self.files.len() >= FILES_MAX {
            return Err(failed(self, format!("expected at most {FILES_MAX} files")));
        }
        let parsed = parse::file(&text).map_err(|fault| fault.at(&name, &text))?;
        let imports = self.add(name, text, parsed, None);
        Ok(Some((self.files.len() - 1, imports)))
    }

    /// Adds a parsed file, and returns its imports.
    fn add(
        &mut self,
        name: String,
        text: String,
        file: File,
        well_known: Option<&'static str>,
    ) -> Vec<Import> {
        let File { package, imports, messages, enums, .. } = file;
        let index = self.files.len();
        let first = self.messages.len();
        self.files.push(FileInfo {
            name,
            text,
            package,
            imports: Vec::new(),
            missing: Vec::new(),
            is_root: false,
        });
        for mut message in messages {
            message.file = index;
            message.import = well_known;
            message.parent = message.parent.map(|parent| first + parent);
            self.messages.push(message);
        }
        for mut each in enums {
            each.file = index;
            each.import = well_known;
            each.parent = each.parent.map(|parent| first + parent);
            self.enums.push(each);
        }
        imports
    }

    /// Returns the files whose declarations a file sees: its own, those that it imports, and those
    /// that these import publicly.
    pub(super) fn visible(&self, file: usize) -> HashSet<usize> {
        let mut visible = HashSet::from([file]);
        let mut waiting: Vec<usize> = self.files[file].imports.iter().map(|it| it.0).collect();
        while let Some(next) = waiting.pop() {
            if visible.insert(next) {
                let public = self.files[next].imports.iter().filter(|import| import.1);
                waiting.extend(public.map(|import| import.0));
            }
        }
        visible
    }

    /// Returns the names of the files that were read, without the well-known ones.
    pub(super) fn names(&self) -> Vec<String> {
        self.files
            .iter()
            .filter(|file| well_known::path(&file.name).is_none())
            .map(|file| file.name.clone())
            .collect()
    }

    /// Returns the error at the place of a fault.
    #[cold]
    pub(super) fn locate(&self, fault: &Fault) -> Error {
        let file = &self.files[fault.file];
        fault.at(&file.name, &file.text)
    }
}
