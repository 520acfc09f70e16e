//! Members of projects and groups.

use super::{Groups, NamespaceView, ProjectView, Projects, role_name, rows};
use crate::model::SourceKind;
use crate::store as lists;
use crate::store::filters::search_users;
use crate::store::{MEMBER_COLUMNS, MemberRow, Source};
use identity::graph::{People, Person, viewer};
use kernel::app::App;
use kernel::graph::{
    Args, Ask, Connection, Context, Fault, GlobalId, Graph, HasTypeRef, ID, INT, Key,
    ObjectBuilder, Order, Owned, STRING, TIME, Window, argument, by_owner, enumeration, item,
    named, object, one_of,
};
use kernel::time::{Date, Timestamp, start_of};
use serde_json::json;
use std::any::Any;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use store::{Fragment, FromRow, Row};

const PROJECT_MEMBER: GlobalId = GlobalId::new("ProjectMemberID", "ProjectMember");
const GROUP_MEMBER: GlobalId = GlobalId::new("GroupMemberID", "GroupMember");

/// A membership, of a project or of a group.
pub(super) struct Member {
    pub of: MemberOf,
    person: Arc<Person>,
}

/// A role, as a number and by name.
pub struct Access(pub i64);

/// A row of members with what it belongs to.
#[derive(Clone)]
pub(super) struct MemberOf {
    pub row: MemberRow,
    kind: SourceKind,
    source_id: i64,
    updated_at: Timestamp,
}

/// The select list of [`MemberOf`], on the aliases `m` and `users`.
pub(super) fn columns() -> String {
    format!(
        "users.*, {MEMBER_COLUMNS}, m.updated_at as member_updated_at,
         m.source_type as member_source_type, m.source_id as member_source_id"
    )
}

impl FromRow for MemberOf {
    fn from_row(row: &mut Row<'_>) -> store::Result<MemberOf> {
        Ok(MemberOf {
            kind: row.get("member_source_type")?,
            source_id: row.get("member_source_id")?,
            updated_at: row.get("member_updated_at")?,
            row: MemberRow::from_row(row)?,
        })
    }
}

impl MemberOf {
    pub fn member(self, app: &App) -> Member {
        Member { person: Person::new(app, self.row.user.clone()), of: self }
    }
}

pub fn graph(g: &mut Graph) {
    g.object::<Access>("AccessLevel", "A role.")
        .field("integerValue", INT, |it| Some(it.0))
        .describe("As a number: 10, 15, 20, 30, 40 or 50.")
        .field("stringValue", enumeration("AccessLevelEnum"), |it| role_name(it.0))
        .describe("By name.");
    member(g.interface("MemberInterface", "Who belongs to a project or group."));
    g.object::<Member>("ProjectMember", "Who belongs to a project.")
        .implements("MemberInterface")
        .load::<Projects, _>("project", object::<ProjectView>("Project"), |it| {
            (it.of.kind == SourceKind::Project).then_some(it.of.source_id)
        })
        .describe("The project.");
    g.object::<Member>("GroupMember", "Who belongs to a group.")
        .implements("MemberInterface")
        .load::<Groups, _>("group", object::<NamespaceView>("Group"), |it| {
            (it.of.kind == SourceKind::Group).then_some(it.of.source_id)
        })
        .describe("The group.");
    lists_of_members(g);
}

fn member(member: ObjectBuilder<'_, Member>) {
    member
        .field("id", ID.required(), |it| match it.of.kind {
            SourceKind::Project => PROJECT_MEMBER.of(it.of.row.id),
            SourceKind::Group => GROUP_MEMBER.of(it.of.row.id),
        })
        .describe("Global ID.")
        .field("accessLevel", object::<Access>("AccessLevel"), |it| {
            Some(Arc::new(Access(it.of.row.access_level)))
        })
        .describe("Their role.")
        .field("user", object::<Person>("UserCore"), |it| Some(it.person.clone()))
        .describe("Who.")
        .load::<People, _>("createdBy", object::<Person>("UserCore"), |it| it.of.row.created_by_id)
        .describe("Who added them.")
        .field("createdAt", TIME, |it| Some(it.of.row.created_at))
        .describe("Since when.")
        .field("updatedAt", TIME, |it| Some(it.of.updated_at))
        .describe("When it last changed.")
        .field("expiresAt", TIME, |it| {
            let day = it.of.row.expires_at.as_deref()?.parse::<Date>().ok()?;
            Some(start_of(day))
        })
        .describe("When it ends.");
}

/// Declares the closed list of a `relations` argument.
fn relations(g: &mut Graph, name: &'static str, of: &str) {
    let items = vec![
        item("DIRECT", &format!("Members of the {of} itself.")),
        item("INHERITED", "Members of the groups above."),
    ];
    g.enumeration(name, "Where members come from.", items);
}

fn lists_of_members(g: &mut Graph) {
    relations(g, "ProjectMemberRelation", "project");
    relations(g, "GroupMemberRelation", "group");
    let concrete = |it: &Member| match it.of.kind {
        SourceKind::Project => "ProjectMember",
        SourceKind::Group => "GroupMember",
    };
    let list = g
        .on::<ProjectView>("Project")
        .connections("projectMembers", one_of::<Member>("MemberInterface", concrete), of_places)
        .describe("Its members, for who is signed in.");
    arguments(list, "ProjectMemberRelation");
    let list = g
        .on::<NamespaceView>("Group")
        .connections("groupMembers", object::<Member>("GroupMember"), of_places)
        .describe("Its members, for who is signed in.");
    arguments(list, "GroupMemberRelation");
}

fn arguments<T: Any + Send + Sync>(list: ObjectBuilder<'_, T>, relations: &'static str) {
    list.arg(argument("search", STRING).describe("Part of name or login, or the whole e-mail."))
        .arg(
            argument("relations", named(relations).required().list())
                .default(json!(["DIRECT", "INHERITED"]))
                .describe("Where members come from."),
        );
}

/// Something that has members: itself and the groups above it.
trait HasMembers: Send + Sync + 'static {
    fn source(&self) -> Source;
}

impl HasMembers for ProjectView {
    fn source(&self) -> Source {
        Source::of_project(&self.project)
    }
}

impl HasMembers for NamespaceView {
    fn source(&self) -> Source {
        Source::of_group(&self.namespace)
    }
}

/// One number for a source of either kind: that of a project is negative.
const SOURCE: &str = "case when m.source_type = 'Project' then -m.source_id else m.source_id end";

/// The sources whose members each place has, the nearest first.
fn sources<P: HasMembers>(place: &P, relations: &[String]) -> Vec<i64> {
    let has = |name: &str| relations.iter().any(|one| one == name);
    let (of, mut all) = (place.source(), Vec::new());
    if has("DIRECT") {
        all.push(match of.kind {
            SourceKind::Project => -of.id,
            SourceKind::Group => of.id,
        });
    }
    if has("INHERITED") {
        all.extend(of.above());
    }
    all
}

/// A page for each place: one row per user, their membership of the highest
/// role. Each of the first users of a place is among the first of every source
/// they are a member of, so that the first of each source are enough.
async fn of_places<P: HasMembers>(
    places: Vec<Arc<P>>, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<Member>>>, Fault> {
    if viewer(&context).signed_in().is_err() {
        return Ok(places.iter().map(|_| None).collect());
    }
    let keys = [Key::int("m.user_id", Order::Desc)];
    let window = ask.window(&context, "members", &keys)?;
    let relations: Option<Vec<String>> = args.get("relations")?;
    let relations = relations.unwrap_or_default();
    let search: Option<String> = args.get("search")?;
    let wanted: Vec<Vec<i64>> = places.iter().map(|it| sources(&**it, &relations)).collect();
    let all: Vec<i64> = wanted.iter().flatten().copied().collect();
    let read = rows(&context, window, move |tx, window| {
        let projects: Vec<i64> = all.iter().filter(|id| **id < 0).map(|id| -id).collect();
        let groups: Vec<i64> = all.into_iter().filter(|id| *id > 0).collect();
        let mut from = Fragment::new(
            " from members m join users on users.id = m.user_id
             where ((m.source_type = 'Project' and",
        );
        from.in_list("m.source_id", projects)
            .raw(") or (m.source_type = 'Group' and")
            .in_list("m.source_id", groups)
            .raw("))");
        lists::in_force(&mut from, "m", &lists::today(tx));
        search_users(&mut from, search.as_deref());
        window.narrow_each(&columns(), SOURCE, from)
    });
    let (found, window): (Vec<Owned<MemberOf>>, _) = read.await?;
    let (found, app) = (by_owner(found), context.app()?);
    let page = |sources: &Vec<i64>| {
        let rows = merged(&found, sources, &window).into_iter();
        let members = rows.map(|row| row.member(app)).collect();
        Some(window.page(members, |it: &Member| vec![it.of.row.user.id.into()]))
    };
    Ok(wanted.iter().map(page).collect())
}

/// The users of these sources in the order of the page.
fn merged(found: &HashMap<i64, Vec<MemberOf>>, sources: &[i64], window: &Window) -> Vec<MemberOf> {
    let rows = sources.iter().filter_map(|id| found.get(id)).flatten();
    let mut by_user: HashMap<i64, &MemberOf> = HashMap::new();
    for row in rows {
        match by_user.entry(row.row.user.id) {
            Entry::Vacant(place) => {
                place.insert(row);
            }
            Entry::Occupied(mut known) => {
                if row.row.access_level > known.get().row.access_level {
                    known.insert(row);
                }
            }
        }
    }
    let mut users: Vec<MemberOf> = by_user.into_values().cloned().collect();
    users.sort_unstable_by_key(|one| one.row.user.id);
    if window.descends() {
        users.reverse();
    }
    users
}
