//! Mutation of inputs.

use crate::choices::Choices;
use crate::target::Target;

/// Makes a new input from an old one. A generated part replaces the input, or is inserted before,
/// in or after it, and may be damaged. The result has at most `size_max` bytes.
pub fn mutate(target: &Target, choices: &mut Choices<'_>, input: &mut Vec<u8>, size_max: usize) {
    let mut generated = Vec::new();
    target.generate(choices, &mut generated);
    let at = choices.word() as usize % (input.len() + 1);
    match choices.below(4) {
        0 | 1 => *input = generated,
        2 => {
            input.splice(at..at, generated);
        }
        _ => {
            let end = at + choices.below(16).min(input.len() - at);
            input.splice(at..end, generated);
        }
    }
    for _ in 0..choices.below(3) {
        damage(choices, input);
    }
    input.truncate(size_max);
}

/// Changes a byte, a bit, or a range of the input.
fn damage(choices: &mut Choices<'_>, input: &mut Vec<u8>) {
    if input.is_empty() {
        return;
    }
    let at = choices.word() as usize % input.len();
    let end = at + 1 + choices.below(8).min(input.len() - at - 1);
    match choices.below(6) {
        0 => input[at] ^= 1 << choices.below(8),
        1 => input[at] = choices.byte(),
        2 => input.truncate(at),
        3 => drop(input.drain(at..end)),
        4 => input[at] = input[at].wrapping_add(if choices.one_in(2) { 1 } else { 0xff }),
        _ => {
            let twice = input[at..end].to_vec();
            input.splice(at..at, twice);
        }
    }
}
