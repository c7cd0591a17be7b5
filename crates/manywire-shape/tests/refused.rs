//! What the derive refuses, and in which words: each file of `refused/` beside what the compiler
//! says of it. A binary of its own, because `trybuild` runs cargo in a project of its own.

#[test]
fn wrong_attributes_are_refused_in_words() {
    trybuild::TestCases::new().compile_fail("tests/refused/*.rs");
}
