//! Compile errors of common mistakes: each case of `endpoints/` and `shapes/`, with the compiler's output beside it.
//! `TRYBUILD=overwrite` writes that output.

#[test]
fn compile_errors_explain_mistakes() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/endpoints/*.rs");
    cases.compile_fail("tests/shapes/*.rs");
}
