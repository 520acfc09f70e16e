//! `…/-/members`: who works here, and as what.

use super::views::{self, MemberForm, MemberRow, RequestRow, WayIn};
use super::{Address, Space, ends_on, filtered, pages, section};
use crate::access::{self, GRANTABLE, MAINTAINER, NONE, OWNER, Purpose};
use crate::members::{self, NewMember};
use crate::model::SourceKind;
use crate::store::{self as lists, Breadth, MemberFilter, counts};
use http::Method;
use identity::pages::page;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::html::{Moment, Page};
use kernel::http::params::Patch;
use kernel::http::{Paging, Params, Response, Routes, Start};
use store::Tx;

/// Requests the page shows.
const MOST_REQUESTS: i64 = 100;

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "members", list);
    section(r, Method::POST, "members", change);
}

kernel::params! {
    /// What is listed.
    pub struct Listed {
        /// In name or username.
        pub search: Option<String>,
    }
}

#[derive(Clone)]
struct Members {
    viewer: Viewer,
    address: Address,
    search: String,
    paging: Paging,
}

async fn list(
    app: App,
    viewer: SignedInViewer,
    address: Address,
    params: Params<Listed>,
    paging: Paging,
) -> Result<Response> {
    let page = Members {
        viewer: viewer.viewer(),
        address,
        search: params.0.search.unwrap_or_default(),
        paging,
    };
    form::show(&app, page).await
}

async fn change(
    app: App,
    viewer: SignedInViewer,
    address: Address,
    form: Params<Form>,
) -> Result<Response> {
    let page = Members {
        viewer: viewer.viewer(),
        address,
        search: String::new(),
        paging: Paging {
            per_page: kernel::http::paging::DEFAULT_PER_PAGE,
            start: Start::Page(1),
        },
    };
    form::submit(&app, page, form.0).await
}

impl FormPage for Members {
    type Form = Form;
    type View = views::Members;
    const FIELDS: &'static [&'static str] = &["username", "access_level", "expires_at"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.viewer, "Members")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<views::Members> {
        let (viewer, search) = (&self.viewer, &self.search);
        let space = self.address.authorize(tx, viewer, Purpose::ReadMembers)?;
        let can_manage = manages(&space);
        let filter = MemberFilter {
            query: Some(search.clone()),
            ..MemberFilter::default()
        };
        let (limit, offset) = (self.paging.per_page, self.paging.offset());
        let source = space.place().source;
        let (found, total) = lists::members(tx, &source, Breadth::All, &filter, limit, offset)?;
        let url = format!("{}/-/members", space.url());
        let url = filtered(&url, &[("search", search)]);
        let added = typed
            .form
            .as_ref()
            .filter(|form| form.action == Action::Add);
        Ok(views::Members {
            requests: match can_manage {
                true => requests(tx, &space)?,
                false => Vec::new(),
            },
            way_in: way_in(tx, viewer, &space)?,
            members: rows(tx, viewer, &space, &found)?,
            pages: pages(&self.paging, total, url),
            roles: roles(space.level()),
            form: added.map(Form::typed).unwrap_or_default(),
            errors: typed.errors.clone(),
            page: space.crumbs(page, true),
            head: space.head(tx, viewer)?,
            can_manage,
            search: search.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (viewer, address) = (&self.viewer, &self.address);
        let own = form.user_id == viewer.user_id();
        let leaves = form.action == Action::Remove && own;
        let purpose = match form.action {
            Action::Remove if own => Purpose::ReadMembers,
            Action::Ask => Purpose::Join,
            Action::Deny if own => Purpose::Join,
            _ => Purpose::ManageMembers,
        };
        let space = address.authorize(tx, viewer, purpose)?;
        let (place, level) = (space.place(), form.access_level.unwrap_or_default());
        let url = format!("{}/-/members", space.url());
        match form.action {
            Action::Add => {
                let name = form.username.as_deref().unwrap_or_default();
                let name = name.trim().trim_start_matches('@');
                let user = identity::users::find_by_username(tx, name)?
                    .ok_or_else(|| Error::invalid("username", "is not the name of a user"))?;
                let new = NewMember {
                    level,
                    expires_at: ends_on(form.expires_at.as_deref())?,
                };
                members::add(tx, viewer, &place, &user, &new).map_err(|error| match error {
                    Error::Conflict(_) => Error::invalid("username", "is a member already"),
                    other => other,
                })?;
                let role = access::role_name(level);
                Outcome::led(url, format!("{} is now a member: {role}.", user.name))
            }
            Action::Change => {
                let until = match ends_on(form.expires_at.as_deref())? {
                    Some(day) => Patch::Value(day),
                    None => Patch::Null,
                };
                let user_id = user_of(form)?;
                let row = members::change(tx, viewer, &place, user_id, level, until)?;
                let role = access::role_name(row.access_level);
                Outcome::led(url, format!("{} is now {role}.", row.user.name))
            }
            Action::Ask => {
                members::request(tx, viewer, &place)?;
                Outcome::led(url, "You have asked for access.")
            }
            Action::Approve => {
                let row = members::approve(tx, viewer, &place, user_of(form)?, level)?;
                let role = access::role_name(row.access_level);
                Outcome::led(url, format!("{} is now a member: {role}.", row.user.name))
            }
            Action::Deny => {
                members::deny(tx, viewer, &place, user_of(form)?)?;
                Outcome::led(url, "The request is dropped.")
            }
            Action::Remove => {
                members::remove(tx, viewer, &place, user_of(form)?, true)?;
                match leaves {
                    true => Outcome::led("/", format!("You have left {}.", space.full_path())),
                    false => Outcome::led(url, "The member is removed."),
                }
            }
        }
    }

    fn refusal(error: Error) -> Error {
        form::rename(error, "user", "username")
    }
}

/// Whether this level may change members: as [`Purpose::ManageMembers`] asks.
fn manages(space: &Space) -> bool {
    space.level()
        >= match space {
            Space::Group(..) => OWNER,
            Space::Project(..) => MAINTAINER,
        }
}

/// The oldest requests for access.
fn requests(tx: &mut Tx<'_>, space: &Space) -> Result<Vec<RequestRow>> {
    let (source, all) = (space.place().source, MemberFilter::default());
    let (found, _) = lists::members(tx, &source, Breadth::Requests, &all, MOST_REQUESTS, 0)?;
    let now = tx.now();
    let row = |asks: lists::MemberRow| RequestRow {
        user_id: asks.user.id,
        username: asks.user.username,
        name: asks.user.name,
        requested_at: Moment::maybe(asks.requested_at, now),
    };
    Ok(found.into_iter().map(row).collect())
}

fn way_in(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space) -> Result<WayIn> {
    let place = space.place();
    let Some(user) = viewer.user_id().filter(|_| place.level == NONE) else {
        return Ok(WayIn::None);
    };
    let asked = lists::member(tx, &place.source, Breadth::Requests, user)?;
    Ok(match (asked, place.takes_requests) {
        (Some(_), _) => WayIn::Asked,
        (None, true) => WayIn::MayAsk,
        (None, false) => WayIn::None,
    })
}

/// The roles somebody of this level may give.
pub(super) fn roles(level: i64) -> Vec<Choice> {
    let allowed = GRANTABLE.iter().filter(|role| **role <= level);
    allowed
        .map(|role| Choice {
            value: role.to_string(),
            label: access::role_name(*role).to_owned(),
        })
        .collect()
}

fn rows(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    space: &Space,
    found: &[lists::MemberRow],
) -> Result<Vec<MemberRow>> {
    let here = space.place().source;
    let ids: Vec<i64> = found.iter().map(|member| member.id).collect();
    let sources = counts::sources(tx, &ids)?;
    let groups: Vec<i64> = sources
        .values()
        .filter(|(kind, _)| *kind == SourceKind::Group)
        .map(|(_, id)| *id)
        .collect();
    let names = counts::group_names(tx, viewer, &groups)?;
    let now = tx.now();
    let row = |member: &lists::MemberRow| {
        let source = sources.get(&member.id).copied();
        let is_direct = source == Some((here.kind, here.id));
        let is_self = viewer.user_id() == Some(member.user.id);
        let origin = source.and_then(|(_, id)| names.get(&id));
        MemberRow {
            user_id: member.user.id,
            username: member.user.username.clone(),
            name: member.user.name.clone(),
            role: access::role_name(member.access_level).to_owned(),
            access_level: member.access_level.to_string(),
            is_direct,
            inherited_from: match origin {
                Some((name, path)) if !is_direct => Some((name.clone(), format!("/groups/{path}"))),
                _ => None,
            },
            expires_on: member.expires_at.clone().unwrap_or_default(),
            created_at: Moment::new(member.created_at, now),
            is_bot: !member.user.is_human(),
            can_change: is_direct
                && manages(space)
                && member.access_level <= space.level()
                && member.user.is_human(),
            can_leave: is_direct && is_self,
        }
    };
    Ok(found.iter().map(row).collect())
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action {
        Add = "add", Change = "change", Remove = "remove", Ask = "ask", Approve = "approve",
        Deny = "deny"
    }
}

kernel::params! {
    /// The forms of the page.
    pub struct Form {
        /// What is asked for.
        pub action: Action,
        /// Who is to be added.
        pub username: Option<String>,
        /// Who is to be changed or removed.
        pub user_id: Option<i64>,
        /// The role.
        pub access_level: Option<i64>,
        /// The day it ends on, or empty.
        pub expires_at: Option<String>,
    }
}

impl Form {
    fn typed(&self) -> MemberForm {
        MemberForm {
            username: self.username.clone().unwrap_or_default(),
            access_level: self.access_level.map(|n| n.to_string()).unwrap_or_default(),
            expires_at: self.expires_at.clone().unwrap_or_default(),
        }
    }
}

fn user_of(form: &Form) -> Result<i64> {
    form.user_id.ok_or_else(|| Error::missing("user_id"))
}
