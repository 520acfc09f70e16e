//! The group or project a page is about, found by its path.

use crate::access::{self, NONE, Purpose};
use crate::members::MembersOf;
use crate::model::{Namespace, Project, SourceKind};
use identity::model::{User, UserState};
use identity::users;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::error::{Error, Result};
use kernel::http::{Call, FromCall, RequestContext};
use kernel::ids::{Reference, fold};
use store::Tx;

/// What a page is about, as its address says it.
#[derive(Debug, Clone)]
pub struct Address {
    /// Whether the address begins with `/groups/`.
    pub kind: SourceKind,
    pub reference: Reference,
}

impl Address {
    /// Reads what stands before `/-/` in the path asked for.
    pub fn of(request: &RequestContext) -> Result<Address> {
        let path = request.uri.path();
        let place = path.split("/-/").next().unwrap_or_default();
        let decoded = percent_encoding::percent_decode_str(place.trim_matches('/')).decode_utf8();
        let text = decoded.map_err(|_| Error::NotFound(""))?;
        let (kind, path) = match text.strip_prefix("groups/") {
            Some(path) => (SourceKind::Group, path),
            None => (SourceKind::Project, text.as_ref()),
        };
        Ok(Address { kind, reference: Reference::Path(path.to_owned()) })
    }

    /// Whether it is written as this path is, but for case.
    pub fn names(&self, full_path: &str) -> bool {
        matches!(&self.reference, Reference::Path(path) if fold(path) == fold(full_path))
    }

    /// The same without what a path ends with.
    pub fn without(self, end: &str) -> Address {
        let reference = match self.reference {
            Reference::Path(path) => {
                Reference::Path(path.strip_suffix(end).unwrap_or(&path).to_owned())
            }
            other => other,
        };
        Address { reference, ..self }
    }

    /// Finds it for a purpose. A project that moved is shown under its old
    /// address, too: its links lead to the new one.
    pub fn authorize(&self, tx: &mut Tx<'_>, viewer: &Viewer, purpose: Purpose) -> Result<Space> {
        match self.kind {
            SourceKind::Group => {
                let (group, level) = access::group_and_level(tx, viewer, &self.reference, purpose)?;
                Ok(Space::Group(group, level))
            }
            SourceKind::Project => {
                let look = |tx: &mut Tx<'_>, reference: &Reference| {
                    access::project_and_level(tx, viewer, reference, purpose)
                };
                let (project, known) = match look(tx, &self.reference) {
                    Err(Error::Moved(id)) => {
                        let id = id.parse().map_err(Error::internal)?;
                        look(tx, &Reference::Id(id))?
                    }
                    other => other?,
                };
                // What is open to all was let in without asking for the level.
                let level = match known {
                    NONE => access::level_in_project(tx, viewer, &project)?,
                    level => level,
                };
                Ok(Space::Project(project, level))
            }
        }
    }
}

impl FromCall for Address {
    async fn from_call(call: &mut Call) -> Result<Self> {
        Address::of(&call.request)
    }
}

/// Somebody signed in at the address of a group's or project's page.
#[derive(Debug, Clone)]
pub struct Visit {
    pub viewer: Viewer,
    pub address: Address,
}

impl FromCall for Visit {
    async fn from_call(call: &mut Call) -> Result<Visit> {
        let viewer = SignedInViewer::from_call(call).await?.viewer();
        let address = Address::of(&call.request)?;
        Ok(Visit { viewer, address })
    }
}

impl Visit {
    /// Finds what the page is about, for a purpose.
    pub fn authorize(&self, tx: &mut Tx<'_>, purpose: Purpose) -> Result<Space> {
        self.address.authorize(tx, &self.viewer, purpose)
    }
}

/// A group or project with the viewer's level in it.
#[derive(Debug, Clone)]
pub enum Space {
    Group(Namespace, i64),
    Project(Project, i64),
}

impl Space {
    /// The viewer's level: a role, 60 for administrators.
    pub fn level(&self) -> i64 {
        match self {
            Space::Group(_, level) | Space::Project(_, level) => *level,
        }
    }

    /// The project, on pages that groups do not have.
    pub fn project(&self) -> Result<&Project> {
        match self {
            Space::Project(project, _) => Ok(project),
            Space::Group(..) => Err(Error::NotFound("Project")),
        }
    }

    pub fn reference(&self) -> Reference {
        match self {
            Space::Group(group, _) => Reference::Id(group.id),
            Space::Project(project, _) => Reference::Id(project.id),
        }
    }

    pub fn full_path(&self) -> &str {
        match self {
            Space::Group(group, _) => &group.full_path,
            Space::Project(project, _) => &project.full_path,
        }
    }

    /// Its address without a trailing slash.
    pub fn url(&self) -> String {
        format!("{}{}", self.prefix(), self.full_path())
    }

    /// What stands before the full path in its address.
    pub fn prefix(&self) -> &'static str {
        match self {
            Space::Group(..) => "/groups/",
            Space::Project(..) => "/",
        }
    }

    /// As the rules of members and tokens take it.
    pub fn place<'v>(&self, viewer: &'v Viewer) -> MembersOf<'v> {
        match self {
            Space::Group(group, level) => MembersOf::of_group(viewer, group, *level),
            Space::Project(project, level) => MembersOf::of_project(viewer, project, *level),
        }
    }
}

/// What a path alone leads to.
pub enum PathTarget {
    Space(Box<Space>),
    Person(Box<User>),
}

impl PathTarget {
    /// The project of this path, else the group, else the person.
    pub fn find(tx: &mut Tx<'_>, viewer: &Viewer, address: Address) -> Result<PathTarget> {
        let not_found = match address.authorize(tx, viewer, Purpose::Read) {
            Err(error @ Error::NotFound(_)) if address.kind == SourceKind::Project => error,
            other => return other.map(|space| PathTarget::Space(Box::new(space))),
        };
        let group = Address { kind: SourceKind::Group, ..address };
        match group.authorize(tx, viewer, Purpose::Read) {
            Err(Error::NotFound(_)) => {}
            other => return other.map(|space| PathTarget::Space(Box::new(space))),
        }
        let Reference::Path(name) = &group.reference else {
            return Err(not_found);
        };
        let shown =
            |user: &User| user.is_human() && (user.state != UserState::Banned || viewer.is_admin());
        let user = users::find_by_username(tx, name)?;
        let user = user.filter(shown).ok_or(not_found)?;
        Ok(PathTarget::Person(Box::new(user)))
    }
}
