//! Code of forks. A fork begins with the rows of its source: the same refs, and the same
//! packs, whose bytes both have in common. What one of them packs anew or deletes takes
//! rows of its own away, and bytes go when nobody's row names them; so neither can take
//! from the other, and a fork outlives its source.
//!
//! Which project is a fork of which is `spaces`'s to say.

mod copy;
mod distance;
mod rest;
mod sync;

pub use copy::copy;
pub use distance::{common, distance};
pub use rest::count;
pub use sync::sync;

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
}
