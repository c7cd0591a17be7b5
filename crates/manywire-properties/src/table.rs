//! The table of properties.

use manywire_format::{Coding, Format};

use crate::target::{Target, TargetKind};
use crate::{
    agree, coding, convert, decode, diagnostic, generate, har, http, negotiate, owned, schema,
    stream, text, transcode, walk, weigh,
};

/// Declares the rows and the table. Each row is also a static, so that a fuzz target which names
/// its row links only that property. This halves the coverage counters that the fuzzer scans after
/// each execution.
macro_rules! rows {
    ($($name:ident: $kind:ident, $format:expr, $check:expr, $generate:expr;)+) => {
        /// The rows by name.
        #[allow(non_upper_case_globals, reason = "a row is called like its fuzz target")]
        pub mod row {
            use super::*;

            $(
                #[doc = concat!("The row `", stringify!($name), "`.")]
                pub static $name: Target = Target {
                    name: stringify!($name),
                    kind: TargetKind::$kind,
                    format: $format,
                    check: $check,
                    generate: $generate,
                };
            )+
        }

        /// Every property, the most productive first.
        pub static TARGETS: &[&Target] = &[$(&row::$name),+];
    };
}

/// Returns the row with this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().copied().find(|target| target.name == name)
}

const MSGPACK: Option<Format> = Some(Format::MsgPack);
const CBOR: Option<Format> = Some(Format::Cbor);
const BSON: Option<Format> = Some(Format::Bson);
const JSON: Option<Format> = Some(Format::Json);
const PROTOBUF: Option<Format> = Some(Format::Protobuf);
const AVRO: Option<Format> = Some(Format::Avro);

rows! {
    agree_msgpack: Agree, MSGPACK, agree::msgpack, generate::msgpack;
    agree_cbor: Agree, CBOR, agree::cbor, generate::cbor;
    agree_bson: Agree, BSON, agree::bson, generate::bson;
    agree_json: Agree, JSON, agree::json, generate::json;
    agree_protobuf: Agree, PROTOBUF, agree::protobuf, generate::protobuf;
    agree_protobuf_named: Agree, PROTOBUF, agree::protobuf_named, generate::protobuf_named;
    agree_avro: Agree, AVRO, agree::avro, generate::avro_datum;
    decode_protobuf: Decoder, PROTOBUF, decode::protobuf, generate::protobuf;
    decode_avro: Decoder, AVRO, decode::avro, generate::avro;
    decode_msgpack: Decoder, MSGPACK, decode::msgpack, generate::msgpack;
    decode_cbor: Decoder, CBOR, decode::cbor, generate::cbor;
    decode_bson: Decoder, BSON, decode::bson, generate::bson;
    decode_json: Decoder, JSON, decode::json, generate::json;
    decode_arranged: Decoder, None, decode::arranged, generate::shaped_msgpack;
    decode_protobuf_any_schema: Decoder, None, decode::protobuf_any_schema, generate::shaped;
    decode_avro_any_schema: Decoder, None, decode::avro_any_schema, generate::shaped;
    walk_msgpack: Walker, MSGPACK, walk::msgpack, generate::msgpack;
    walk_cbor: Walker, CBOR, walk::cbor, generate::cbor;
    walk_bson: Walker, BSON, walk::bson, generate::bson;
    walk_json: Walker, JSON, walk::json, generate::json;
    walk_protobuf: Walker, PROTOBUF, walk::protobuf, generate::protobuf;
    walk_avro: Walker, AVRO, walk::avro, generate::avro_datum;
    stream_json: Stream, JSON, stream::json, generate::sequence_json;
    stream_ndjson: Stream, JSON, stream::ndjson, generate::lines_json;
    stream_msgpack: Stream, MSGPACK, stream::msgpack, generate::sequence_msgpack;
    stream_cbor: Stream, CBOR, stream::cbor, generate::sequence_cbor;
    stream_bson: Stream, BSON, stream::bson, generate::sequence_bson;
    stream_protobuf: Stream, PROTOBUF, stream::protobuf, generate::delimited_protobuf;
    container_avro: Stream, AVRO, stream::avro_container, generate::avro_container;
    diagnostic_cbor: Walker, CBOR, diagnostic::cbor, generate::cbor;
    transcode_msgpack: Transcoder, MSGPACK, transcode::msgpack, generate::msgpack;
    transcode_cbor: Transcoder, CBOR, transcode::cbor, generate::cbor;
    transcode_owned: Transcoder, None, owned::check, generate::any_bytes;
    convert_any: Transcoder, None, convert::check, generate::conversion;
    coding_gzip: Coding, None, |b| coding::check(Coding::Gzip, b),
        |c, o| generate::coded(Coding::Gzip, c, o);
    coding_deflate: Coding, None, |b| coding::check(Coding::Deflate, b),
        |c, o| generate::coded(Coding::Deflate, c, o);
    coding_zstd: Coding, None, |b| coding::check(Coding::Zstd, b),
        |c, o| generate::coded(Coding::Zstd, c, o);
    coding_br: Coding, None, |b| coding::check(Coding::Brotli, b),
        |c, o| generate::coded(Coding::Brotli, c, o);
    http_request: Text, None, http::request, generate::request;
    http_pattern: Text, None, http::pattern, generate::patterns;
    http_form: Text, None, http::form, generate::form_text;
    http_multipart: Text, None, http::multipart, generate::multipart;
    http_accept: Text, None, negotiate::accept, generate::accept;
    http_tokens: Text, None, negotiate::tokens, generate::tokens;
    text_bytes: Text, None, text::bytes, generate::digits;
    text_annotated: Text, None, text::annotated, generate::rows;
    text_words: Text, None, text::words, generate::names;
    text_har: Text, None, har::check, generate::har;
    weigh_sweep: Text, None, weigh::sweep, generate::sweeps;
    weigh_gate: Text, None, weigh::gate, generate::gates;
    schema_proto: Schema, None, schema::proto, generate::proto_text;
    schema_avsc: Schema, None, schema::avsc, generate::avsc_text;
    schema_json: Schema, None, schema::json_schema, generate::json_schema_text;
}
