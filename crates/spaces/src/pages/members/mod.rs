//! `…/-/members`: who works here, and as what: people, who was invited, who
//! asks, and the groups it is shared with.

mod ways;

use super::views::{self, MemberRow, WayIn};
use super::{Section, Space, Visit, ends_on, filtered, section};
use crate::access::{self, GRANTABLE, MAINTAINER, NONE, OWNER, Purpose};
use crate::members::{self, MemberChange};
use crate::model::SourceKind;
use crate::store::{self as lists, Breadth, MemberFilter, Source, counts};
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::html::{Page, Pages};
use kernel::http::params::Patch;
use kernel::http::{Flat, Paging, Params, Response, Routes, Start, Text};
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
    visit: Visit,
    search: String,
    paging: Paging,
}

async fn list(app: App, visit: Visit, params: Params<Listed>, paging: Paging) -> Result<Response> {
    let page = Members { visit, search: params.0.search.unwrap_or_default(), paging };
    form::show(&app, page).await
}

async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    let page = Members {
        visit,
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
    const FIELDS: &'static [&'static str] =
        &["username", "access_level", "expires_at", "group", "group_access", "share_until"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Members")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<views::Members> {
        let (viewer, search) = (&self.visit.viewer, &self.search);
        let space = self.visit.authorize(tx, Purpose::ReadMembers)?;
        let can_manage = manages(&space);
        let filter = MemberFilter { query: Some(search.clone()), ..MemberFilter::default() };
        let (limit, offset) = (self.paging.per_page, self.paging.offset());
        let source = space.place(viewer).source;
        let (found, total) = lists::members(tx, &source, Breadth::All, &filter, limit, offset)?;
        let url = format!("{}/-/members", space.url());
        let url = filtered(&url, &[("search", search)]);
        let of = |action| typed.form.as_ref().filter(|form| form.action == action);
        let (added, shared) = (of(Action::Add), of(Action::Share));
        let head = space.head(tx, viewer)?;
        Ok(views::Members {
            requests: match can_manage {
                true => requests(tx, &source)?,
                false => Vec::new(),
            },
            invitations: match can_manage {
                true => ways::invitations(tx, &space.place(viewer))?,
                false => Vec::new(),
            },
            shares: ways::shares(tx, viewer, &source)?,
            can_share: can_manage,
            share: shared.map(|form| form.share.0.clone()).unwrap_or_default(),
            way_in: way_in(tx, viewer, &space)?,
            members: rows(tx, viewer, &space, found)?,
            pages: Pages::of(&self.paging, total, url),
            roles: roles(space.level()),
            form: added.map(|form| form.member.0.clone()).unwrap_or_default(),
            errors: typed.errors.clone(),
            page: head.page(page, Section::Members),
            head,
            now: tx.now(),
            can_manage,
            search: search.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let viewer = &self.visit.viewer;
        let own = form.user_id == viewer.user_id();
        let leaves = form.action == Action::Remove && own;
        let purpose = match form.action {
            Action::Remove if own => Purpose::ReadMembers,
            Action::Ask => Purpose::Join,
            Action::Deny if own => Purpose::Join,
            Action::Share | Action::Unshare => Purpose::Share,
            _ => Purpose::ManageMembers,
        };
        let space = self.visit.authorize(tx, purpose)?;
        let level = form.member.access_level.unwrap_or_default();
        let place = space.place(viewer);
        let url = format!("{}/-/members", space.url());
        let done: Result<(String, String)> = match form.action {
            Action::Add => ways::add(tx, &place, &form.member).map(|text| (url, text)),
            Action::Share => ways::share(tx, &place, &form.share).map(|text| (url, text)),
            Action::Unshare => ways::unshare(tx, &place, form).map(|text| (url, text)),
            Action::Invited => ways::change_invitation(tx, &place, form).map(|text| (url, text)),
            Action::Withdraw => ways::withdraw(tx, &place, form).map(|text| (url, text)),
            Action::Change => {
                let until = ends_on(&form.member.expires_at)?;
                let change = MemberChange {
                    user_id: user_of(form)?,
                    access_level: level,
                    expires_at: until.map_or(Patch::Null, Patch::Value),
                };
                let row = members::change(tx, &place, &change)?;
                let role = access::role_name(row.access_level);
                Ok((url, format!("{} is now {role}.", row.user.name)))
            }
            Action::Ask => {
                members::request(tx, &place)?;
                Ok((url, "You have asked for access.".to_owned()))
            }
            Action::Approve => {
                let row = members::approve(tx, &place, user_of(form)?, level)?;
                let role = access::role_name(row.access_level);
                Ok((url, format!("{} is now a member: {role}.", row.user.name)))
            }
            Action::Deny => {
                members::deny(tx, &place, user_of(form)?)?;
                Ok((url, "Request removed.".to_owned()))
            }
            Action::Remove => {
                members::remove(tx, &place, user_of(form)?, true)?;
                match leaves {
                    true => Ok(("/".to_owned(), format!("You have left {}.", space.full_path()))),
                    false => Ok((url, "Member removed.".to_owned())),
                }
            }
        };
        let (to, text) = done?;
        Outcome::led(to, text)
    }

    fn refusal(error: Error) -> Error {
        form::rename(form::rename(error, "user", "username"), "email", "username")
    }
}

/// Whether this level may change members and share: as
/// [`Purpose::ManageMembers`] and [`Purpose::Share`] ask.
pub(super) fn manages(space: &Space) -> bool {
    space.level()
        >= match space {
            Space::Group(..) => OWNER,
            Space::Project(..) => MAINTAINER,
        }
}

/// The oldest requests for access.
fn requests(tx: &mut Tx<'_>, source: &Source) -> Result<Vec<lists::MemberRow>> {
    let all = MemberFilter::default();
    Ok(lists::members(tx, source, Breadth::Requests, &all, MOST_REQUESTS, 0)?.0)
}

fn way_in(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space) -> Result<WayIn> {
    let place = space.place(viewer);
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
    tx: &mut Tx<'_>, viewer: &Viewer, space: &Space, found: Vec<lists::MemberRow>,
) -> Result<Vec<MemberRow>> {
    let here = space.place(viewer).source;
    let ids: Vec<i64> = found.iter().map(|member| member.id).collect();
    let sources = counts::sources(tx, &ids)?;
    let groups: Vec<i64> = sources
        .values()
        .filter(|(kind, _)| *kind == SourceKind::Group)
        .map(|(_, id)| *id)
        .collect();
    let names = counts::group_names(tx, viewer, &groups)?;
    let row = |member: lists::MemberRow| {
        let source = sources.get(&member.id).copied();
        let is_direct = source == Some((here.kind, here.id));
        let is_self = viewer.user_id() == Some(member.user.id);
        let origin = source.and_then(|(_, id)| names.get(&id));
        MemberRow {
            is_direct,
            inherited_from: origin.filter(|_| !is_direct).cloned(),
            can_change: is_direct
                && manages(space)
                && member.access_level <= space.level()
                && member.user.is_human(),
            can_leave: is_direct && is_self,
            member,
        }
    };
    Ok(found.into_iter().map(row).collect())
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action {
        /// By user name, or by mail.
        Add = "add",
        Change = "change",
        Remove = "remove",
        Ask = "ask",
        Approve = "approve",
        Deny = "deny",
        /// With a group.
        Share = "share",
        Unshare = "unshare",
        /// Changes an invitation.
        Invited = "invited",
        Withdraw = "withdraw",
    }
}

kernel::params! {
    /// The forms of the page.
    pub struct Form {
        /// What is asked for.
        pub action: Action,
        /// Who is to be changed or removed.
        pub user_id: Option<i64>,
        /// Whose invitation is to be changed or withdrawn.
        pub email: Text,
        /// With which group a share ends.
        pub group_id: Option<i64>,
        pub member: Flat<MemberForm>,
        pub share: Flat<ShareForm>,
    }
}

kernel::params! {
    /// What the form says of a share.
    #[derive(Default)]
    pub struct ShareForm {
        /// The group's path.
        pub group: Text,
        /// The highest role it gives.
        pub group_access: Option<i64>,
        /// The day it ends on, `YYYY-MM-DD`, or empty.
        pub share_until: Text,
    }
}

kernel::params! {
    /// What the forms say of a member.
    #[derive(Default)]
    pub struct MemberForm {
        /// Who is to be added: a user name or an address.
        pub username: Text,
        /// The role.
        pub access_level: Option<i64>,
        /// The day it ends on, `YYYY-MM-DD`, or empty.
        pub expires_at: Text,
    }
}

fn user_of(form: &Form) -> Result<i64> {
    form.user_id.ok_or_else(|| Error::missing("user_id"))
}
