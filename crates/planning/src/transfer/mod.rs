//! Labels, milestones, issues and what is said of them, whole: as they come from elsewhere
//! ([`write`]) and go there ([`read`]), with the numbers, times and people they have.
//!
//! Nobody is told of what comes, and nothing counts as done by anybody now. Who may have it
//! written is not asked here.

mod model;
mod people;
pub mod read;
mod store;
mod texts;
pub mod write;

pub use model::{Event, Happening, Issue, IssueLink, Label, Milestone, Note, On, Person, Reaction};
pub use texts::{label_title, line, prose};

use crate::store::notes::Noteable;

/// The id here of a thread about something that bears a name of its own elsewhere: always the
/// same, so that what answers in it finds it.
pub fn discussion_id(about: Noteable, thread: &str) -> String {
    let name = format!("{} {} {thread}", about.kind, about.id);
    let mut digest = kernel::secrets::digest(&name);
    // As many as others have.
    digest.truncate(20);
    hex::encode(digest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::notes::{ISSUE, MERGE_REQUEST};

    #[test]
    fn threads_of_one_name_are_told_apart_by_what_they_are_about() {
        let about = |kind, id| Noteable { kind, id, project_id: Some(1) };
        let id = discussion_id(about(ISSUE, 5), "7");
        assert_eq!(id, discussion_id(about(ISSUE, 5), "7"));
        assert_eq!(id.len(), 40);
        let others = [(ISSUE, 5, "8"), (ISSUE, 6, "7"), (MERGE_REQUEST, 5, "7")];
        for (kind, number, thread) in others {
            assert_ne!(id, discussion_id(about(kind, number), thread));
        }
    }
}
