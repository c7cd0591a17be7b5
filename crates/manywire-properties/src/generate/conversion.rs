//! What to convert, and into what.

use manywire_format::{FORMS, Format, Framing};

use crate::choices::Choices;

/// Bytes that choose two forms and how to go between them, and values of the first.
pub(crate) fn conversion(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let from = choices.below(FORMS.len());
    out.extend([from as u8, choices.byte(), choices.byte()]);
    let form = FORMS[from].form;
    match (form.format, form.framing) {
        (Format::Json, Framing::Single) if choices.one_in(2) => super::json(choices, out),
        (Format::Json, Framing::Lines) => super::lines_json(choices, out),
        (Format::Json, _) => super::sequence_json(choices, out),
        (Format::MsgPack | Format::MsgPackArray, _) => super::sequence_msgpack(choices, out),
        (Format::Cbor, _) => super::sequence_cbor(choices, out),
        (Format::Bson, _) => super::sequence_bson(choices, out),
        (Format::Protobuf, Framing::Delimited) => super::delimited_protobuf(choices, out),
        (Format::Protobuf, _) => super::protobuf(choices, out),
        (Format::Avro, Framing::Container) => super::avro_container(choices, out),
        (Format::Avro, _) => super::avro(choices, out),
    }
}
