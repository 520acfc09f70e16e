//! Changes that notes suggest (docs/interface/merge-requests.md 5.4). Pure: [`fences()`]
//! finds them in texts, [`change`] says which lines they replace, of those that are stored
//! [`around`] a thread, [`refusal()`] whether they can be applied, [`applying`] makes the new
//! text of files, [`message()`] that of the commit. [`rules`] store them as notes are
//! written, and [`batch`] applies them; [`shown`] is what clients see.

pub mod applying;
pub mod around;
pub mod batch;
pub mod change;
pub mod fences;
pub mod message;
pub mod model;
pub mod pages;
pub mod refusal;
mod rest;
pub mod rules;
pub mod shown;
pub mod store;

pub use applying::{apply, by_path};
pub use around::Around;
pub use change::Change;
pub use fences::{Fence, fences};
pub use message::{MessageFacts, author, message};
pub use refusal::{Facts, Refusal, refusal};
pub use rules::{landed, reworded, said, stands};
pub use shown::{Shown, entities};

/// REST and pages of suggestions.
pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
