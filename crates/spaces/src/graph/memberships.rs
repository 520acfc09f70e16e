//! What users are members of, as far as the caller sees it: whoever sees a
//! place may list its members, unless the user's profile is private.

use super::members::{Member, MemberOf, columns};
use super::{open_only, rows};
use crate::access::{self, Purpose};
use crate::model::SourceKind;
use crate::store as lists;
use identity::graph::{Person, open_profiles, viewer};
use kernel::graph::{Ask, Connection, Context, Fault, Graph, Key, Order, Owned, object};
use std::sync::Arc;
use store::Fragment;

pub fn graph(g: &mut Graph) {
    g.on::<Person>("User")
        .connections(
            "groupMemberships",
            object::<Member>("GroupMember"),
            |people, ask, _, context| of_users(people, ask, context, SourceKind::Group),
        )
        .describe("Their memberships of groups; null in a profile that is private.")
        .connections(
            "projectMemberships",
            object::<Member>("ProjectMember"),
            |people, ask, _, context| of_users(people, ask, context, SourceKind::Project),
        )
        .describe("Their memberships of projects; null in a profile that is private.");
}

async fn of_users(
    people: Vec<Arc<Person>>, ask: Ask, context: Context, kind: SourceKind,
) -> Result<Vec<Option<Connection<Member>>>, Fault> {
    let reader = viewer(&context);
    if reader.signed_in().is_err() {
        return Ok(people.iter().map(|_| None).collect());
    }
    let open = open_profiles(&context, &people).await?;
    let keys = [Key::int("m.id", Order::Desc)];
    let window = ask.window(&context, &format!("memberships {kind}"), &keys)?;
    let asked: Vec<i64> = open.iter().copied().collect();
    let read = rows(&context, window, move |tx, window| {
        let mut from = Fragment::new(" from members m join users on users.id = m.user_id");
        from.raw(match kind {
            SourceKind::Project => " join projects on projects.id = m.source_id",
            SourceKind::Group => " join namespaces on namespaces.id = m.source_id",
        })
        .push(" where m.source_type = ", kind)
        .raw(" and")
        .in_list("m.user_id", asked);
        lists::in_force(&mut from, "m", &lists::today(tx));
        from.raw(" and ").append(match kind {
            SourceKind::Project => access::visible_projects(tx, &reader, Purpose::Read),
            SourceKind::Group => access::visible_groups(tx, &reader),
        });
        window.narrow_each(&columns(), "m.user_id", from)
    });
    let ((found, window), app) = (read.await?, context.app()?);
    let member = |one: Owned<MemberOf>| one.map(|row| row.member(app));
    let members = found.into_iter().map(member).collect();
    let ids: Vec<i64> = people.iter().map(|it| it.user.id).collect();
    let pages = window.pages(&ids, members, |it: &Member| vec![it.of.row.id.into()]);
    Ok(open_only(&ids, pages, |id| open.contains(id)))
}
