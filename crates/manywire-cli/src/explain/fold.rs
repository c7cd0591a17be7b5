//! Paths with their indexes folded together: what is at `$.a[0].b` and `$.a[1].b` is at
//! `$.a[*].b`.

/// Puts `*` for every index of an item, and leaves out which value of a stream it is.
pub(crate) fn folded(path: &str) -> String {
    let mut folded = String::with_capacity(path.len());
    let mut rest = path;
    if let Some(value) = path.strip_prefix("$#") {
        folded.push('$');
        rest = value.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    // Behind a dot there is no bracket; within quotes there may be.
    while let Some(start) = rest.find('[') {
        folded.push_str(&rest[..=start]);
        rest = &rest[start + 1..];
        let length = step_length(rest);
        let step = &rest[..length];
        let number = step.strip_prefix("key ").unwrap_or(step);
        if number.bytes().all(|byte| byte.is_ascii_digit()) && !number.is_empty() {
            folded.push_str(&step[..step.len() - number.len()]);
            folded.push('*');
        } else {
            folded.push_str(step);
        }
        rest = &rest[length..];
    }
    folded.push_str(rest);
    folded
}

/// How long a step is up to its closing bracket.
fn step_length(step: &str) -> usize {
    if !step.starts_with('"') {
        return step.find(']').unwrap_or(step.len());
    }
    let mut escaped = false;
    for (index, character) in step.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return index + 1,
            _ => {}
        }
    }
    step.len()
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn indexes_fold_and_keys_do_not() {
        let cases = [
            ("$", "$"),
            ("$.a[3].b", "$.a[*].b"),
            ("$[0][12]", "$[*][*]"),
            ("$#7.a", "$.a"),
            ("$#7[1]", "$[*]"),
            ("$[key 4].a", "$[key *].a"),
            (r#"$["12"][1]"#, r#"$["12"][*]"#),
            (r#"$["a[3]"].b[3]"#, r#"$["a[3]"].b[*]"#),
            (r#"$["\"[1]"][2]"#, r#"$["\"[1]"][*]"#),
            ("$.12", "$.12"),
            ("$blocks[3]", "$blocks[*]"),
        ];
        for (path, expected) in cases {
            assert_eq!(folded(path), expected, "{path}");
        }
    }
}
