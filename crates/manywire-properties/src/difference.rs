//! The first difference between two values, for short messages.

use manywire_shape::Value;

/// Returns the first path at which the values differ, with both values; `None` if they are equal.
pub(crate) fn difference(left: &Value<'_>, right: &Value<'_>) -> Option<String> {
    if left == right {
        return None;
    }
    let inner = match (left, right) {
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let mut pairs = left.iter().zip(*right).enumerate();
            pairs.find_map(|(index, (left, right))| {
                difference(left, right).map(|found| format!("[{index}]{found}"))
            })
        }
        (Value::Map(left), Value::Map(right)) if left.len() == right.len() => {
            let mut pairs = left.iter().zip(*right).enumerate();
            pairs.find_map(|(index, (left, right))| {
                let key =
                    difference(&left.0, &right.0).map(|found| format!("[key {index}]{found}"));
                key.or_else(|| {
                    difference(&left.1, &right.1).map(|found| format!("[value {index}]{found}"))
                })
            })
        }
        (Value::Ext(left), Value::Ext(right))
            if (left.space, left.code) == (right.space, right.code) =>
        {
            difference(&left.content, &right.content).map(|found| format!("({}){found}", left.code))
        }
        _ => None,
    };
    inner.or_else(|| Some(format!(": {left:?} and {right:?}")))
}
