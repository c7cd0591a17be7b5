//! Fields that no schema knows: the wire type leaves open what they are.

use manywire_shape::Value;

use super::wire::{is_message, is_printable, zigzag};
use super::{Level, Walker};
use crate::Role;
use crate::trail::{Kind, Opening, Walked};

impl Walker<'_, '_, '_> {
    /// The content of a field, by its wire type.
    pub(super) fn guess(&mut self, number: u64, wire_type: u64, end: usize) -> Walked {
        match wire_type {
            0 => self.some_number(end),
            1 => {
                let bits = self.fixed::<8>(end)?;
                self.some_fixed(8, f64::from_le_bytes(bits), u64::from_le_bytes(bits));
                Ok(())
            }
            2 => self.some_content(end),
            3 => {
                let here = self.at;
                let opening = Opening::until(Kind::Map, end);
                let name = format_args!("group");
                self.trail.open(here..here, Role::Head, name, opening)?;
                self.levels.push(Level { group: number, ..Level::until(end, None) });
                Ok(())
            }
            _ => {
                let bits = self.fixed::<4>(end)?;
                let float = f64::from(f32::from_le_bytes(bits));
                self.some_fixed(4, float, u64::from(u32::from_le_bytes(bits)));
                Ok(())
            }
        }
    }

    fn some_number(&mut self, end: usize) -> Walked {
        let start = self.at;
        let number = self.varint(end, "a number")?;
        let (range, value) = (start..self.at, Value::from(number));
        // Negative numbers of the plain types take all ten bytes.
        if number > i64::MAX as u64 {
            let signed = number.cast_signed();
            let name = format_args!("varint, signed {signed}");
            self.trail.scalar(range, 0, Role::Value, name, value);
        } else {
            let zigzag = zigzag(number);
            let name = format_args!("varint, zigzag {zigzag}");
            self.trail.scalar(range, 0, Role::Value, name, value);
        }
        Ok(())
    }

    /// A float, unless it would be one that nobody writes; then an integer.
    fn some_fixed(&mut self, width: usize, float: f64, integer: u64) {
        let range = self.at - width..self.at;
        let bits = width * 8;
        let likely = float == 0.0 || (1e-9..1e15).contains(&float.abs());
        let name = format_args!("{bits}-bit number, as integer {integer}");
        if likely {
            self.trail.scalar(range, 0, Role::Value, name, Value::F64(float));
        } else {
            let name = format_args!("{bits}-bit number");
            self.trail.scalar(range, 0, Role::Value, name, Value::from(integer));
        }
    }

    fn some_content(&mut self, end: usize) -> Walked {
        let start = self.at;
        let content = self.content(end)?;
        let (length, after) = (content.len(), self.at);
        let head = after - length - start;
        let text = std::str::from_utf8(content).ok().filter(|text| is_printable(text));
        if is_message(content) && text.is_none_or(|text| text.starts_with(char::is_control)) {
            self.at = after - length;
            let opening = Opening::until(Kind::Map, after);
            let name = format_args!("{length}-byte message");
            self.trail.open(start..self.at, Role::Length, name, opening)?;
            self.levels.push(Level::until(after, None));
            return Ok(());
        }
        match text {
            Some(text) => {
                let name = format_args!("{length}-byte string");
                self.trail.scalar(start..after, head, Role::Value, name, Value::Str(text));
            }
            None => {
                let name = format_args!("{length} bytes");
                self.trail.scalar(start..after, head, Role::Value, name, Value::Bytes(content));
            }
        }
        Ok(())
    }
}
