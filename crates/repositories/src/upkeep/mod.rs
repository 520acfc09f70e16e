//! What keeps repositories small and quick, by jobs: many small packs become one
//! ([`compact`]), objects that no ref leads to go ([`prune`]), and so do the bytes of
//! packs that others replaced ([`sweep`]).

mod compact;
mod packing;
mod prune;
mod sweep;

pub use compact::{Compact, MANY};
pub use prune::Prune;
pub use sweep::Sweep;

use kernel::jobs::RegistryBuilder;

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<Compact>();
    registry.add::<Prune>();
    registry.add_periodic::<Sweep>(sweep::EVERY);
}
