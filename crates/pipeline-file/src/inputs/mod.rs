//! Inputs of a file: the `spec:` header, checking what is given, and putting it
//! into the rest of the file (contract 1.4).

mod functions;
mod interpolation;
mod spec;
mod values;

pub(crate) use interpolation::{Known, interpolate};
pub use spec::{InputSpec, InputType};
pub(crate) use spec::{Spec, inputs_of};
pub(crate) use values::{no_spec, resolve};
