//! What the compiler says of mistakes: each file of `compile_fail/` beside its words.

#[test]
fn compile_errors_explain_mistakes() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
