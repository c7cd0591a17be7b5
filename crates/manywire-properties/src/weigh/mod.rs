//! The small languages of `weigh`: `--sweep` and `--gate`.

mod gate;
mod sweep;

pub(crate) use gate::check as gate;
pub(crate) use sweep::check as sweep;
