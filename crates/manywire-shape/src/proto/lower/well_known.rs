//! Messages that are the same for every shape: those of `google.protobuf`, and `AnyValue`.

use super::Lowering;
use crate::proto::schema::{Field, Form, Kind, Label, Message};

impl Lowering<'_> {
    pub(super) fn empty(&mut self) -> usize {
        let file = "google/protobuf/empty.proto";
        self.import(file, "google.protobuf.Empty", Form::Null, Vec::new)
    }

    pub(super) fn timestamp(&mut self) -> usize {
        let file = "google/protobuf/timestamp.proto";
        self.import(file, "google.protobuf.Timestamp", Form::Timestamp, || {
            vec![Field::new("seconds", 1, Kind::Int64), Field::new("nanos", 2, Kind::Int32)]
        })
    }

    pub(super) fn import(
        &mut self,
        file: &'static str,
        name: &'static str,
        form: Form,
        fields: impl FnOnce() -> Vec<Field>,
    ) -> usize {
        *self.imported.entry(name).or_insert_with(|| {
            self.messages.push(Message {
                import: Some(file.to_owned()),
                fields: fields(),
                ..Message::new(name, form)
            });
            self.messages.len() - 1
        })
    }

    /// Returns the message of a value of any type: a union of every kind, which contains itself.
    pub(super) fn any(&mut self) -> usize {
        if let Some(index) = self.any {
            return index;
        }
        let index = self.reserve("AnyValue", "A value of any kind.", Form::Union);
        self.any = Some(index);
        self.messages[index].oneofs.push("kind".to_owned());
        let list = self.wrapper(Label::Repeated, Kind::Message(index), "");
        let entry = self.entry_of(Kind::String, Kind::Message(index), "AnyValueEntry", true);
        let map = self.reserve("AnyValueMap", "", Form::Wrapper);
        let mut entries = Field::new("entries", 1, Kind::Message(entry));
        entries.label = Label::Repeated;
        self.messages[map].fields.push(entries);
        let members = [
            ("null", Kind::Message(self.empty())),
            ("bool", Kind::Bool),
            ("int64", Kind::Sint64),
            ("uint64", Kind::Uint64),
            ("double", Kind::Double),
            ("string", Kind::String),
            ("list", Kind::Message(list)),
            ("map", Kind::Message(map)),
            ("bytes", Kind::Bytes),
            ("float", Kind::Float),
            ("timestamp", Kind::Message(self.timestamp())),
            ("number", Kind::Number),
        ];
        for ((name, kind), number) in members.into_iter().zip(1..) {
            self.member(index, Field::new(name, number, kind));
        }
        index
    }
}
