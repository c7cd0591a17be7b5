//! The numbers of fields.

use std::collections::HashSet;

use super::{Result, invalid};
use crate::proto::schema::{FIELD_NUMBER_MAX, RESERVED_NUMBERS};

/// The numbers of fields: as given, and the lowest free ones for the others, in order.
pub(super) fn assign(
    name: &str,
    given: impl Iterator<Item = Option<u32>> + Clone,
) -> Result<Vec<u32>> {
    let mut taken = HashSet::new();
    for number in given.clone().flatten() {
        if number == 0 || number > FIELD_NUMBER_MAX || RESERVED_NUMBERS.contains(&number) {
            return invalid(format_args!("{name}: {number} cannot be a field number"));
        }
        if !taken.insert(number) {
            return invalid(format_args!("{name}: two fields have number {number}"));
        }
    }
    let mut free = 1;
    let numbers: Vec<u32> = given
        .map(|number| {
            number.unwrap_or_else(|| {
                while taken.contains(&free) || RESERVED_NUMBERS.contains(&free) {
                    free += 1;
                }
                free += 1;
                free - 1
            })
        })
        .collect();
    Ok(numbers)
}
