//! The errors of the derive: each file of `refused/` with the compiler's output. This is a separate
//! binary, because `trybuild` runs cargo in another project.

#[test]
fn refuses_wrong_attributes_with_readable_errors() {
    trybuild::TestCases::new().compile_fail("tests/refused/*.rs");
}
