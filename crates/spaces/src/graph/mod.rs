//! Projects, groups, namespaces and members in GraphQL (docs/interface/graphql.md 9). What the
//! viewer may not see is null or left out, as everywhere.
//! Lists below lists read the pages of all their parents in one statement.

mod group_lists;
mod groups;
mod loaders;
mod members;
mod memberships;
mod permissions;
mod project_lists;
mod projects;

pub use loaders::{Groups, Namespaces, OwnNamespaces, Projects};
pub use members::Access;

use crate::model::{Namespace, Project};
use identity::graph::Person;
use kernel::app::App;
use kernel::graph::{Args, Connection, Context, Fault, GlobalId, Graph, Window, item, object};
use std::sync::Arc;
use store::{Fragment, FromRow, Tx};

pub const PROJECT_ID: GlobalId = GlobalId::new("ProjectID", "Project");
pub const GROUP_ID: GlobalId = GlobalId::new("GroupID", "Group");
pub const NAMESPACE_ID: GlobalId = GlobalId::new("NamespaceID", "Namespace");

pub struct ProjectView {
    pub project: Project,
    base_url: String,
    ssh_url: String,
}

pub struct NamespaceView {
    pub namespace: Namespace,
    base_url: String,
}

pub fn graph(g: &mut Graph) {
    for id in [PROJECT_ID, GROUP_ID, NAMESPACE_ID] {
        id.register(g);
    }
    roles(g);
    permissions::graph(g);
    projects::graph(g);
    project_lists::graph(g);
    groups::graph(g);
    group_lists::graph(g);
    members::graph(g);
    memberships::graph(g);
    g.node::<Projects, _>(PROJECT_ID, object("Project"));
    g.node::<Groups, _>(GROUP_ID, object("Group"));
    g.node::<Namespaces, _>(NAMESPACE_ID, object("Namespace"));
    g.on::<Person>("User")
        .load::<OwnNamespaces, _>("namespace", object::<NamespaceView>("Namespace"), |it| {
            Some(it.user.id)
        })
        .describe("Where their own projects are.");
}

/// Roles by their names in the interface.
const ROLES: &[(&str, i64, &str)] = {
    use crate::access::{DEVELOPER, GUEST, MAINTAINER, MINIMAL, NONE, OWNER, PLANNER, REPORTER};
    &[
        ("NO_ACCESS", NONE, "Nothing."),
        ("MINIMAL_ACCESS", MINIMAL, "A member who sees nothing yet."),
        ("GUEST", GUEST, "Guest."),
        ("PLANNER", PLANNER, "Planner."),
        ("REPORTER", REPORTER, "Reporter."),
        ("DEVELOPER", DEVELOPER, "Developer."),
        ("MAINTAINER", MAINTAINER, "Maintainer."),
        ("OWNER", OWNER, "Owner."),
    ]
};

fn roles(g: &mut Graph) {
    let items = ROLES.iter().map(|(name, _, text)| item(name, text));
    g.enumeration("AccessLevelEnum", "A role.", items.collect());
}

/// The name of a role that has one.
fn role_name(level: i64) -> Option<&'static str> {
    let role = ROLES.iter().find(|role| role.1 == level);
    role.map(|role| role.0)
}

/// The role of a name out of the enum.
fn role_level(name: &str) -> Option<i64> {
    let role = ROLES.iter().find(|role| role.0 == name);
    role.map(|role| role.1)
}

impl ProjectView {
    fn of(app: &App, project: Project) -> ProjectView {
        let base_url = app.base_url().to_owned();
        let ssh_url = crate::entities::ssh_url(app, &project);
        ProjectView { project, base_url, ssh_url }
    }
}

impl NamespaceView {
    fn of(app: &App, namespace: Namespace) -> NamespaceView {
        let base_url = app.base_url().to_owned();
        NamespaceView { namespace, base_url }
    }
}

fn shown(context: &Context, project: Project) -> Result<Arc<ProjectView>, Fault> {
    Ok(Arc::new(ProjectView::of(context.app()?, project)))
}

fn placed(context: &Context, namespace: Namespace) -> Result<Arc<NamespaceView>, Fault> {
    Ok(Arc::new(NamespaceView::of(context.app()?, namespace)))
}

/// The rows of a window, read by the statement that is made for it.
async fn rows<R: FromRow + Send + 'static>(
    context: &Context, window: Window,
    statement: impl FnOnce(&Tx<'_>, &Window) -> Fragment + Send + 'static,
) -> Result<(Vec<R>, Window), Fault> {
    let read = context.app()?.read(move |tx| {
        let sql = statement(tx, &window);
        Ok((tx.query(sql)?, window))
    });
    Ok(read.await?)
}

/// Null in place of the pages of those owners whose list is not shown.
fn open_only<T>(
    owners: &[i64], pages: Vec<Connection<T>>, is_open: impl Fn(&i64) -> bool,
) -> Vec<Option<Connection<T>>> {
    let each = owners.iter().zip(pages);
    each.map(|(id, page)| is_open(id).then_some(page)).collect()
}

/// Numbers out of global IDs of one model, or plain ones.
fn numbers(args: &Args, of: GlobalId) -> Result<Option<Vec<i64>>, Fault> {
    let ids: Option<Vec<String>> = args.get("ids")?;
    let read = |text: &String| match text.parse::<i64>() {
        Ok(id) => Ok(id),
        Err(_) => of.read(text).map_err(Fault::argument),
    };
    ids.map(|all| all.iter().map(read).collect()).transpose()
}

fn flag(args: &Args, name: &str) -> Result<bool, Fault> {
    Ok(args.get::<Option<bool>>(name)?.unwrap_or(false))
}
