//! Schema readers: any text is a shape or an error with a position, and every shape is usable.

use manywire_codec::{avro, protobuf};
use manywire_schema::Error;
use manywire_shape::Shape;

use crate::target::{CheckResult, Violation, ensure};

pub(crate) fn proto(bytes: &[u8]) -> CheckResult {
    let text = String::from_utf8_lossy(bytes);
    let (schema, shape) = match manywire_schema::read_proto("fuzz.proto", &text, None) {
        Ok(read) => read,
        Err(error) => return check_position(&error, &text),
    };
    if let Err(error) = protobuf::Plan::new(&schema) {
        ensure!(!error.to_string().is_empty(), "an error without a message");
    }
    compile_plans(&shape);
    // The text that is written for a schema must be a valid schema.
    let written = schema.to_proto("");
    let root = schema.messages.get(schema.root).map(|message| message.name.as_str());
    match manywire_schema::read_proto("again.proto", &written, root) {
        Ok(_) => Ok(()),
        Err(error) => Err(Violation(format!("{error}\n{written}"))),
    }
}

pub(crate) fn avsc(bytes: &[u8]) -> CheckResult {
    let text = String::from_utf8_lossy(bytes);
    match manywire_schema::read_avro("fuzz.avsc", &text) {
        Ok((schema, shape)) => {
            let _ = avro::Plan::new(&schema);
            compile_plans(&shape);
            let canonical = schema.canonical();
            match manywire_schema::read_avro("again.avsc", &canonical) {
                Ok((again, _)) => {
                    let twice = again.canonical();
                    ensure!(twice == canonical, "{canonical} became {twice}");
                    Ok(())
                }
                Err(error) => Err(Violation(format!("{error}\n{canonical}"))),
            }
        }
        Err(error) => check_position(&error, &text),
    }
}

pub(crate) fn json_schema(bytes: &[u8]) -> CheckResult {
    let text = String::from_utf8_lossy(bytes);
    // The reader detects the language.
    if let Err(error) = manywire_schema::read("fuzz", &text, None) {
        check_position(&error, &text)?;
    }
    match manywire_schema::read_json_schema("fuzz.schema.json", &text) {
        Ok(shape) => {
            compile_plans(&shape);
            Ok(())
        }
        Err(error) => check_position(&error, &text),
    }
}

/// Compiles the plans of Protocol Buffers and Avro for a shape. Both formats may refuse the shape.
fn compile_plans(shape: &Shape) {
    let _ = protobuf::Plan::from_shape(shape);
    let _ = avro::Plan::from_shape(shape);
}

/// Checks that an error has a position in the text and a message.
fn check_position(error: &Error, text: &str) -> CheckResult {
    let lines = text.split('\n').count();
    ensure!((1..=lines).contains(&error.line), "line {} of {lines}: {error}", error.line);
    let line = text.split('\n').nth(error.line - 1).unwrap_or_default();
    let columns = line.chars().count() + 1;
    ensure!((1..=columns).contains(&error.column), "column {} of {columns}: {error}", error.column);
    ensure!(!error.message.is_empty(), "an error without a message");
    Ok(())
}
