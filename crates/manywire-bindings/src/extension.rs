//! Names and codes of values that only one format has, as both languages show them.

use manywire_shape::Space;

/// The spaces of extensions, with their names.
const SPACES: [(Space, &str); 4] = [
    (Space::MessagePack, "msgpack"),
    (Space::CborTag, "cbor-tag"),
    (Space::CborSimple, "cbor-simple"),
    (Space::Bson, "bson"),
];

/// Returns the name of a space.
pub fn space_name(space: Space) -> &'static str {
    SPACES.iter().find(|(known, _)| *known == space).map_or("", |(_, name)| name)
}

/// Returns the space with this name.
pub fn space_of_name(name: &str) -> Option<Space> {
    SPACES.iter().find(|(_, known)| *known == name).map(|(space, _)| *space)
}

/// Returns the code as a number: types of MessagePack are signed.
pub fn code_number(space: Space, code: u64) -> i128 {
    match space {
        Space::MessagePack => i128::from(code as i8),
        Space::CborTag | Space::CborSimple | Space::Bson => i128::from(code),
    }
}

/// Returns the code of a number, if the space has such a code.
pub fn code_of_number(space: Space, number: i128) -> Option<u64> {
    match space {
        Space::MessagePack => i8::try_from(number).ok().map(|code| code as u64),
        Space::CborTag => u64::try_from(number).ok(),
        Space::CborSimple | Space::Bson => u8::try_from(number).ok().map(u64::from),
    }
}
