//! What the forms of the page send, and the account that they carry on sealed.

use crate::offers::{Account, Provider};
use crate::run::Credentials;
use jiff::SignedDuration;
use kernel::error::{Error, Result};
use kernel::http::Text;
use kernel::secrets::Secrets;
use kernel::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Repositories that are imported by one form.
pub const MOST_CHOSEN: usize = 25;
/// How long a page may stay open.
const OPEN: SignedDuration = SignedDuration::from_hours(2);

kernel::choices! {
    /// What the forms of the page ask for.
    #[derive(Default)]
    pub enum Action {
        /// The repositories of an account.
        #[default]
        Connect = "connect",
        Search = "search",
        Before = "before",
        After = "after",
        /// What there is of those that are chosen.
        Try = "try",
        Import = "import",
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct Form {
        pub action: Action,
        /// The account, as it is typed.
        pub address: Text,
        pub username: Text,
        pub secret: Text,
        pub workspace: Text,
        /// The same, sealed, once it is known.
        pub connection: Text,
        /// The page of repositories that is shown, and what they are searched for.
        pub page: Option<i64>,
        pub search: Text,
        /// Those that are chosen.
        pub repositories: Option<Vec<String>>,
        pub target_namespace: Text,
        pub new_name: Text,
        pub collaborators_import: Option<bool>,
        pub attachments_import: Option<bool>,
        pub single_endpoint_notes_import: Option<bool>,
        pub live: Option<bool>,
        pub timeout_strategy: Text,
        /// A line for each: a name there, a colon, a user here.
        pub user_map: Text,
    }
}

impl Form {
    pub fn is_chosen(&self, key: &str) -> bool {
        self.chosen().iter().any(|one| one == key)
    }

    pub fn chosen(&self) -> &[String] {
        self.repositories.as_deref().unwrap_or_default()
    }

    /// The page that is asked for, from 1.
    pub fn wanted_page(&self) -> usize {
        let page = usize::try_from(self.page.unwrap_or(1)).unwrap_or(1).max(1);
        match self.action {
            Action::Connect | Action::Search => 1,
            Action::Before => (page - 1).max(1),
            Action::After => page.saturating_add(1),
            Action::Try | Action::Import => page,
        }
    }

    /// Whether members come along; unless somebody says otherwise where they usually do.
    pub fn with_members(&self, provider: Provider) -> bool {
        let is_untouched = self.action == Action::Connect;
        (is_untouched && provider == Provider::A) || self.collaborators_import.unwrap_or(false)
    }

    pub fn with_attachments(&self) -> bool {
        self.attachments_import.unwrap_or(false)
    }

    pub fn with_single_notes(&self) -> bool {
        self.single_endpoint_notes_import.unwrap_or(false)
    }

    pub fn is_live(&self) -> bool {
        self.live.unwrap_or(false)
    }

    /// The lines of people who are known: names there, and who they are here.
    pub fn known_people(&self) -> Result<Vec<(String, String)>> {
        let lines = self.user_map.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.map(known).collect()
    }

    /// What proves there who asks, as it is typed.
    pub fn credentials(&self) -> Result<Credentials> {
        let username = Some(self.username.trim()).filter(|name| !name.is_empty());
        match self.secret.trim() {
            "" => Err(Error::invalid("secret", "can't be blank")),
            secret => Ok(Credentials {
                username: username.map(str::to_owned),
                secret: secret.to_owned(),
            }),
        }
    }
}

fn known(line: &str) -> Result<(String, String)> {
    // Names there may hold a colon; names here cannot.
    let (there, here) = line.rsplit_once(':').unwrap_or_default();
    match (there.trim(), here.trim().trim_start_matches('@')) {
        ("", _) | (_, "") => {
            let text = format!("has a line without a name, a colon and a user: {line}");
            Err(Error::invalid("user_map", text))
        }
        (there, here) => Ok((there.to_owned(), here.to_owned())),
    }
}

/// An account that was typed, on its way through a page.
#[derive(Serialize, Deserialize)]
struct Carried {
    account: Account,
    until: Timestamp,
}

fn context(user_id: i64) -> String {
    format!("imports.connection:{user_id}")
}

/// An account as a page of this user carries it: nobody reads it there.
pub fn seal(secrets: &Secrets, user_id: i64, account: &Account, now: Timestamp) -> Result<String> {
    let until = now.saturating_add(OPEN).unwrap_or(Timestamp::MAX);
    let carried = Carried { account: account.clone(), until };
    let plain = serde_json::to_vec(&carried).map_err(Error::internal)?;
    Ok(secrets.seal(&context(user_id), &plain))
}

/// The account that a page of this user carried; none of another user, or after a while.
pub fn unseal(
    secrets: &Secrets, user_id: i64, provider: Provider, sealed: &str, now: Timestamp,
) -> Option<Account> {
    let plain = secrets.unseal(&context(user_id), sealed).ok()?;
    let carried: Carried = serde_json::from_slice(&plain).ok()?;
    let is_fresh = carried.until > now && carried.account.source == provider;
    is_fresh.then_some(carried.account)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn people_are_known_by_lines() {
        let form = |text: &str| Form { user_map: Text(text.into()), ..Form::default() };
        let known = form("ada: jane\n\n a:b :@kim ").known_people().expect("lines");
        let expected = [("ada", "jane"), ("a:b", "kim")];
        assert_eq!(known, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
        for bad in ["ada", "ada:", ": jane", "ada: @"] {
            assert!(form(bad).known_people().is_err(), "{bad}");
        }
    }

    #[test]
    fn pages_are_turned() {
        for (action, page, wanted) in [
            (Action::Connect, Some(7), 1),
            (Action::Search, Some(7), 1),
            (Action::After, Some(7), 8),
            (Action::After, None, 2),
            (Action::Before, Some(7), 6),
            (Action::Before, Some(1), 1),
            (Action::Import, Some(-3), 1),
            (Action::Try, Some(3), 3),
        ] {
            let form = Form { action, page, ..Form::default() };
            assert_eq!(form.wanted_page(), wanted, "{action} {page:?}");
        }
    }

    #[test]
    fn an_account_is_carried_for_one_user_and_a_while() {
        let secrets = Secrets::open(Path::new("/absent"), Some("ab".repeat(32))).expect("keys");
        let account = Account {
            source: Provider::A,
            address: Some("https://code.example".into()),
            base: "https://code.example/api/v3".into(),
            workspace: None,
            credentials: Credentials { username: None, secret: "t0ken".into() },
        };
        let now = Timestamp::UNIX_EPOCH;
        let sealed = seal(&secrets, 7, &account, now).expect("sealed");
        assert!(!sealed.contains("t0ken"));
        let open = |user, provider, hours| {
            unseal(&secrets, user, provider, &sealed, now + SignedDuration::from_hours(hours))
        };
        let opened = open(7, Provider::A, 1).expect("its own");
        assert_eq!(opened.credentials.secret, "t0ken");
        assert!(open(8, Provider::A, 1).is_none());
        assert!(open(7, Provider::BCloud, 1).is_none());
        assert!(open(7, Provider::A, 3).is_none());
        assert!(unseal(&secrets, 7, Provider::A, "1.x.y", now).is_none());
    }
}
