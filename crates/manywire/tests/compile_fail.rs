//! Compile errors of common mistakes: each file of `compile_fail/` with the expected message.
//!
//! This is a separate binary because trybuild runs cargo.

#[test]
fn compile_errors_explain_mistakes() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
