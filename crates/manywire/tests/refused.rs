//! What the compiler says of mistakes: each file of `refused/` beside its words.

#[test]
fn mistakes_are_refused_in_words() {
    trybuild::TestCases::new().compile_fail("tests/refused/*.rs");
}
