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
use crate::problems::Problems;
use crate::settings::SignIn;
use crate::tasks;
use kernel::error::{Error, Found, Result};
use kernel::http::params::{self, Field, FromParams, Param, Source};
use kernel::http::{Flat, Patch};
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
    pub rest: UserInput,
}

/// What changes; what is `None` or absent stays.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub username: Option<String>,
    pub name: Option<String>,
    pub email: Option<String>,
    pub admin: Option<bool>,
    pub rest: UserInput,
}

kernel::params! {
    /// What may be said of a user, new or not.
    #[derive(Default)]
    pub struct UserInput {
        /// Sees only what they are members of.
        pub external: Option<bool>,
        /// Hides activity and followers.
        pub private_profile: Patch<bool>,
        /// Projects in the own namespace.
        pub projects_limit: Option<i64>,
        /// May create groups.
        pub can_create_group: Option<bool>,
        /// Colour scheme of the pages.
        pub theme_id: Option<i64>,
        /// Colour scheme of code.
        pub color_scheme_id: Option<i64>,
        pub texts: Flat<Texts>,
    }
}

/// Texts of the profile: column and value of those that change.
#[derive(Debug, Clone, Default)]
pub struct Texts(pub Vec<(&'static str, Option<String>)>);

/// The columns there are, their longest text, and what they are to callers.
const TEXTS: &[(&str, usize, &str)] = &[
    ("bio", 255, "A few words."),
    ("location", 255, "Where they are."),
    ("public_email", 254, "E-mail shown to everyone."),
    ("commit_email", 254, "E-mail used in commits."),
    ("website_url", 255, "Their site."),
    ("organization", 255, "Where they work."),
    ("job_title", 255, "As what."),
    ("pronouns", 50, "Pronouns."),
    ("linkedin", 255, "Account there."),
    ("twitter", 255, "Account there."),
    ("discord", 255, "Account there."),
    ("provider_a", 255, "Handle at that provider."),
    ("note", 10_000, "For administrators."),
];

impl FromParams for Texts {
    fn from_params(source: &Source) -> std::result::Result<Self, Vec<String>> {
        let mut errors = Vec::new();
        let mut given = |(column, ..): &(&'static str, usize, &str)| {
            let text = params::take::<Patch<String>>(source, column, &mut errors)?;
            Some((*column, text.sent()?))
        };
        let texts = TEXTS.iter().filter_map(&mut given).collect();
        errors.is_empty().then_some(Texts(texts)).ok_or(errors)
    }

    fn fields() -> Vec<Field> {
        let declared = |(column, _, about): &(&'static str, usize, &'static str)| {
            <Patch<String>>::declared(column, about)
        };
        TEXTS.iter().flat_map(declared).collect()
    }
}

/// Schemes of themes there are.
const THEMES: std::ops::RangeInclusive<i64> = 1..=11;

const TAKEN: &str = "has already been taken";

impl Change {
    fn problems(&self) -> Problems {
        let mut problems = Problems::default();
        let username = self.username.as_deref().and_then(username_problem);
        problems.add("username", username);
        problems.add("name", self.name.as_deref().and_then(name_problem));
        problems.add("email", self.email.as_deref().and_then(email_problem));
        let counts = 0..=i64::from(i32::MAX);
        let limit = self.rest.projects_limit.filter(|limit| !counts.contains(limit));
        problems.add("projects_limit", limit.map(|_| "is not a number of projects"));
        for (field, id) in
            [("theme_id", self.rest.theme_id), ("color_scheme_id", self.rest.color_scheme_id)]
        {
            let unknown = id.filter(|id| !THEMES.contains(id));
            problems.add(field, unknown.map(|_| "is not included in the list"));
        }
        for (column, value) in &self.rest.texts.0.0 {
            let problem = text_problem(column, value.as_deref().unwrap_or(""));
            problems.add(column, problem);
        }
        problems
    }

    fn taken(&self, tx: &mut Tx<'_>, except: UserId) -> Result<Problems> {
        let mut problems = Problems::default();
        if let Some(username) = &self.username {
            let holder = super::find_by_username(tx, username)?;
            let other = holder.filter(|user| user.id != except);
            problems.add("username", other.map(|_| TAKEN));
        }
        if let Some(email) = &self.email {
            let other = is_of_another(tx, except, email)?;
            problems.add("email", other.then_some(TAKEN));
        }
        Ok(problems)
    }

    fn sets(&self) -> Vec<(&'static str, store::Value)> {
        let text = |text: &Option<String>| text.clone().map(IntoValue::into_value);
        let folded = |text: &Option<String>| text.as_ref().map(|text| fold(text).into_value());
        let flag = |flag: Option<bool>| flag.map(IntoValue::into_value);
        let number = |number: Option<i64>| number.map(IntoValue::into_value);
        let rest = &self.rest;
        let private = rest.private_profile.clone().sent();
        let given = [
            ("username", text(&self.username)),
            ("username_folded", folded(&self.username)),
            ("name", text(&self.name)),
            ("name_folded", folded(&self.name)),
            ("email", text(&self.email)),
            ("email_folded", folded(&self.email)),
            ("is_admin", flag(self.admin)),
            ("is_external", flag(rest.external)),
            ("is_private", private.map(IntoValue::into_value)),
            ("projects_limit", number(rest.projects_limit)),
            ("can_create_group", flag(rest.can_create_group)),
            ("theme_id", number(rest.theme_id)),
            ("color_scheme_id", number(rest.color_scheme_id)),
        ];
        let texts = rest.texts.0.0.iter().cloned();
        let texts = texts.map(|(column, value)| (column, Some(value.into_value())));
        let all = given.into_iter().chain(texts);
        all.filter_map(|(column, value)| Some((column, value?))).collect()
    }
}

impl NewUser {
    /// Its row, as the change of a user without one.
    fn change(&self) -> Change {
        Change {
            username: Some(self.username.clone()),
            name: Some(self.name.clone()),
            email: Some(self.email.clone()),
            admin: Some(self.admin),
            rest: self.rest.clone(),
        }
    }
}

fn text_problem(column: &str, value: &str) -> Option<String> {
    let known = TEXTS.iter().find(|(name, ..)| *name == column);
    let most = known.map_or(0, |(_, most, _)| *most);
    if value.chars().count() > most {
        return Some(format!("is too long (maximum is {most} characters)"));
    }
    if value.is_empty() {
        return None;
    }
    let multiline = matches!(column, "bio" | "note");
    if value.chars().any(|c| c.is_control() && !(multiline && c == '\n')) {
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
    let mut problems = new.change().problems();
    problems.add("password", password_rules::problem(password, new));
    problems.done()
}

pub fn create(tx: &mut Tx<'_>, by: &Author, new: &NewUser) -> Result<User> {
    let rules: SignIn = kernel::settings::read(tx)?;
    let mut change = new.change();
    let rest = &mut change.rest;
    rest.external.get_or_insert(rules.new_users_external);
    rest.projects_limit.get_or_insert(rules.projects_limit);
    rest.can_create_group.get_or_insert(rules.can_create_group);
    change.problems().done()?;
    change.taken(tx, 0)?.done()?;
    let mut sets = change.sets();
    let now = tx.now();
    sets.push(("kind", UserKind::Human.into_value()));
    sets.push(("password_hash", new.password_hash.as_str().into_value()));
    sets.push(("password_automatically_set", new.password_automatic.into_value()));
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
    tx: &mut Tx<'_>, state: UserState, mut sets: Vec<(&'static str, store::Value)>,
) -> Result<User> {
    let now = tx.now();
    sets.push(("state", state.into_value()));
    sets.push(("created_at", now.into_value()));
    sets.push(("updated_at", now.into_value()));
    let made = crate::store::users::insert(tx, sets)?;
    made.ok_or_else(|| Error::invalid("username", TAKEN))
}

pub fn update(tx: &mut Tx<'_>, by: &Author, id: UserId, change: &Change) -> Result<User> {
    let before = super::find(tx, id)?.found("User")?;
    change.problems().done()?;
    change.taken(tx, id)?.done()?;
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
    tx: &mut Tx<'_>, by: &Author, user: &User, hash: &str, expired: bool, kept: Option<i64>,
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
    if user.is_admin {
        super::administer::keep_an_administrator(tx, id)?;
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
        assert_eq!(text_problem("website_url", "https://example.com/~jane"), None);
        assert!(text_problem("public_email", "nobody").is_some());
        assert_eq!(text_problem("organization", ""), None);
    }

    #[test]
    fn all_problems_of_a_new_user_are_told_together() {
        let new = NewUser { username: "a/b".into(), ..NewUser::default() };
        let Err(Error::Invalid(problems)) = check_new(&new, "short") else {
            panic!("accepted")
        };
        let fields: Vec<String> = problems.into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["username", "name", "email", "password"]);
    }
}
