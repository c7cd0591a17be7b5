//! Tables of schemas: the outlines of their shapes, and the errors of invalid ones.

use manywire_schema::Error;
use manywire_shape::Shape;

/// Returns an outline on one line.
pub(crate) fn flat(shape: &Shape) -> String {
    shape.to_string().split_whitespace().collect::<Vec<_>>().join(" ").replace("{ }", "{}")
}

/// Checks that schemas are read as shapes with these outlines.
pub(crate) fn check_outlines(table: &[(&str, &str)], read: impl Fn(&str) -> Result<Shape, Error>) {
    let differs = |(schema, expected): &(&str, &str)| {
        let found = read(schema).map(|shape| flat(&shape));
        let same = found.as_deref() == Ok(*expected);
        (!same).then(|| format!("{schema}\n  expected {expected}\n  found    {found:?}"))
    };
    let differing: Vec<String> = table.iter().filter_map(differs).collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// Checks that schemas are refused with these errors.
pub(crate) fn check_errors(table: &[(&str, &str)], read: impl Fn(&str) -> Result<Shape, Error>) {
    for (schema, expected) in table {
        match read(schema) {
            Ok(shape) => panic!("{schema}: is {shape}"),
            Err(error) => assert_eq!(error.to_string(), *expected, "{schema}"),
        }
    }
}
