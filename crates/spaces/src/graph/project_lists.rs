//! Lists of projects: all, of groups and namespaces, starred ones. They pass
//! the filters that REST has.

use super::{NamespaceView, PROJECT_ID, ProjectView, flag, numbers, open_only, role_level, rows};
use crate::model::Project;
use crate::store::filters::{ListProjects, ProjectFilter};
use identity::graph::{Person, open_profiles, viewer};
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Fault, Graph, HasTypeRef, ID, Key, ObjectBuilder,
    Order, Owned, STRING, Window, argument, item, named, object,
};
use kernel::ids::fold;
use serde_json::Value as Json;
use std::sync::Arc;
use store::Fragment;

/// Most paths that `projects(fullPaths:)` takes.
const MAX_PATHS: usize = 50;

pub fn graph(g: &mut Graph) {
    let archived = vec![
        item("ONLY", "Only archived ones."),
        item("INCLUDE", "Archived ones too."),
        item("EXCLUDE", "No archived ones."),
    ];
    g.enumeration("ProjectArchived", "Whether archived projects are listed.", archived);
    everything(g);
    for place in ["Group", "Namespace"] {
        let list = g
            .on::<NamespaceView>(place)
            .connections("projects", object::<ProjectView>("Project"), below)
            .describe("Its projects.")
            .never_null()
            .arg(
                argument("includeSubgroups", BOOLEAN)
                    .default(false)
                    .describe("Also those of the groups below."),
            );
        common(list);
    }
    let starred = g
        .on::<Person>("User")
        .connections("starredProjects", object::<ProjectView>("Project"), starred)
        .describe("Projects they starred; null in a profile that is private.");
    common(starred);
}

/// Arguments of every list of projects.
fn common<T: std::any::Any + Send + Sync>(list: ObjectBuilder<'_, T>) -> ObjectBuilder<'_, T> {
    list.arg(argument("search", STRING).describe("Part of name, path or description."))
        .arg(argument("ids", ID.required().list()).describe("Only these, by global ID."))
        .arg(argument("sort", STRING).describe("The order, such as `name_asc`."))
}

fn everything(g: &mut Graph) {
    let list = g
        .query()
        .connection("projects", object::<ProjectView>("Project"), |_, ask, args, context| {
            all(ask, args, context)
        })
        .describe("Projects the caller may see.");
    common(list)
        .arg(
            argument("sort", STRING)
                .default("id_desc")
                .describe("The order, such as `name_asc`."),
        )
        .arg(
            argument("fullPaths", STRING.required().list())
                .describe("Only these, by full path; at most 50."),
        )
        .arg(argument("searchNamespaces", BOOLEAN).describe("Search the groups' paths too."))
        .arg(argument("topics", STRING.required().list()).describe("Only with all these topics."))
        .arg(
            argument("minAccessLevel", named("AccessLevelEnum"))
                .describe("Only where the caller has at least this role."),
        )
        .arg(
            argument("archived", named("ProjectArchived"))
                .describe("Archived ones; all if left out."),
        )
        .arg(argument("withIssuesEnabled", BOOLEAN).describe("Only those with issues."))
        .arg(
            argument("withMergeRequestsEnabled", BOOLEAN)
                .describe("Only those with merge requests."),
        )
        .arg(argument("membership", BOOLEAN).describe("Only those the caller is a member of."))
        .arg(argument("personal", BOOLEAN).describe("Only those in the caller's namespace."));
}

/// The filter that the arguments make; absent ones filter nothing.
fn filter(args: &Args) -> Result<ProjectFilter, Fault> {
    let full_paths: Option<Vec<String>> = args.get("fullPaths")?;
    if full_paths.as_ref().is_some_and(|all| all.len() > MAX_PATHS) {
        let text = "fullPaths cannot have more than 50 entries";
        return Err(Fault::argument(text));
    }
    let archived: Option<String> = args.get("archived")?;
    let level: Option<String> = args.get("minAccessLevel")?;
    Ok(ProjectFilter {
        ids: numbers(args, PROJECT_ID)?,
        full_paths,
        personal: flag(args, "personal")?,
        like: ListProjects {
            membership: args.get("membership")?,
            archived: match archived.as_deref() {
                Some("ONLY") => Some(true),
                Some("EXCLUDE") => Some(false),
                _ => None,
            },
            search: args.get("search")?,
            search_namespaces: args.get("searchNamespaces")?,
            topic: args.get("topics")?,
            min_access_level: level.as_deref().and_then(role_level),
            with_issues_enabled: args.get("withIssuesEnabled")?,
            with_merge_requests_enabled: args.get("withMergeRequestsEnabled")?,
            ..ListProjects::default()
        },
    })
}

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

#[derive(Clone, Copy)]
struct Sorted(By, Order);

impl Sorted {
    /// Out of `<field>_<asc|desc>`, with the page asked for.
    fn read(ask: Ask, args: &Args, context: &Context) -> Result<(Sorted, Window), Fault> {
        let sort: Option<String> = args.get("sort")?;
        let sort = sort.unwrap_or_else(|| "id_desc".to_owned()).to_lowercase();
        let named = sort.rsplit_once('_').and_then(|(by, order)| match order {
            "asc" => Some(Sorted(By::read(by)?, Order::Asc)),
            "desc" => Some(Sorted(By::read(by)?, Order::Desc)),
            _ => None,
        });
        let unknown = || Fault::argument(format!("`sort` does not know {sort:?}"));
        let sorted = named.ok_or_else(unknown)?;
        let window = ask.window(context, &format!("projects {sort}"), &sorted.keys())?;
        Ok((sorted, window))
    }

    fn keys(self) -> Vec<Key> {
        let Sorted(by, order) = self;
        let first = match by {
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

    fn values(self, shown: &ProjectView) -> Vec<Json> {
        let project = &shown.project;
        let first = match self.0 {
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
}

async fn all(
    ask: Ask, args: Args, context: Context,
) -> Result<Option<Connection<ProjectView>>, Fault> {
    let (sorted, window) = Sorted::read(ask, &args, &context)?;
    let filter = filter(&args)?;
    let reader = viewer(&context);
    let read = rows(&context, window, move |tx, window| {
        let mut sql = Fragment::new(Project::SELECT);
        sql.raw("where ").append(filter.condition(tx, &reader));
        window.narrow(&mut sql);
        sql
    });
    let ((found, window), app) = (read.await?, context.app()?);
    let projects = found.into_iter().map(|row| ProjectView::of(app, row));
    Ok(Some(window.page(projects.collect(), |it| sorted.values(it))))
}

/// A page for each owner; `from` goes on after the tables `projects` and
/// `namespaces` into the `where`, `owner` is the column of the owner's id.
async fn each(
    owners: Vec<i64>, (ask, args, context): (Ask, Args, Context), owner: &'static str,
    from: Fragment,
) -> Result<Vec<Connection<ProjectView>>, Fault> {
    let (sorted, window) = Sorted::read(ask, &args, &context)?;
    let filter = filter(&args)?;
    let reader = viewer(&context);
    let read = rows(&context, window, move |tx, window| {
        let mut tables = Fragment::new(
            " from projects join namespaces on namespaces.id = projects.namespace_id",
        );
        tables.append(from).raw(" and ");
        tables.append(filter.condition(tx, &reader));
        window.narrow_each(Project::COLUMNS, owner, tables)
    });
    let ((found, window), app) = (read.await?, context.app()?);
    let shown = |one: Owned<Project>| one.map(|row| ProjectView::of(app, row));
    let found = found.into_iter().map(shown).collect();
    Ok(window.pages(&owners, found, |it| sorted.values(it)))
}

async fn below(
    places: Vec<Arc<NamespaceView>>, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<ProjectView>>>, Fault> {
    let ids: Vec<i64> = places.iter().map(|it| it.namespace.id).collect();
    let mut from = Fragment::default();
    let owner = match flag(&args, "includeSubgroups")? {
        false => {
            from.raw(" where").in_list("projects.namespace_id", &ids);
            "projects.namespace_id"
        }
        true => {
            from.raw(
                " join namespaces top on namespaces.lineage >= top.lineage
                    and namespaces.lineage < top.lineage || ':' where",
            )
            .in_list("top.id", &ids);
            "top.id"
        }
    };
    let pages = each(ids, (ask, args, context), owner, from).await?;
    Ok(pages.into_iter().map(Some).collect())
}

async fn starred(
    people: Vec<Arc<Person>>, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<ProjectView>>>, Fault> {
    let open = open_profiles(&context, &people).await?;
    let ids: Vec<i64> = people.iter().map(|it| it.user.id).collect();
    let mut from = Fragment::new(" join stars on stars.project_id = projects.id where");
    from.in_list("stars.user_id", open.iter().copied().collect::<Vec<i64>>());
    let pages = each(ids.clone(), (ask, args, context), "stars.user_id", from).await?;
    Ok(open_only(&ids, pages, |id| open.contains(id)))
}
