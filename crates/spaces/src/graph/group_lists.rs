//! Lists of groups: all, those below groups, those of users.

use super::{GROUP_ID, NamespaceView, flag, numbers, open_only, rows};
use crate::access::{self, OWNER};
use crate::model::Namespace;
use crate::store as lists;
use crate::store::filters::search_groups;
use identity::graph::{Person, viewer};
use kernel::graph::context::Loader;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Fault, Graph, HasTypeRef, ID, INT, Key, Order, Owned,
    STRING, Window, argument, object,
};
use kernel::ids::fold;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::Arc;
use store::{Fragment, Tx};

pub fn graph(g: &mut Graph) {
    let search = || argument("search", STRING).describe("Part of name or path.");
    g.query()
        .connection("groups", object::<NamespaceView>("Group"), |_, ask, args, context| {
            all(ask, args, context)
        })
        .describe("Groups the caller may see.")
        .arg(search())
        .arg(argument("ids", ID.required().list()).describe("Only these, by global ID."));
    g.on::<NamespaceView>("Group")
        .connections("descendantGroups", object::<NamespaceView>("Group"), below)
        .describe("Groups below it.")
        .arg(search())
        .arg(argument("owned", BOOLEAN).describe("Only those the caller owns."))
        .arg(
            argument("includeParentDescendants", BOOLEAN)
                .default(true)
                .describe("All below it, not only those right below."),
        );
    g.on::<Person>("User")
        .connections("groups", object::<NamespaceView>("Group"), of_users)
        .describe("Groups they are a member of; for themselves and administrators.")
        .arg(search())
        .load::<Counts, _>("groupCount", INT, |it| Some(it.user.id))
        .describe("How many groups they are a member of; for themselves and administrators.");
}

fn window(ask: Ask, context: &Context) -> Result<Window, Fault> {
    let keys = [
        Key::text("namespaces.full_path_folded", Order::Asc),
        Key::int("namespaces.id", Order::Asc),
    ];
    ask.window(context, "groups", &keys)
}

fn keys(it: &NamespaceView) -> Vec<Json> {
    vec![fold(&it.namespace.full_path).into(), it.namespace.id.into()]
}

async fn all(
    ask: Ask, args: Args, context: Context,
) -> Result<Option<Connection<NamespaceView>>, Fault> {
    let window = window(ask, &context)?;
    let (ids, search) = (numbers(&args, GROUP_ID)?, args.get::<Option<String>>("search")?);
    let reader = viewer(&context);
    let read = rows(&context, window, move |tx, window| {
        let mut sql = Fragment::new("select namespaces.* from namespaces where ");
        sql.append(access::visible_groups(tx, &reader));
        if let Some(ids) = ids {
            sql.raw(" and").in_list("namespaces.id", ids);
        }
        search_groups(&mut sql, search.as_deref());
        window.narrow(&mut sql);
        sql
    });
    let ((found, window), app) = (read.await?, context.app()?);
    let groups = found.into_iter().map(|row| NamespaceView::of(app, row));
    Ok(Some(window.page(groups.collect(), keys)))
}

/// A page for each owner of visible groups; `from` goes on after
/// ` from namespaces` into the `where`.
async fn each(
    owners: &[i64], (ask, args, context): (Ask, Args, Context), owner: &'static str,
    from: impl FnOnce(&Tx<'_>) -> Fragment + Send + 'static,
) -> Result<Vec<Connection<NamespaceView>>, Fault> {
    let window = window(ask, &context)?;
    let search: Option<String> = args.get("search")?;
    let reader = viewer(&context);
    let read = rows(&context, window, move |tx, window| {
        let mut tables = Fragment::new(" from namespaces");
        tables.append(from(tx)).raw(" and ");
        tables.append(access::visible_groups(tx, &reader));
        search_groups(&mut tables, search.as_deref());
        window.narrow_each("namespaces.*", owner, tables)
    });
    let ((found, window), app) = (read.await?, context.app()?);
    let shown = |one: Owned<Namespace>| one.map(|row| NamespaceView::of(app, row));
    Ok(window.pages(owners, found.into_iter().map(shown).collect(), keys))
}

async fn below(
    groups: Vec<Arc<NamespaceView>>, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<NamespaceView>>>, Fault> {
    let ids: Vec<i64> = groups.iter().map(|it| it.namespace.id).collect();
    let deep: Option<bool> = args.get("includeParentDescendants")?;
    let owned = flag(&args, "owned")?;
    let (tops, reader) = (ids.clone(), viewer(&context));
    let from = move |tx: &Tx<'_>| {
        let on = match deep.unwrap_or(true) {
            true => "namespaces.lineage > top.lineage and namespaces.lineage < top.lineage || ':'",
            false => "namespaces.parent_id = top.id",
        };
        let mut from = Fragment::new(&format!(" join namespaces top on {on} where"));
        from.in_list("top.id", tops);
        match reader.user_id() {
            Some(user_id) if owned => {
                from.raw(" and ").append(access::groups_of(tx, user_id, OWNER));
            }
            None if owned => {
                from.raw(" and false");
            }
            _ => {}
        }
        from
    };
    let pages = each(&ids, (ask, args, context), "top.id", from).await?;
    Ok(pages.into_iter().map(Some).collect())
}

/// Of these users those whose groups the caller may list: themselves, and all
/// for administrators.
fn listable(context: &Context, ids: &[i64]) -> Vec<i64> {
    let reader = viewer(context);
    let may = |id: &&i64| reader.is_admin() || reader.user_id() == Some(**id);
    ids.iter().filter(may).copied().collect()
}

async fn of_users(
    people: Vec<Arc<Person>>, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<NamespaceView>>>, Fault> {
    let ids: Vec<i64> = people.iter().map(|it| it.user.id).collect();
    let listable = listable(&context, &ids);
    let of = listable.clone();
    let from = move |tx: &Tx<'_>| {
        let mut from = Fragment::new(
            " join members on members.source_id = namespaces.id
                and members.source_type = 'Group' where",
        );
        from.in_list("members.user_id", of);
        lists::in_force(&mut from, "members", &lists::today(tx));
        from
    };
    let pages = each(&ids, (ask, args, context), "members.user_id", from).await?;
    Ok(open_only(&ids, pages, |id| listable.contains(id)))
}

struct Counts;

impl Loader for Counts {
    type Key = i64;
    type Value = i64;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, i64>, Fault> {
        let ids = listable(&context, &ids);
        let found = context.app()?.read(move |tx| {
            let mut counts: HashMap<i64, i64> = ids.iter().map(|id| (*id, 0)).collect();
            counts.extend(lists::members::groups_of_users(tx, &ids)?);
            Ok(counts)
        });
        Ok(found.await?)
    }
}
