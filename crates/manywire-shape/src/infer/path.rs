/// One step of a path: `.name`, or `["any text"]`.
pub(super) fn step(key: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
    if !key.is_empty() && key.chars().all(plain) { format!(".{key}") } else { format!("[{key:?}]") }
}
