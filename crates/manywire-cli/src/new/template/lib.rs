//! Notes: three endpoints to begin with. Each one answers and reads every format of [`FORMATS`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use manywire::input::{Body, Path};
use manywire::{Api, Endpoint, Failure, Format, Reply, Shaped, get, post};
use serde::{Deserialize, Serialize};

/// The formats that clients may ask for and send.
pub const FORMATS: [Format; 4] = [
    Format::Json,
    Format::MsgPack,
    Format::Cbor,
    Format::Protobuf,
];

/// The published schema. It keeps the numbers of the fields; `tests/service.rs` says when it changes.
const SCHEMA: &str = include_str!("../schema.proto");

/// A note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Note {
    pub id: u64,
    pub text: String,
}

/// The text of a note that does not exist yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct NewNote {
    pub text: String,
}

/// The failures of finding a note.
#[derive(Debug, PartialEq, Failure)]
pub enum FindError {
    /// No such note
    #[failure(status = 404)]
    NotFound { id: u64 },
}

// The contract. The service serves these values, and a client calls them.

pub fn list() -> Endpoint<(), Vec<Note>> {
    get("/notes").returns().summary("Lists all notes")
}

pub fn find() -> Endpoint<(Path<u64>,), Note, FindError> {
    get("/notes/{id}")
        .path()
        .returns()
        .fails()
        .summary("Finds a note")
}

pub fn create() -> Endpoint<(Body<NewNote>,), Note> {
    post("/notes")
        .body()
        .status(201)
        .returns()
        .sends("location")
        .summary("Adds a note")
}

/// The notes. They are lost when the service ends.
#[derive(Clone, Debug, Default)]
struct Notes(Arc<Mutex<BTreeMap<u64, Note>>>);

impl Notes {
    fn all(&self) -> Vec<Note> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .cloned()
            .collect()
    }

    fn find(&self, id: u64) -> Result<Note, FindError> {
        let notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.get(&id).cloned().ok_or(FindError::NotFound { id })
    }

    fn add(&self, note: NewNote) -> Note {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let id = notes.last_key_value().map_or(1, |(last, _)| last + 1);
        let note = Note {
            id,
            text: note.text,
        };
        notes.insert(id, note.clone());
        note
    }
}

/// Returns the API, with no notes yet.
pub fn api() -> Api {
    let notes = Notes::default();
    Api::new("{name}")
        .formats(FORMATS)
        .schema_lock(SCHEMA)
        .documented()
        .serve(
            list()
                .with(notes.clone())
                .to(async |notes: Notes| notes.all()),
        )
        .serve(
            find()
                .with(notes.clone())
                .to(async |id, notes: Notes| notes.find(id)),
        )
        .serve(create().with(notes).to(async |note, notes: Notes| {
            let note = notes.add(note);
            let location = format!("/notes/{}", note.id);
            Reply::new(note).with_location(&location)
        }))
}
