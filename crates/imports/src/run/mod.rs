//! How imports run: what they are ([`model`]), how they begin and end ([`rules`]), page by
//! page ([`step`]), by jobs ([`jobs`]), and what can be told before one begins ([`dry`]).

mod bring;
pub mod dry;
mod failures;
mod jobs;
pub mod model;
pub mod rules;
mod seals;
mod step;
mod tasks;

pub use bring::{Load, bring, bring_each};
pub use failures::{prepare_one, retry_one};
pub use model::{
    Credentials, Import, Lost, NewImport, OptionalStages, Options, Page, SourceName, Stage, Stats,
    TimeoutStrategy, Trouble,
};
pub use rules::{begin, begin_part};
pub use tasks::TendImports;

/// How often it is looked for imports that nobody goes on with, in seconds.
const TEND_EVERY: i64 = 60;

pub(crate) fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    registry.add::<tasks::StepImport>();
    registry.add_periodic::<TendImports>(TEND_EVERY);
}
