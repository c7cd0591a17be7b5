//! Lists of content codings.

use manywire_format::Coding;

#[test]
fn lists_codings_from_the_last_applied_to_the_first() {
    let listed = |lines: &[&'static str]| Coding::listed(lines.iter().copied()).collect::<Vec<_>>();
    assert_eq!(listed(&["gzip, br"]), ["br", "gzip"]);
    assert_eq!(listed(&["gzip", " zstd ,identity,, br"]), ["br", "zstd", "gzip"]);
    assert_eq!(listed(&["Identity", ""]), [""; 0]);
}
