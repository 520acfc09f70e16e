//! Projects, groups and namespaces by id: those the viewer may see.

use super::{NamespaceView, ProjectView, placed, shown};
use crate::access::{self, Purpose};
use crate::model::Namespace;
use crate::store::projects_where;
use identity::graph::viewer;
use kernel::graph::context::Loader;
use kernel::graph::{Context, Fault};
use std::collections::HashMap;
use std::sync::Arc;
use store::Fragment;

pub struct Projects;

impl Loader for Projects {
    type Key = i64;
    type Value = Arc<ProjectView>;

    async fn load(
        context: Context, ids: Vec<i64>,
    ) -> Result<HashMap<i64, Arc<ProjectView>>, Fault> {
        let reader = viewer(&context);
        let rows = context.app()?.read(move |tx| {
            let mut wanted = access::visible_projects(tx, &reader, Purpose::Read);
            wanted.raw(" and").in_list("projects.id", ids);
            projects_where(tx, wanted)
        });
        let rows = rows.await?.into_iter();
        rows.map(|row| Ok((row.id, shown(&context, row)?))).collect()
    }
}

/// Namespaces the viewer may see: groups, and users' own for who is signed
/// in, as REST shows users to them.
pub(super) async fn namespaces(
    context: &Context, own_too: bool, condition: impl FnOnce(&mut Fragment) + Send + 'static,
) -> Result<Vec<Arc<NamespaceView>>, Fault> {
    let reader = viewer(context);
    let rows = context.app()?.read(move |tx| {
        let mut sql = Fragment::new("select namespaces.* from namespaces where ((");
        sql.append(access::visible_groups(tx, &reader)).raw(")");
        if own_too && reader.user_id().is_some() {
            sql.raw(" or namespaces.kind = 'user'");
        }
        sql.raw(")");
        condition(&mut sql);
        let rows: Vec<Namespace> = tx.query(sql)?;
        Ok(rows)
    });
    let rows = rows.await?.into_iter();
    rows.map(|row| placed(context, row)).collect()
}

macro_rules! loader {
    ($name:ident, $own:literal, $column:literal, $key:expr) => {
        pub struct $name;

        impl Loader for $name {
            type Key = i64;
            type Value = Arc<NamespaceView>;

            async fn load(
                context: Context, ids: Vec<i64>,
            ) -> Result<HashMap<i64, Arc<NamespaceView>>, Fault> {
                let condition = move |sql: &mut Fragment| {
                    sql.raw(" and").in_list($column, ids);
                };
                let found = namespaces(&context, $own, condition).await?;
                let key: fn(&Namespace) -> Option<i64> = $key;
                let keyed = found.into_iter().filter_map(|it| Some((key(&it.namespace)?, it)));
                Ok(keyed.collect())
            }
        }
    };
}

loader! {
    Groups, false, "namespaces.id", |row| Some(row.id)
}
loader! {
    Namespaces, true, "namespaces.id", |row| Some(row.id)
}
loader! {
    OwnNamespaces, true, "namespaces.owner_id", |row| row.owner_id
}
