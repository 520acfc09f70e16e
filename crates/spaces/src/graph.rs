//! Projects, groups and namespaces in GraphQL (contract/graphql.md section 9).
//! What the viewer may not see is null or left out, as everywhere.

use crate::access::{self, GUEST, Purpose};
use crate::model::{Namespace, Project, Visibility};
use crate::project_select;
use crate::store::contains;
use identity::graph::{Person, viewer};
use identity::viewer::Viewer;
use kernel::error::{Error, Result as Outcome};
use kernel::graph::context::Loader;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Fault, GlobalId, Graph, ID, INT, Key, Mark,
    ObjectBuilder, Order, STRING, TIME, Typed, argument, object,
};
use kernel::ids::{Reference, fold};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::Arc;
use store::{Fragment, Tx};

/// Global IDs of projects.
pub const PROJECT_ID: GlobalId = GlobalId::new("ProjectID", "Project");
/// Global IDs of groups.
pub const GROUP_ID: GlobalId = GlobalId::new("GroupID", "Group");
/// Global IDs of namespaces.
pub const NAMESPACE_ID: GlobalId = GlobalId::new("NamespaceID", "Namespace");

/// Most paths that `projects(fullPaths:)` takes.
const MAX_PATHS: usize = 50;

/// A project as the interface shows it.
pub struct Shown {
    /// Its row.
    pub project: Project,
    base_url: String,
}

/// A group or a user's namespace as the interface shows it.
pub struct Place {
    /// Its row.
    pub namespace: Namespace,
    base_url: String,
}

/// Registers the room's types and fields.
pub fn graph(g: &mut Graph) {
    for id in [PROJECT_ID, GROUP_ID, NAMESPACE_ID] {
        id.register(g);
    }
    project(g);
    place(
        g.object::<Place>("Group", "A group of projects and people.")
            .field("id", ID.required(), |it| GROUP_ID.of(it.namespace.id))
            .describe("Global ID.")
            .field("webUrl", STRING.required(), |it| {
                it.namespace.web_url(&it.base_url)
            })
            .describe("Its page.")
            .load::<Groups, _>("parent", object::<Place>("Group"), |it| {
                it.namespace.parent_id
            })
            .describe("The group it is in."),
    );
    place(
        g.object::<Place>("Namespace", "A group, or what is a user's own.")
            .field("id", ID.required(), |it| NAMESPACE_ID.of(it.namespace.id))
            .describe("Global ID."),
    );
    g.on::<Person>("User")
        .load::<OwnNamespaces, _>("namespace", object::<Place>("Namespace"), |it| {
            Some(it.user.id)
        })
        .describe("Where their own projects are.");
    queries(g);
}

fn project(g: &mut Graph) {
    let on = |name: &'static str| move |it: &Shown| Some(it.project.feature(name) != "disabled");
    g.object::<Shown>("Project", "A project.")
        .field("id", ID.required(), |it| PROJECT_ID.of(it.project.id))
        .describe("Global ID.")
        .field("fullPath", ID.required(), |it| it.project.full_path.clone())
        .describe("Its path with those of the groups above.")
        .field("path", STRING.required(), |it| it.project.path.clone())
        .describe("Last part of its path.")
        .field("name", STRING.required(), |it| it.project.name.clone())
        .describe("Display name.")
        .field("nameWithNamespace", STRING.required(), |it| {
            it.project.name_with_namespace()
        })
        .describe("Display name with those of the groups above.")
        .field("description", STRING, |it| it.project.description.clone())
        .describe("What it is, in Markdown.")
        .field("visibility", STRING, |it| {
            Some(Visibility::of(it.project.visibility).as_str().to_owned())
        })
        .describe("Who sees it: private, internal or public.")
        .field("archived", BOOLEAN, |it| Some(it.project.archived))
        .describe("Whether it is read-only.")
        .field("webUrl", STRING, |it| {
            Some(it.project.web_url(&it.base_url))
        })
        .describe("Its page.")
        .field("httpUrlToRepo", STRING, |it| {
            Some(format!("{}/{}.git", it.base_url, it.project.full_path))
        })
        .describe("Where to clone from over HTTP.")
        .field("avatarUrl", STRING, |_| None)
        .describe("Its picture.")
        .field("topics", STRING.required().list(), |it| {
            Some(it.project.topics.0.clone())
        })
        .describe("What it is about.")
        .field("tagList", STRING, |it| Some(it.project.topics.0.join(", ")))
        .describe("What it is about, in one text.")
        .mark(Mark::Deprecated {
            reason: "This was renamed",
            milestone: "13.12",
            replacement: Some("Project.topics"),
        })
        .field("starCount", INT.required(), |it| it.project.star_count)
        .describe("How many users starred it.")
        .field("forksCount", INT.required(), |it| it.project.forks_count)
        .describe("How many forks it has.")
        .field("createdAt", TIME, |it| Some(it.project.created_at))
        .describe("When it was made.")
        .field("lastActivityAt", TIME, |it| {
            Some(it.project.last_activity_at)
        })
        .describe("When something last happened in it.")
        .field("issuesEnabled", BOOLEAN, on("issues"))
        .describe("Whether it has issues.")
        .field("mergeRequestsEnabled", BOOLEAN, on("merge_requests"))
        .describe("Whether it has merge requests.")
        .field("jobsEnabled", BOOLEAN, on("builds"))
        .describe("Whether it has pipelines.")
        .field("snippetsEnabled", BOOLEAN, on("snippets"))
        .describe("Whether it has snippets.")
        .field("wikiEnabled", BOOLEAN, on("wiki"))
        .describe("Whether it has a wiki.")
        .load::<Groups, _>("group", object::<Place>("Group"), |it| {
            Some(it.project.namespace_id)
        })
        .describe("The group it is in; null in a user's namespace.")
        .load::<Namespaces, _>("namespace", object::<Place>("Namespace"), |it| {
            Some(it.project.namespace_id)
        })
        .describe("Where it is.");
}

fn place(place: ObjectBuilder<'_, Place>) {
    place
        .field("fullPath", ID.required(), |it| {
            it.namespace.full_path.clone()
        })
        .describe("Its path with those of the groups above.")
        .field("path", STRING.required(), |it| it.namespace.path.clone())
        .describe("Last part of its path.")
        .field("name", STRING.required(), |it| it.namespace.name.clone())
        .describe("Display name.")
        .field("fullName", STRING.required(), |it| {
            it.namespace.full_name.clone()
        })
        .describe("Display name with those of the groups above.")
        .field("description", STRING, |it| {
            Some(it.namespace.description.clone())
        })
        .describe("What it is, in Markdown.")
        .field("visibility", STRING, |it| {
            Some(Visibility::of(it.namespace.visibility).as_str().to_owned())
        })
        .describe("Who sees it: private, internal or public.")
        .connection(
            "projects",
            object::<Shown>("Project"),
            |it, ask, args, context| async move {
                let below: Option<bool> = args.get("includeSubgroups")?;
                let mut within = Fragment::new("");
                within.push(" and (projects.namespace_id = ", it.namespace.id);
                if below.unwrap_or(false) {
                    let lineage = &it.namespace.lineage;
                    within
                        .push(" or (namespaces.lineage >= ", lineage)
                        .push(" and namespaces.lineage < ", format!("{lineage}:"))
                        .raw(")");
                }
                within.raw(")");
                projects(ask, args, context, within).await
            },
        )
        .describe("Its projects.")
        .arg(
            argument("includeSubgroups", BOOLEAN)
                .default(false)
                .describe("Also those of the groups below."),
        )
        .arg(argument("search", STRING).describe("Part of name or path."))
        .arg(argument("ids", ID.required().list()).describe("Only these, by global ID."))
        .arg(argument("sort", STRING).describe("The order, such as `name_asc`."));
}

fn queries(g: &mut Graph) {
    let path = || argument("fullPath", ID.required()).describe("Its full path.");
    g.query()
        .answer(
            "project",
            object::<Shown>("Project"),
            |args, context| async move {
                let path: String = args.get("fullPath")?;
                let reader = viewer(&context);
                let found = context.app()?.read(move |tx| find(tx, &reader, path));
                Ok(Some(shown(&context, found.await?)?))
            },
        )
        .describe("One project.")
        .arg(path())
        .answer(
            "group",
            object::<Place>("Group"),
            |args, context| async move {
                let path: String = args.get("fullPath")?;
                let reader = viewer(&context);
                let reference = Reference::Path(path);
                let read =
                    move |tx: &mut Tx<'_>| access::group(tx, &reader, &reference, Purpose::Read);
                let found = context.app()?.read(read);
                Ok(Some(placed(&context, found.await?)?))
            },
        )
        .describe("One group.")
        .arg(path())
        .answer(
            "namespace",
            object::<Place>("Namespace"),
            |args, context| async move {
                let path: String = args.get("fullPath")?;
                let condition = move |sql: &mut Fragment| {
                    sql.push(" and namespaces.full_path_folded = ", fold(&path));
                };
                let found = namespaces(&context, true, condition).await?;
                Ok(found.into_iter().next())
            },
        )
        .describe("A group, or what is a user's own.")
        .arg(path())
        .connection(
            "projects",
            object::<Shown>("Project"),
            |_, ask, args, context| projects(ask, args, context, Fragment::new("")),
        )
        .describe("Projects the caller may see.")
        .arg(argument("ids", ID.required().list()).describe("Only these, by global ID."))
        .arg(
            argument("fullPaths", STRING.required().list())
                .describe("Only these, by full path; at most 50."),
        )
        .arg(argument("search", STRING).describe("Part of name or path."))
        .arg(argument("membership", BOOLEAN).describe("Only those the caller is a member of."))
        .arg(argument("personal", BOOLEAN).describe("Only those in the caller's namespace."))
        .arg(
            argument("sort", STRING)
                .default("id_desc")
                .describe("The order, such as `name_asc`."),
        )
        .connection(
            "groups",
            object::<Place>("Group"),
            |_, ask, args, context| groups(ask, args, context),
        )
        .describe("Groups the caller may see.")
        .arg(argument("search", STRING).describe("Part of name or path."))
        .arg(argument("ids", ID.required().list()).describe("Only these, by global ID."));
}

/// The project at a path, or where it moved to.
fn find(tx: &mut Tx<'_>, viewer: &Viewer, path: String) -> Outcome<Project> {
    let mut sql = Fragment::new(project_select!("where "));
    sql.append(access::visible_projects(tx, viewer, Purpose::Read))
        .push(" and projects.full_path_folded = ", fold(&path));
    if let Some(project) = tx.query(sql)?.into_iter().next() {
        return Ok(project);
    }
    match access::project(tx, viewer, &Reference::Path(path), Purpose::Read) {
        Err(Error::Moved(id)) => {
            let reference = Reference::Id(id.parse().unwrap_or(-1));
            access::project(tx, viewer, &reference, Purpose::Read)
        }
        found => found,
    }
}

fn shown(context: &Context, project: Project) -> Result<Arc<Shown>, Fault> {
    Ok(Arc::new(Shown {
        project,
        base_url: context.app()?.base_url().to_owned(),
    }))
}

fn placed(context: &Context, namespace: Namespace) -> Result<Arc<Place>, Fault> {
    Ok(Arc::new(Place {
        namespace,
        base_url: context.app()?.base_url().to_owned(),
    }))
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

fn search(sql: &mut Fragment, text: Option<String>, columns: [&str; 2]) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        let pattern = contains(&fold(&text));
        let [name, path] = columns;
        sql.push(&format!(" and ({name} like "), pattern.as_str())
            .push(&format!(" escape '\\' or {path} like "), pattern.as_str())
            .raw(" escape '\\')");
    }
}

/// What projects are sorted by.
#[derive(Clone, Copy)]
enum By {
    Id,
    Name,
    Path,
    Created,
    Updated,
    Activity,
    Stars,
}

impl By {
    fn read(name: &str) -> Option<By> {
        Some(match name {
            "id" => By::Id,
            "name" => By::Name,
            "path" => By::Path,
            "created" | "created_at" => By::Created,
            "updated" | "updated_at" => By::Updated,
            "latest_activity" | "last_activity_at" => By::Activity,
            "stars" | "star_count" => By::Stars,
            _ => return None,
        })
    }

    fn keys(self, order: Order) -> Vec<Key> {
        let first = match self {
            By::Id => return vec![Key::int("projects.id", order)],
            By::Name => Key::text("projects.name_folded", order),
            By::Path => Key::text("projects.full_path_folded", order),
            By::Created => Key::time("projects.created_at", order),
            By::Updated => Key::time("projects.updated_at", order),
            By::Activity => Key::time("projects.last_activity_at", order),
            By::Stars => Key::int("projects.star_count", order),
        };
        vec![first, Key::int("projects.id", order)]
    }

    fn values(self, project: &Project) -> Vec<Json> {
        let first = match self {
            By::Id => return vec![project.id.into()],
            By::Name => fold(&project.name).into(),
            By::Path => fold(&project.full_path).into(),
            By::Created => Key::instant(project.created_at),
            By::Updated => Key::instant(project.updated_at),
            By::Activity => Key::instant(project.last_activity_at),
            By::Stars => project.star_count.into(),
        };
        vec![first, project.id.into()]
    }
}

async fn projects(
    ask: Ask,
    args: Args,
    context: Context,
    within: Fragment,
) -> Result<Option<Connection<Shown>>, Fault> {
    let sort: Option<String> = args.get("sort")?;
    let sort = sort.unwrap_or_else(|| "id_desc".to_owned()).to_lowercase();
    let named = sort.rsplit_once('_').and_then(|(by, order)| match order {
        "asc" => Some((By::read(by)?, Order::Asc)),
        "desc" => Some((By::read(by)?, Order::Desc)),
        _ => None,
    });
    let (by, order) =
        named.ok_or_else(|| Fault::argument(format!("`sort` does not know {sort:?}")))?;
    let window = ask.window(&context, &format!("projects {sort}"), &by.keys(order))?;
    let mut filter = within;
    if let Some(ids) = numbers(&args, PROJECT_ID)? {
        filter.raw(" and").in_list("projects.id", ids);
    }
    let paths: Option<Vec<String>> = args.get("fullPaths")?;
    if let Some(paths) = paths {
        if paths.len() > MAX_PATHS {
            return Err(Fault::argument(
                "fullPaths cannot have more than 50 entries",
            ));
        }
        let folded: Vec<String> = paths.iter().map(|path| fold(path)).collect();
        filter
            .raw(" and")
            .in_list("projects.full_path_folded", folded);
    }
    let columns = ["projects.name_folded", "projects.full_path_folded"];
    search(&mut filter, args.get("search")?, columns);
    let (member, personal) = (flag(&args, "membership")?, flag(&args, "personal")?);
    let reader = viewer(&context);
    if (member || personal) && reader.user_id().is_none() {
        return Ok(Some(Connection::empty()));
    }
    let (app, base_url) = (context.app()?.clone(), context.app()?.base_url().to_owned());
    let rows = app.read(move |tx| {
        let mut sql = Fragment::new(project_select!("where "));
        sql.append(access::visible_projects(tx, &reader, Purpose::Read));
        if let Some(user_id) = reader.user_id() {
            if member {
                sql.raw(" and ")
                    .append(access::projects_of(tx, user_id, GUEST));
            }
            if personal {
                sql.push(" and namespaces.owner_id = ", user_id);
            }
        }
        sql.append(filter);
        window.narrow(&mut sql);
        let rows: Vec<Project> = tx.query(sql)?;
        Ok((rows, window))
    });
    let (rows, window) = rows.await?;
    let shown = |project| Shown {
        project,
        base_url: base_url.clone(),
    };
    let rows = rows.into_iter().map(shown).collect();
    Ok(Some(window.page(rows, |it: &Shown| by.values(&it.project))))
}

fn flag(args: &Args, name: &str) -> Result<bool, Fault> {
    Ok(args.get::<Option<bool>>(name)?.unwrap_or(false))
}

async fn groups(
    ask: Ask,
    args: Args,
    context: Context,
) -> Result<Option<Connection<Place>>, Fault> {
    let keys = [
        Key::text("namespaces.full_path_folded", Order::Asc),
        Key::int("namespaces.id", Order::Asc),
    ];
    let window = ask.window(&context, "groups", &keys)?;
    let mut filter = Fragment::new("");
    if let Some(ids) = numbers(&args, GROUP_ID)? {
        filter.raw(" and").in_list("namespaces.id", ids);
    }
    let columns = ["namespaces.name_folded", "namespaces.full_path_folded"];
    search(&mut filter, args.get("search")?, columns);
    let found = {
        let (reader, app) = (viewer(&context), context.app()?.clone());
        let rows = app.read(move |tx| {
            let mut sql = Fragment::new("select namespaces.* from namespaces where ");
            sql.append(access::visible_groups(tx, &reader))
                .append(filter);
            window.narrow(&mut sql);
            let rows: Vec<Namespace> = tx.query(sql)?;
            Ok((rows, window))
        });
        rows.await?
    };
    let (rows, window) = found;
    let rows: Result<Vec<Arc<Place>>, Fault> =
        rows.into_iter().map(|row| placed(&context, row)).collect();
    Ok(Some(window.page_of(rows?, |it: &Place| {
        vec![fold(&it.namespace.full_path).into(), it.namespace.id.into()]
    })))
}

/// Namespaces the viewer may see: groups, and users' own for who is signed
/// in, as REST shows users to them.
async fn namespaces(
    context: &Context,
    own_too: bool,
    condition: impl FnOnce(&mut Fragment) + Send + 'static,
) -> Result<Vec<Arc<Place>>, Fault> {
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
    ($(#[$doc:meta])* $name:ident, $own:literal, $column:literal, $key:expr) => {
        $(#[$doc])*
        pub struct $name;

        impl Loader for $name {
            type Key = i64;
            type Value = Arc<Place>;

            async fn load(
                context: Context,
                ids: Vec<i64>,
            ) -> Result<HashMap<i64, Arc<Place>>, Fault> {
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

/// Projects by id.
pub struct Projects;

impl Loader for Projects {
    type Key = i64;
    type Value = Arc<Shown>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Shown>>, Fault> {
        let reader = viewer(&context);
        let rows = context.app()?.read(move |tx| {
            let mut sql = Fragment::new(project_select!("where "));
            sql.append(access::visible_projects(tx, &reader, Purpose::Read))
                .raw(" and")
                .in_list("projects.id", ids);
            let rows: Vec<Project> = tx.query(sql)?;
            Ok(rows)
        });
        let rows = rows.await?.into_iter();
        rows.map(|row| Ok((row.id, shown(&context, row)?)))
            .collect()
    }
}

loader! {
    /// Groups by id.
    Groups, false, "namespaces.id", |row| Some(row.id)
}
loader! {
    /// Groups and users' namespaces by id.
    Namespaces, true, "namespaces.id", |row| Some(row.id)
}
loader! {
    /// Users' namespaces by user.
    OwnNamespaces, true, "namespaces.owner_id", |row| row.owner_id
}
