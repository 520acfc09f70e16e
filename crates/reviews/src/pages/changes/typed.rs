//! What was typed into the forms of the page and refused.

use super::said::TypedDraft;
use identity::pages::refusal::Refusal;
use planning::pages::notes::{Open, Retry};

#[derive(Debug, Default)]
pub struct Typed {
    /// Notes whose forms are open.
    pub open: Open,
    /// A new comment.
    pub comment: Option<Retry>,
    pub draft: Option<TypedDraft>,
    pub refusal: Refusal,
}
