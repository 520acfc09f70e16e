//! What somebody sets, and what then holds.

use super::model::{Digest, Level, SwitchChanges, Switches};
use super::store::{self as rows, EVERYTHING, Setting, SettingSource, SourceType, Sources};
use crate::access::{Aim, ParentRef, authorize};
use identity::model::User;
use identity::viewer::SignedIn;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use std::collections::HashMap;
use store::{Json, Tx};

/// What somebody changes of a setting.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub level: Option<String>,
    /// For everything or a group; empty is the primary address, or that above.
    pub email: Option<String>,
    pub switches: SwitchChanges,
    pub own_activity: Option<bool>,
    /// None within stands for as above.
    pub digest: Option<Option<Digest>>,
}

/// The project or group of a setting, which the viewer sees; everything without one.
pub fn source(
    tx: &mut Tx<'_>, viewer: &Viewer, place: Option<&ParentRef>,
) -> Result<SettingSource> {
    let Some(place) = place else {
        return Ok(EVERYTHING);
    };
    let parent = authorize(tx, viewer, place, Aim::Own)?.parent;
    Ok(match (parent.project_id(), parent.group_id()) {
        (Some(id), _) => (SourceType::Project, id),
        (_, Some(id)) => (SourceType::Group, id),
        (None, None) => EVERYTHING,
    })
}

pub fn change(
    tx: &mut Tx<'_>, caller: &SignedIn, source: SettingSource, change: &Change,
) -> Result<Setting> {
    let before = rows::find(tx, caller.user.id, source)?;
    let level = match &change.level {
        None => before.level,
        Some(text) => Level::from_text(text).ok_or_else(|| {
            let short: String = text.chars().take(50).collect();
            Error::BadRequest(format!("'{short}' is not a valid level"))
        })?,
    };
    let email = match change.email.as_deref().map(str::trim) {
        None => before.email.clone(),
        Some("") => None,
        Some(address) => Some(confirmed(tx, &caller.user, address)?),
    };
    let after = Setting {
        level,
        email,
        events: Json(change.switches.over(&before.switches()).0),
        own_activity: change.own_activity.unwrap_or(before.own_activity),
        digest: change.digest.unwrap_or(before.digest),
        ..before
    };
    rows::write(tx, &after)?;
    Ok(after)
}

/// An address as the user confirmed it.
fn confirmed(tx: &mut Tx<'_>, user: &User, address: &str) -> Result<String> {
    let known = identity::users::confirmed_addresses(tx, user)?;
    let found = known.into_iter().find(|one| one.eq_ignore_ascii_case(address));
    found.ok_or_else(|| Error::invalid("notification_email", "must be an email you have verified"))
}

/// Where mail about everything goes: the address that was set, as long as it is
/// confirmed, else the primary one.
pub fn address(tx: &mut Tx<'_>, user: &User, setting: &Setting) -> Result<String> {
    let Some(set) = &setting.email else {
        return Ok(user.email.clone());
    };
    let known = identity::users::confirmed_addresses(tx, user)?;
    let found = known.into_iter().find(|one| one.eq_ignore_ascii_case(set));
    Ok(found.unwrap_or_else(|| user.email.clone()))
}

/// What holds for somebody in a project.
#[derive(Debug, Clone)]
pub struct Effective {
    pub level: Level,
    pub switches: Switches,
    /// They are told of what they do themselves.
    pub own_activity: bool,
    pub digest: Digest,
}

/// What holds for each of these users in a project or group: what the project's setting
/// says, else the nearest group's, else that for everything.
pub fn levels(
    tx: &mut Tx<'_>, users: &[i64], place: impl Into<Sources>,
) -> Result<HashMap<i64, Effective>> {
    let place = place.into();
    let mut set: HashMap<i64, HashMap<SettingSource, Setting>> = HashMap::new();
    for setting in rows::of_users(tx, users, &place)? {
        let source = (setting.source_type, setting.source_id);
        set.entry(setting.user_id).or_default().insert(source, setting);
    }
    let project = place.project_id.map(|id| (SourceType::Project, id));
    let mut sources: Vec<SettingSource> = project.into_iter().collect();
    // The nearest is the last.
    sources.extend(place.groups.iter().rev().map(|id| (SourceType::Group, *id)));
    let effective = |user: &i64| {
        let own = set.remove(user).unwrap_or_default();
        (*user, nearest(*user, &sources, &own))
    };
    Ok(users.iter().map(effective).collect())
}

/// What holds where somebody set this, the nearest source first.
fn nearest(
    user: i64, sources: &[SettingSource], own: &HashMap<SettingSource, Setting>,
) -> Effective {
    let general = match own.get(&EVERYTHING) {
        Some(general) => general.clone(),
        None => Setting::unset(user, EVERYTHING),
    };
    let near = || sources.iter().filter_map(|source| own.get(source));
    let says = near().find(|setting| setting.level != Level::Global);
    let holds = says.unwrap_or(&general);
    let level = match holds.level {
        Level::Global => Level::Participating,
        level => level,
    };
    let digest = near().find_map(|setting| setting.digest).or(general.digest);
    Effective {
        level,
        switches: holds.switches(),
        own_activity: general.own_activity,
        digest: digest.unwrap_or(Digest::Off),
    }
}

/// Where mail about a project or group goes: to the address set for the nearest group
/// that has one, else to that for everything.
pub fn address_for(tx: &mut Tx<'_>, user: &User, place: impl Into<Sources>) -> Result<String> {
    let place = place.into();
    let set = rows::of_users(tx, &[user.id], &place)?;
    let of = |source: SettingSource| {
        set.iter()
            .find(|one| (one.source_type, one.source_id) == source && one.email.is_some())
    };
    let near = place.groups.iter().rev().find_map(|id| of((SourceType::Group, *id)));
    match near.or_else(|| of(EVERYTHING)) {
        Some(setting) => address(tx, user, setting),
        None => Ok(user.email.clone()),
    }
}
