//! Making, changing and deleting users.

use super::emails::{is_of_another, take_from_others};
use super::record;
use crate::author::Author;
use crate::hooks;
use crate::mail_links::{self, Purpose};
use crate::model::{
    User, UserId, UserKind, UserState, email_problem, name_problem, username_problem,
};
use crate::password_rules;
use crate::settings::SignIn;
use crate::tasks;
use kernel::error::{Error, Found, Result};
use kernel::ids::fold;
use serde_json::json;
use store::{IntoValue, Tx};

#[derive(Debug, Clone, Default)]
pub struct NewUser {
    pub username: String,
    pub name: String,
    pub email: String,
    /// Argon2id hash.
    pub password_hash: String,
    pub password_automatic: bool,
    pub admin: bool,
    /// Whether the e-mail counts as confirmed.
    pub confirmed: bool,
    /// Waits for an administrator to let them in.
    pub pending: bool,
    /// The rest, as in an update.
    pub rest: Change,
}

/// What changes; what is `None` or absent stays.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub username: Option<String>,
    pub name: Option<String>,
    pub email: Option<String>,
    pub admin: Option<bool>,
    pub external: Option<bool>,
    /// `Some(None)` is the instance's default.
    pub private: Option<Option<bool>>,
    pub projects_limit: Option<i64>,
    /// May create groups at the top level.
    pub can_create_group: Option<bool>,
    pub theme_id: Option<i64>,
    pub color_scheme_id: Option<i64>,
    /// Texts of the profile: column and value.
    pub texts: Vec<(&'static str, Option<String>)>,
}

/// Columns that [`Change::texts`] may name, with their longest text.
const TEXTS: &[(&str, usize)] = &[
    ("public_email", 254),
    ("commit_email", 254),
    ("bio", 255),
    ("location", 255),
    ("website_url", 255),
    ("organization", 255),
    ("job_title", 255),
    ("pronouns", 50),
    ("linkedin", 255),
    ("twitter", 255),
    ("discord", 255),
    ("provider_a", 255),
    ("note", 10_000),
];

/// Schemes of themes there are.
const THEMES: std::ops::RangeInclusive<i64> = 1..=11;

type Problems = Vec<(String, Vec<String>)>;

fn add(problems: &mut Problems, field: &str, text: Option<impl Into<String>>) {
    if let Some(text) = text {
        problems.push((field.to_owned(), vec![text.into()]));
    }
}

fn done(problems: Problems) -> Result<()> {
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Error::Invalid(problems))
    }
}

impl Change {
    fn problems(&self) -> Problems {
        let mut problems = Problems::new();
        add(
            &mut problems,
            "username",
            self.username.as_deref().and_then(username_problem),
        );
        add(
            &mut problems,
            "name",
            self.name.as_deref().and_then(name_problem),
        );
        add(
            &mut problems,
            "email",
            self.email.as_deref().and_then(email_problem),
        );
        let limit = self
            .projects_limit
            .filter(|limit| !(0..=i64::from(i32::MAX)).contains(limit));
        add(
            &mut problems,
            "projects_limit",
            limit.map(|_| "is not a number of projects"),
        );
        for (field, id) in [
            ("theme_id", self.theme_id),
            ("color_scheme_id", self.color_scheme_id),
        ] {
            let unknown = id.filter(|id| !THEMES.contains(id));
            add(
                &mut problems,
                field,
                unknown.map(|_| "is not included in the list"),
            );
        }
        for (column, value) in &self.texts {
            add(
                &mut problems,
                column,
                text_problem(column, value.as_deref().unwrap_or("")),
            );
        }
        problems
    }

    fn taken(&self, tx: &mut Tx<'_>, except: UserId) -> Result<Problems> {
        let mut problems = Problems::new();
        let taken = |other: Option<User>| {
            other
                .filter(|user| user.id != except)
                .map(|_| "has already been taken")
        };
        if let Some(username) = &self.username {
            add(
                &mut problems,
                "username",
                taken(super::find_by_username(tx, username)?),
            );
        }
        if let Some(email) = &self.email {
            let other = is_of_another(tx, except, email)?;
            add(
                &mut problems,
                "email",
                other.then_some("has already been taken"),
            );
        }
        Ok(problems)
    }

    fn sets(&self) -> Vec<(&'static str, store::Value)> {
        let mut sets: Vec<(&'static str, store::Value)> = Vec::new();
        let mut set = |column, value: Option<store::Value>| {
            sets.extend(value.map(|value| (column, value)));
        };
        let text = |text: &Option<String>| text.clone().map(IntoValue::into_value);
        let folded = |text: &Option<String>| text.as_ref().map(|text| fold(text).into_value());
        set("username", text(&self.username));
        set("username_folded", folded(&self.username));
        set("name", text(&self.name));
        set("name_folded", folded(&self.name));
        set("email", text(&self.email));
        set("email_folded", folded(&self.email));
        set("is_admin", self.admin.map(IntoValue::into_value));
        set("is_external", self.external.map(IntoValue::into_value));
        set("is_private", self.private.map(IntoValue::into_value));
        set(
            "projects_limit",
            self.projects_limit.map(IntoValue::into_value),
        );
        set(
            "can_create_group",
            self.can_create_group.map(IntoValue::into_value),
        );
        set("theme_id", self.theme_id.map(IntoValue::into_value));
        set(
            "color_scheme_id",
            self.color_scheme_id.map(IntoValue::into_value),
        );
        for (column, value) in &self.texts {
            set(column, Some(value.clone().into_value()));
        }
        sets
    }
}

fn text_problem(column: &str, value: &str) -> Option<String> {
    let known = TEXTS.iter().find(|(name, _)| *name == column);
    let most = known.map_or(0, |(_, most)| *most);
    if value.chars().count() > most {
        return Some(format!("is too long (maximum is {most} characters)"));
    }
    if value.is_empty() {
        return None;
    }
    let multiline = matches!(column, "bio" | "note");
    if value
        .chars()
        .any(|c| c.is_control() && !(multiline && c == '\n'))
    {
        return Some("cannot contain control characters".into());
    }
    let problem = match column {
        "public_email" | "commit_email" => email_problem(value),
        "website_url" => url_problem(value),
        _ => None,
    };
    problem.map(str::to_owned)
}

/// A link that a page may show: http or https with a host.
fn url_problem(value: &str) -> Option<&'static str> {
    let usable = url::Url::parse(value)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    (!usable).then_some("is not a valid URL")
}

/// Refuses what [`create`] would refuse, before a password is hashed for it.
pub fn check_new(new: &NewUser, password: &str) -> Result<()> {
    let change = Change {
        username: Some(new.username.clone()),
        name: Some(new.name.clone()),
        email: Some(new.email.clone()),
        ..new.rest.clone()
    };
    let mut problems = change.problems();
    add(
        &mut problems,
        "password",
        password_rules::problem(password, new),
    );
    done(problems)
}

pub fn create(tx: &mut Tx<'_>, by: &Author, new: &NewUser) -> Result<User> {
    let rules: SignIn = kernel::settings::read(tx)?;
    let change = Change {
        username: Some(new.username.clone()),
        name: Some(new.name.clone()),
        email: Some(new.email.clone()),
        admin: Some(new.admin),
        external: Some(new.rest.external.unwrap_or(rules.new_users_external)),
        projects_limit: Some(new.rest.projects_limit.unwrap_or(rules.projects_limit)),
        can_create_group: Some(new.rest.can_create_group.unwrap_or(rules.can_create_group)),
        ..new.rest.clone()
    };
    done(change.problems())?;
    done(change.taken(tx, 0)?)?;
    let mut sets = change.sets();
    let now = tx.now();
    sets.push(("kind", UserKind::Human.into_value()));
    sets.push(("password_hash", new.password_hash.as_str().into_value()));
    sets.push((
        "password_automatically_set",
        new.password_automatic.into_value(),
    ));
    sets.push(("password_changed_at", now.into_value()));
    sets.push(("confirmed_at", new.confirmed.then_some(now).into_value()));
    sets.push(("created_by_id", by.id.into_value()));
    let state = match new.pending {
        true => UserState::BlockedPendingApproval,
        false => UserState::Active,
    };
    let user = insert(tx, state, sets)?;
    if new.confirmed {
        take_from_others(tx, user.id, &user.email)?;
    }
    hooks::created(tx, &user)?;
    record(tx, by, "user.create", &user, json!({"admin": new.admin}))?;
    Ok(user)
}

pub(super) fn insert(
    tx: &mut Tx<'_>,
    state: UserState,
    mut sets: Vec<(&'static str, store::Value)>,
) -> Result<User> {
    let now = tx.now();
    sets.push(("state", state.into_value()));
    sets.push(("created_at", now.into_value()));
    sets.push(("updated_at", now.into_value()));
    let made = crate::store::users::insert(tx, sets)?;
    made.ok_or_else(|| Error::invalid("username", "has already been taken"))
}

pub fn update(tx: &mut Tx<'_>, by: &Author, id: UserId, change: &Change) -> Result<User> {
    let before = super::find(tx, id)?.found("User")?;
    done(change.problems())?;
    done(change.taken(tx, id)?)?;
    let sets = change.sets();
    if sets.is_empty() {
        return Ok(before);
    }
    let fields: Vec<&str> = sets
        .iter()
        .map(|(column, _)| *column)
        .filter(|column| !column.ends_with("_folded"))
        .collect();
    let after = crate::store::users::update(tx, id, sets)?.found("User")?;
    if fold(&before.email) != fold(&after.email) {
        // Links went to the address before, and so does the notice.
        for purpose in Purpose::ALL {
            mail_links::forget(tx, id, *purpose)?;
        }
        tasks::notify(tx, &before, tasks::Change::Email)?;
    }
    if before.username != after.username || before.name != after.name {
        hooks::renamed(tx, &before, &after)?;
    }
    record(tx, by, "user.update", &after, json!({"changed": fields}))?;
    Ok(after)
}

/// Sets a password. One that somebody else chose must be changed at the next
/// sign-in (`expired`). Every session but `kept` ends.
pub fn set_password(
    tx: &mut Tx<'_>,
    by: &Author,
    user: &User,
    hash: &str,
    expired: bool,
    kept: Option<i64>,
) -> Result<()> {
    let now = tx.now();
    crate::store::users::set_password(tx, user.id, hash, expired, now)?;
    crate::sessions::revoke_others(tx, user.id, kept)?;
    crate::two_factor::step::forget(tx, user.id)?;
    mail_links::forget(tx, user.id, Purpose::Password)?;
    mail_links::forget(tx, user.id, Purpose::Unlock)?;
    tasks::notify(tx, user, tasks::Change::Password)?;
    crate::oauth::families::revoke_all_of(tx, user.id)?;
    record(tx, by, "user.password", user, json!({}))
}

/// Deletes a user: what they wrote goes to the ghost, unless `hard`, by job.
pub fn destroy(tx: &mut Tx<'_>, by: &Author, id: UserId, hard: bool) -> Result<()> {
    let user = super::find(tx, id)?.found("User")?;
    if user.kind.is_internal() {
        return Err(Error::forbidden("An internal user cannot be deleted"));
    }
    if by.id == Some(id) {
        return Err(Error::forbidden("You cannot delete yourself"));
    }
    super::leave::leave(tx, by, &user, hard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_of_a_profile_has_its_limit_and_shape() {
        assert_eq!(
            text_problem("bio", &"x".repeat(256)).unwrap(),
            "is too long (maximum is 255 characters)"
        );
        assert_eq!(text_problem("bio", "one\ntwo"), None);
        assert!(text_problem("location", "a\r\nSet-Cookie: x").is_some());
        assert!(text_problem("website_url", "javascript:alert(1)").is_some());
        assert!(text_problem("website_url", "not a url").is_some());
        assert_eq!(
            text_problem("website_url", "https://example.com/~jane"),
            None
        );
        assert!(text_problem("public_email", "nobody").is_some());
        assert_eq!(text_problem("organization", ""), None);
    }

    #[test]
    fn all_problems_of_a_new_user_are_told_together() {
        let new = NewUser {
            username: "a/b".into(),
            ..NewUser::default()
        };
        let Err(Error::Invalid(problems)) = check_new(&new, "short") else {
            panic!("accepted")
        };
        let fields: Vec<String> = problems.into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["username", "name", "email", "password"]);
    }
}
