//! Where a client looks for packages: one project, all of a group, or all it
//! may see. Each format has the same documents at some of these prefixes.

use crate::access::authorize;
use crate::rules::names::invalid;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::{FromParams, Param};
use kernel::http::{Call, FromCall};
use kernel::ids::Reference;
use serde_json::Value;
use spaces::access::{self, Purpose, visible_projects};
use spaces::model::Namespace;
use store::{Fragment, Tx};

/// The prefix of a client's address.
#[derive(Debug, Clone)]
pub enum Prefix {
    /// `/projects/:id/…`
    Project(Reference),
    /// `/groups/:id/-/…`
    Group(Reference),
    /// A namespace by its path, a group's or a person's.
    Namespace(String),
    /// Without any.
    Instance,
}

kernel::params! {
    pub struct Above {
        /// The project or group.
        pub id: Reference,
    }
}

/// As the route says: handlers of one document serve all its prefixes.
impl FromCall for Prefix {
    async fn from_call(call: &mut Call) -> Result<Prefix> {
        let Some(id) = call.path("id") else {
            return Ok(Prefix::Instance);
        };
        let reference =
            Reference::parse(&Value::String(id.to_owned())).map_err(|_| invalid("id"))?;
        Ok(match call.route.path.starts_with("/api/v4/projects/") {
            true => Prefix::Project(reference),
            false => Prefix::Group(reference),
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.in_path(Above::fields());
    }
}

/// The packages a client may see at its address.
#[derive(Debug, Clone)]
pub struct Scope {
    /// A condition on `p.project_id`.
    condition: Fragment,
    pub project_id: Option<i64>,
}

impl Scope {
    /// Those of one project, which the viewer is known to read.
    pub fn of_project(id: i64) -> Scope {
        let mut condition = Fragment::new("");
        condition.push("p.project_id = ", id);
        Scope { condition, project_id: Some(id) }
    }

    /// The condition, in parentheses, on the alias `p` of `packages`.
    pub fn condition(&self) -> Fragment {
        self.condition.clone()
    }
}

/// How an address is refused at which there is no package that the viewer may
/// read: who did not say who they are is asked, where that may show more.
/// Clients send credentials only when they are asked for them.
pub fn missing(tx: &mut Tx<'_>, viewer: &Viewer, prefix: &Prefix) -> Result<Error> {
    let anonymous = matches!(viewer, Viewer::Anonymous);
    if anonymous && hides_some(tx, viewer, prefix)? {
        Ok(Error::Unauthenticated)
    } else {
        Ok(Error::NotFound("Package"))
    }
}

/// Whether a group has projects whose packages the viewer may not read. It
/// tells of no project in particular, and nothing of names within.
fn hides_some(tx: &mut Tx<'_>, viewer: &Viewer, prefix: &Prefix) -> Result<bool> {
    let namespace = match prefix {
        Prefix::Group(reference) => access::group(tx, viewer, reference, Purpose::ReadPackages)?,
        Prefix::Namespace(path) => namespace(tx, viewer, path)?,
        Prefix::Project(_) | Prefix::Instance => return Ok(false),
    };
    // Who has no projects is nobody's business.
    if !namespace.is_group() {
        return Ok(true);
    }
    let mut query = Fragment::new(
        "select projects.id from projects where projects.deletion_scheduled_at is null
         and projects.packages_enabled
         and coalesce(projects.features ->> 'package_registry', '') <> 'disabled' and ",
    );
    query
        .append(below(&namespace))
        // Settings that were never made are null, and so is what depends on them.
        .raw(" and (")
        .append(visible_projects(tx, viewer, Purpose::ReadPackages))
        .raw(") is not true limit 1");
    let found: Vec<i64> = tx.query(query)?;
    Ok(!found.is_empty())
}

/// The namespace of this path. Hidden groups are not found by who did not say
/// who they are; to others what is in them decides.
fn namespace(tx: &mut Tx<'_>, viewer: &Viewer, path: &str) -> Result<Namespace> {
    let reference = Reference::Path(path.to_owned());
    let found = access::find_namespace(tx, &reference)?;
    if !matches!(viewer, Viewer::Anonymous) {
        return found.found("Package");
    }
    match found.found("Group")? {
        group if group.is_group() => access::group(tx, viewer, &reference, Purpose::ReadPackages),
        personal => Ok(personal),
    }
}

/// Projects of the namespace and of the groups below it.
pub fn below(namespace: &Namespace) -> Fragment {
    let mut condition = Fragment::new("");
    condition
        .push(
            "projects.namespace_id in (select below.id from namespaces below
             where below.lineage >= ",
            namespace.lineage.as_str(),
        )
        // ':' follows '/' and all digits, so this ends what begins so.
        .push(" and below.lineage < ", format!("{}:", namespace.lineage))
        .raw(")");
    condition
}

/// What the viewer may read below this prefix. Hidden projects are not found,
/// as everywhere; of groups and the instance they are left out.
pub fn scope(tx: &mut Tx<'_>, viewer: &Viewer, prefix: &Prefix) -> Result<Scope> {
    let mut condition = Fragment::new("(p.project_id in (select projects.id from projects where ");
    match prefix {
        Prefix::Project(reference) => {
            let entered = authorize(tx, viewer, reference, Purpose::ReadPackages)?;
            return Ok(Scope::of_project(entered.project.id));
        }
        Prefix::Group(reference) => {
            let group = access::group(tx, viewer, reference, Purpose::ReadPackages)?;
            condition.append(below(&group)).raw(" and ");
        }
        Prefix::Namespace(path) => {
            // Whether it is hidden shows in what is found below it.
            match access::find_namespace(tx, &Reference::Path(path.clone()))? {
                Some(found) => condition.append(below(&found)),
                None => condition.raw("1 = 0"),
            };
            condition.raw(" and ");
        }
        Prefix::Instance => {}
    }
    condition
        .raw("(")
        .append(visible_projects(tx, viewer, Purpose::ReadPackages))
        .raw(")))");
    Ok(Scope { condition, project_id: None })
}
