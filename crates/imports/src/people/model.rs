//! People elsewhere, and who stands for them.

use crate::model::Person;
use crate::run::SourceName;
use kernel::time::Timestamp;
use planning::transfer::line;
use store::FromRow;

/// Placeholders that a top-level group may have; whoever comes after them has none.
pub const MOST_PLACEHOLDERS: i64 = 10_000;
/// Letters of a login there that the username of a placeholder keeps.
const KEPT: usize = 200;

kernel::choices! {
    /// How far it is settled who somebody elsewhere is here.
    pub enum SourceUserStatus {
        /// Nobody has said it.
        PendingReassignment = "pending_reassignment",
        /// Somebody here is asked whether it is they.
        AwaitingApproval = "awaiting_approval",
        /// It is they, and they are given what the placeholder has.
        ReassignmentInProgress = "reassignment_in_progress",
        /// They have it.
        Completed = "completed",
        /// It is not they.
        Rejected = "rejected",
        /// It stays with the placeholder.
        KeepAsPlaceholder = "keep_as_placeholder",
    }
}

impl SourceUserStatus {
    /// Whether it can be said who they are.
    pub fn is_open(self) -> bool {
        matches!(
            self,
            SourceUserStatus::PendingReassignment
                | SourceUserStatus::Rejected
                | SourceUserStatus::KeepAsPlaceholder
        )
    }

    /// Whether it is settled that somebody here is them.
    pub fn is_settled(self) -> bool {
        matches!(self, SourceUserStatus::ReassignmentInProgress | SourceUserStatus::Completed)
    }

    /// As people read it.
    pub const fn title(self) -> &'static str {
        match self {
            SourceUserStatus::PendingReassignment => "Not assigned",
            SourceUserStatus::AwaitingApproval => "Waits for an answer",
            SourceUserStatus::ReassignmentInProgress => "Is being assigned",
            SourceUserStatus::Completed => "Assigned",
            SourceUserStatus::Rejected => "Declined",
            SourceUserStatus::KeepAsPlaceholder => "Stays a placeholder",
        }
    }
}

/// Somebody elsewhere, as a top-level group knows them.
#[derive(Debug, Clone, FromRow)]
#[columns("import_source_users")]
pub struct SourceUser {
    pub id: i64,
    /// The top-level group.
    pub namespace_id: i64,
    pub source: SourceName,
    /// The server they are known by.
    pub host: String,
    /// Theirs there.
    pub source_user_id: String,
    pub username: String,
    pub name: Option<String>,
    /// Who stands for them.
    pub placeholder_id: Option<i64>,
    /// Who they are, or are asked whether they are.
    pub user_id: Option<i64>,
    pub reassigned_by_id: Option<i64>,
    pub status: SourceUserStatus,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl SourceUser {
    /// Under whose name stands what they did.
    pub fn stands_as(&self) -> Option<i64> {
        match self.status.is_settled() {
            true => self.user_id.or(self.placeholder_id),
            false => self.placeholder_id,
        }
    }

    /// Everybody that is shown with them.
    pub fn people(&self) -> impl Iterator<Item = i64> + use<> {
        let people = [self.placeholder_id, self.user_id, self.reassigned_by_id];
        people.into_iter().flatten()
    }
}

/// The username of the placeholder of somebody: of their login, what can stand in one.
pub fn placeholder_username(login: &str, number: i64) -> String {
    let may_stand = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut kept: String = login.chars().filter(may_stand).take(KEPT).collect();
    while kept.contains("..") {
        kept = kept.replace("..", ".");
    }
    let kept = match kept.trim_matches(['-', '.']) {
        "" => "user",
        kept => kept,
    };
    format!("{kept}_placeholder_user_{number}")
}

/// What the placeholder of somebody is called.
pub fn placeholder_name(person: &Person) -> String {
    let name = person.name.as_deref().filter(|name| !name.trim().is_empty());
    line(&format!("Placeholder {}", name.unwrap_or(&person.username)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use identity::model::{name_problem, username_problem};

    #[test]
    fn placeholders_have_names_that_users_can_have() {
        let long = "x".repeat(300);
        for (login, expected) in [
            ("octocat", "octocat_placeholder_user_7"),
            ("dependabot[bot]", "dependabotbot_placeholder_user_7"),
            ("Jane Doe", "JaneDoe_placeholder_user_7"),
            ("..a...b-", "a.b_placeholder_user_7"),
            ("中文", "user_placeholder_user_7"),
            ("", "user_placeholder_user_7"),
        ] {
            assert_eq!(placeholder_username(login, 7), expected);
        }
        for login in ["octocat", "-x-", "中文", &long] {
            assert_eq!(username_problem(&placeholder_username(login, i64::MAX)), None, "{login}");
        }
    }

    #[test]
    fn who_has_no_name_is_called_by_login() {
        let person = |name: Option<&str>| Person {
            id: "1".into(),
            username: "dependabot[bot]".into(),
            name: name.map(str::to_owned),
            email: None,
        };
        assert_eq!(placeholder_name(&person(None)), "Placeholder dependabot[bot]");
        assert_eq!(placeholder_name(&person(Some(" "))), "Placeholder dependabot[bot]");
        let odd = placeholder_name(&person(Some("Jane\0\nDoe")));
        assert_eq!((odd.as_str(), name_problem(&odd)), ("Placeholder Jane  Doe", None));
    }
}
