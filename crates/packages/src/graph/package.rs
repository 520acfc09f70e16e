//! The three types of packages: in lists, as a version of another, and alone.

use super::enums::{STATUS, TYPE};
use super::{PACKAGE_ID, Tally, caller, files, shared};
use crate::access;
use crate::entity::web_path;
use crate::keys::name_key;
use crate::model::Tag;
use crate::store::pages::{self as rows, Listed, Named};
use kernel::graph::context::Loader;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Fault, GlobalId, Graph, HasTypeRef, ID, Key, Mark,
    NODE, ObjectBuilder, Order, argument, object,
};
use spaces::graph::{ProjectView as Project, Projects};
use std::collections::HashMap;
use std::sync::Arc;

const TAG_ID: GlobalId = GlobalId::new("PackagesTagID", "Packages::Tag");

pub fn graph(g: &mut Graph) {
    g.object::<Links>("PackageLinks", "Addresses of a package.").value(
        "webPath",
        "Path of its page, if it has one.",
        |it| it.web_path.clone(),
    );
    g.object::<Permissions>("PackagePermissions", "What the caller may do.").value(
        "destroyPackage",
        "Delete it.",
        |it| it.destroy,
    );
    g.object::<Tag>("PackageTag", "A name for one version.")
        .field("id", ID.required(), |it| TAG_ID.of(it.id))
        .describe("Global ID.")
        .value("name", "The name.", |it| it.name.clone())
        .value("createdAt", "When it was set.", |it| it.created_at)
        .value("updatedAt", "When it was last moved.", |it| it.updated_at);
    let text = "A package beside others.";
    let package = common(g.object::<Listed>("Package", text), "Package.userPermissions");
    contents(package);
    let text = "A version of a package.";
    let base = g.object::<Listed>("PackageBase", text);
    common(base, "PackageBase.userPermissions");
    let text = "A package with all that is known of it.";
    let details = g.object::<Listed>("PackageDetailsType", text);
    let details = common(details, "PackageDetailsType.userPermissions");
    super::details::alone(contents(details));
    g.query()
        .answer("package", object::<Listed>("PackageDetailsType"), |args, context| async move {
            let id: i64 = args.get("id")?;
            let (app, viewer) = caller(&context)?;
            let found = app.read(move |tx| rows::package(tx, &viewer, id));
            Ok(found.await?.map(Arc::new))
        })
        .describe("One package; once in a query.")
        .at_most(1)
        .arg(argument("id", PACKAGE_ID.required()).describe("Its global ID."));
    g.node::<Alone, _>(PACKAGE_ID, object("Package"));
    g.count("Package");
    g.count("PackageBase");
}

/// Packages that can be shown alone, by id.
struct Alone;

impl Loader for Alone {
    type Key = i64;
    type Value = Arc<Listed>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Listed>>, Fault> {
        let (app, viewer) = caller(&context)?;
        let found = app.read(move |tx| rows::by_ids(tx, &viewer, ids)).await?;
        let keyed = found.into_iter().map(|it| (it.package.id, Arc::new(it)));
        Ok(keyed.collect())
    }
}

/// What all three types show.
fn common<'g>(
    package: ObjectBuilder<'g, Listed>, permissions: &'static str,
) -> ObjectBuilder<'g, Listed> {
    let package = package
        .implements(NODE)
        .field("id", PACKAGE_ID.node().required(), |it| it.package.id)
        .describe("Global ID.")
        .value("name", "Its name.", |it| it.package.name.clone())
        .value("version", "Its version; null for those without.", |it| {
            it.package.version.clone()
        })
        .field("packageType", TYPE.required(), |it| it.package.package_type)
        .describe("Its format.")
        .field("status", STATUS.required(), |it| it.package.status)
        .describe("Its state.")
        .value("statusMessage", "Why it could not be processed.", |it| {
            it.status_message.clone()
        })
        .value("createdAt", "When it was published.", |it| it.package.created_at)
        .value("updatedAt", "When it or its files last changed.", |it| it.package.updated_at)
        .field("_links", object::<Links>("PackageLinks").required(), |it| {
            Arc::new(Links { web_path: web_path(&it.package, &it.project_path) })
        })
        .describe("Its addresses.")
        .load::<Projects, _>("project", object::<Project>("Project"), |it| {
            Some(it.package.project_id)
        })
        .never_null()
        .describe("The project that holds it.");
    permitted(super::details::common(package), permissions)
        .connections("tags", object::<Tag>("PackageTag"), tags)
        .describe("Names that clients gave it.")
}

/// What depends on who asks, and on rules.
fn permitted<'g>(
    package: ObjectBuilder<'g, Listed>, permissions: &'static str,
) -> ObjectBuilder<'g, Listed> {
    package
        .level(
            "userPermissions",
            object::<Permissions>("PackagePermissions").required(),
            |parents: Vec<Arc<Listed>>, _, context| async move {
                let may = destroyable(&parents, &context).await?;
                let told = may.into_iter().map(|destroy| Arc::new(Permissions { destroy }));
                Ok(told.collect())
            },
        )
        .describe("What the caller may do with it.")
        .level(
            "canDestroy",
            BOOLEAN.required(),
            |parents: Vec<Arc<Listed>>, _, context| async move {
                destroyable(&parents, &context).await
            },
        )
        .describe("Whether the caller may delete it.")
        .mark(Mark::Deprecated {
            reason: "Superseded by `userPermissions`",
            milestone: "16.6",
            replacement: Some(permissions),
        })
        .level(
            "protectionRuleExists",
            BOOLEAN.required(),
            |parents: Vec<Arc<Listed>>, _, context| async move {
                let names: Vec<Named> = parents.iter().map(|it| named(it)).collect();
                let found = context.load::<Protected>(names.clone()).await?;
                let told = names.iter().map(|name| found.get(name).copied());
                Ok(told.map(|told| told.unwrap_or(false)).collect())
            },
        )
        .describe("Whether a protection rule is about its name.")
}

/// What lists and the package alone show, but versions do not.
fn contents(package: ObjectBuilder<'_, Listed>) -> ObjectBuilder<'_, Listed> {
    package
        .connections("packageFiles", object::<files::FileView>("PackageFile"), files::of_packages)
        .describe("Its files.")
        .connections("versions", object::<Listed>("PackageBase"), versions)
        .describe("Its other versions.")
}

struct Links {
    web_path: Option<String>,
}

struct Permissions {
    destroy: bool,
}

async fn destroyable(parents: &[Arc<Listed>], context: &Context) -> Result<Vec<bool>, Fault> {
    let projects: Vec<i64> = parents.iter().map(|it| it.package.project_id).collect();
    let managed = context.load::<Managed>(projects.clone()).await?;
    Ok(projects.iter().map(|id| managed.contains_key(id)).collect())
}

/// Projects whose registry the caller manages.
pub struct Managed;

impl Loader for Managed {
    type Key = i64;
    type Value = ();

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, ()>, Fault> {
        let (app, viewer) = caller(&context)?;
        let found = app.read(move |tx| access::managed_of(tx, &viewer, ids));
        Ok(found.await?.into_iter().map(|id| (id, ())).collect())
    }
}

fn named(it: &Listed) -> Named {
    let package = &it.package;
    (package.project_id, package.package_type, package.name.clone())
}

/// What versions of one package share.
fn keyed(it: &Listed) -> Named {
    let (project, package_type, name) = named(it);
    (project, package_type, name_key(package_type, &name))
}

/// Names that protection rules are about.
struct Protected;

impl Loader for Protected {
    type Key = Named;
    type Value = bool;

    async fn load(context: Context, names: Vec<Named>) -> Result<HashMap<Named, bool>, Fault> {
        let (app, _) = caller(&context)?;
        Ok(app.read(move |tx| rows::protected(tx, names)).await?)
    }
}

async fn tags(
    parents: Vec<Arc<Listed>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<Tag>>>, Fault> {
    let window = ask.window(&context, "package tags", &[Key::int("t.id", Order::Desc)])?;
    let ids: Vec<i64> = parents.iter().map(|it| it.package.id).collect();
    let tagged = parents.iter().filter(|it| it.package.package_type.has_tags());
    let tagged: Vec<i64> = tagged.map(|it| it.package.id).collect();
    if tagged.is_empty() {
        return Ok(ids.iter().map(|_| Some(Connection::empty())).collect());
    }
    let (app, _) = caller(&context)?;
    let read = app.read(move |tx| Ok((rows::tags(tx, tagged, &window)?, window)));
    let (found, window) = read.await?;
    let pages = window.pages(&ids, found, |tag: &Tag| vec![tag.id.into()]);
    Ok(pages.into_iter().map(Some).collect())
}

/// Packages of one name share their versions, which are read once.
async fn versions(
    parents: Vec<Arc<Listed>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<Listed>>>, Fault> {
    let keys = [Key::int("p.id", Order::Desc)];
    let window = ask.window(&context, "package versions", &keys)?.with_spare(1);
    let mut first: HashMap<Named, i64> = HashMap::new();
    for it in &parents {
        first.entry(keyed(it)).or_insert(it.package.id);
    }
    let ids: Vec<i64> = first.values().copied().collect();
    let tally = {
        let ids = ids.clone();
        Tally::new(move |tx, _, _| rows::version_counts(tx, ids.clone()))
    };
    let (app, _) = caller(&context)?;
    let read = app.read(move |tx| Ok((rows::versions(tx, ids, &window)?, window)));
    let (found, window) = read.await?;
    let found = shared(found);
    let page = |it: &Arc<Listed>| {
        let of = first.get(&keyed(it)).copied().unwrap_or_default();
        let others = found.get(&of).into_iter().flatten();
        let others = others.filter(|one| one.package.id != it.package.id);
        let page =
            window.page_of(others.cloned().collect(), |one: &Listed| vec![one.package.id.into()]);
        let (tally, own) = (tally.clone(), it.package.status.is_displayable());
        Some(page.counted(move |context, limit| {
            let tally = tally.clone();
            async move {
                let all = tally.of(&context, of, None).await?;
                let most = limit.map_or(i64::MAX, |limit| limit.saturating_add(1));
                Ok((all - i64::from(own)).clamp(0, most))
            }
        }))
    };
    Ok(parents.iter().map(page).collect())
}
