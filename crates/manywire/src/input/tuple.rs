//! Tuples of inputs: how an endpoint appends, maps and reads them.

use std::sync::Arc;

use super::{
    Authenticate, CheckedInput, Constrain, ConstrainLast, Constraints, Input, InputDescription,
    InputReader, Invalid, Read,
};

/// The inputs of an endpoint: a flat tuple of at most twelve.
pub trait Inputs: Send + Sync + 'static {
    /// The values that the handler receives, one for each input.
    type Values: Send + 'static;

    /// Returns the descriptions of the inputs, in their order.
    fn describe(&self) -> Vec<InputDescription>;
}

/// Inputs that a server can read.
pub trait ReadInputs: Inputs {
    /// Reads all inputs, even after a failure, so that all faults are found.
    fn read(&self, reading: &mut InputReader<'_>) -> Option<Self::Values>;

    /// Returns the check of credentials that precedes the reading, if an input has one.
    #[doc(hidden)]
    fn authenticator(&self) -> Option<Arc<dyn Authenticate>>;
}

/// A tuple that can take one more input.
#[diagnostic::on_unimplemented(
    message = "an endpoint has at most twelve inputs",
    label = "this would be the thirteenth",
    note = "take the query as one record, `.query::<Filter>()`, instead of its parameters one by one"
)]
pub trait Append<I> {
    /// The tuple with the input at its end.
    type Appended;

    /// Appends an input.
    fn append(self, input: I) -> Self::Appended;
}

/// A tuple whose last input can be converted.
pub trait MapLast<U>: Sized {
    /// The value of the last input.
    type Last: Send + 'static;
    /// The tuple whose last input has a value of type `U`.
    type Mapped;

    /// Applies a function to the value of the last input.
    fn map_last(
        self,
        check: impl Fn(Self::Last) -> Result<U, Invalid> + Send + Sync + 'static,
    ) -> Self::Mapped;
}

impl Inputs for () {
    type Values = ();

    fn describe(&self) -> Vec<InputDescription> {
        Vec::new()
    }
}

impl ReadInputs for () {
    #[inline]
    fn read(&self, _reading: &mut InputReader<'_>) -> Option<()> {
        Some(())
    }

    fn authenticator(&self) -> Option<Arc<dyn Authenticate>> {
        None
    }
}

impl<X> Append<X> for () {
    type Appended = (X,);

    fn append(self, input: X) -> (X,) {
        (input,)
    }
}

macro_rules! append {
    ($($input:ident),+) => {
        impl<$($input,)+ X> Append<X> for ($($input,)+) {
            type Appended = ($($input,)+ X);

            #[allow(non_snake_case, reason = "values are named as their types")]
            fn append(self, input: X) -> Self::Appended {
                let ($($input,)+) = self;
                ($($input,)+ input)
            }
        }
    };
}

macro_rules! inputs {
    ($($before:ident)*; $last:ident) => {
        impl<$($before: Input,)* $last: Input> Inputs for ($($before,)* $last,) {
            type Values = ($($before::Value,)* $last::Value,);

            #[allow(non_snake_case, reason = "values are named as their types")]
            fn describe(&self) -> Vec<InputDescription> {
                let ($($before,)* $last,) = self;
                let mut description = Vec::new();
                $($before.describe(&mut description);)*
                $last.describe(&mut description);
                description
            }
        }

        impl<$($before: Read,)* $last: Read> ReadInputs for ($($before,)* $last,) {
            #[inline]
            #[allow(non_snake_case, reason = "values are named as their types")]
            fn read(&self, reading: &mut InputReader<'_>) -> Option<Self::Values> {
                let ($($before,)* $last,) = self;
                $(let $before = $before.read(reading);)*
                let $last = $last.read(reading);
                Some(($($before?,)* $last?,))
            }

            #[allow(non_snake_case, reason = "values are named as their types")]
            fn authenticator(&self) -> Option<Arc<dyn Authenticate>> {
                let ($($before,)* $last,) = self;
                None$(.or_else(|| $before.authenticator()))*.or_else(|| $last.authenticator())
            }
        }

        impl<$($before,)* $last: Constrain> ConstrainLast for ($($before,)* $last,) {
            #[allow(non_snake_case, reason = "values are named as their types")]
            fn constrain_last(self, constraints: Constraints) -> Self {
                let ($($before,)* $last,) = self;
                ($($before,)* $last.constrain(constraints),)
            }
        }

        impl<U: Send + 'static, $($before,)* $last: Input> MapLast<U> for ($($before,)* $last,) {
            type Last = $last::Value;
            type Mapped = ($($before,)* CheckedInput<$last, U>,);

            #[allow(non_snake_case, reason = "values are named as their types")]
            fn map_last(
                self,
                check: impl Fn(Self::Last) -> Result<U, Invalid> + Send + Sync + 'static,
            ) -> Self::Mapped {
                let ($($before,)* $last,) = self;
                ($($before,)* CheckedInput::new($last, check),)
            }
        }
    };
}

append!(A);
append!(A, B);
append!(A, B, C);
append!(A, B, C, D);
append!(A, B, C, D, E);
append!(A, B, C, D, E, F);
append!(A, B, C, D, E, F, G);
append!(A, B, C, D, E, F, G, H);
append!(A, B, C, D, E, F, G, H, I);
append!(A, B, C, D, E, F, G, H, I, J);
append!(A, B, C, D, E, F, G, H, I, J, K);

inputs!(; A);
inputs!(A; B);
inputs!(A B; C);
inputs!(A B C; D);
inputs!(A B C D; E);
inputs!(A B C D E; F);
inputs!(A B C D E F; G);
inputs!(A B C D E F G; H);
inputs!(A B C D E F G H; I);
inputs!(A B C D E F G H I; J);
inputs!(A B C D E F G H I J; K);
inputs!(A B C D E F G H I J K; L);
// Tuples of 13 and 14 have the credentials and the state beside at most twelve inputs: both are
// added when a handler is attached.
inputs!(A B C D E F G H I J K L; M);
inputs!(A B C D E F G H I J K L M; N);
