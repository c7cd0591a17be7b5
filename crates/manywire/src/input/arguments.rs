use super::{Inputs, Write, Writing};
use crate::problem::Fault;

/// Inputs that a client can write.
pub trait WriteInputs: Inputs {
    /// What a client gives: nothing for no input, the value of the only one, a tuple of several.
    type Arguments: Send + 'static;

    /// Writes them, in their order.
    ///
    /// # Errors
    /// The first value that has no place where it should stand.
    fn write(&self, arguments: Self::Arguments, writing: &mut Writing) -> Result<(), Box<Fault>>;
}

impl WriteInputs for () {
    type Arguments = ();

    fn write(&self, (): (), _writing: &mut Writing) -> Result<(), Box<Fault>> {
        Ok(())
    }
}

impl<A: Write> WriteInputs for (A,) {
    type Arguments = A::Argument;

    fn write(&self, argument: A::Argument, writing: &mut Writing) -> Result<(), Box<Fault>> {
        self.0.write(argument, writing)
    }
}

macro_rules! arguments {
    ($($input:ident $argument:ident),+) => {
        impl<$($input: Write),+> WriteInputs for ($($input,)+) {
            type Arguments = ($($input::Argument,)+);

            #[allow(non_snake_case, reason = "values are named as their types")]
            fn write(&self, arguments: Self::Arguments, writing: &mut Writing) -> Result<(), Box<Fault>> {
                let ($($input,)+) = self;
                let ($($argument,)+) = arguments;
                $($input.write($argument, writing)?;)+
                Ok(())
            }
        }
    };
}

arguments!(A a, B b);
arguments!(A a, B b, C c);
arguments!(A a, B b, C c, D d);
arguments!(A a, B b, C c, D d, E e);
arguments!(A a, B b, C c, D d, E e, F f);
arguments!(A a, B b, C c, D d, E e, F f, G g);
arguments!(A a, B b, C c, D d, E e, F f, G g, H h);
