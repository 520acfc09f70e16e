//! What the caller may do: the access rule's answers, one field each.

use super::{NamespaceView, ProjectView};
use crate::access::{Levels, NONE, Purpose};
use crate::model::{Namespace, Project};
use crate::store as lists;
use identity::graph::viewer;
use kernel::graph::{BOOLEAN, Context, Fault, Graph, HasTypeRef, ObjectBuilder, object};
use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;

const PROJECT: &[(&str, Purpose, &str)] = &[
    ("readProject", Purpose::Read, "See it."),
    ("readProjectMember", Purpose::ReadMembers, "List its members."),
    ("adminProject", Purpose::Update, "Change its settings."),
    ("archiveProject", Purpose::Archive, "Archive it."),
    ("changeNamespace", Purpose::Transfer, "Move it elsewhere."),
    ("changeVisibilityLevel", Purpose::Update, "Change who sees it."),
    ("removeProject", Purpose::Destroy, "Delete it."),
    ("renameProject", Purpose::Update, "Rename it."),
    ("viewEditPage", Purpose::Update, "Open its settings."),
];

const GROUP: &[(&str, Purpose, &str)] = &[
    ("readGroup", Purpose::Read, "See it."),
    ("createProjects", Purpose::CreateProject, "Create projects in it."),
    ("removeGroup", Purpose::Destroy, "Delete it."),
    ("viewEditPage", Purpose::Update, "Open its settings."),
];

struct Of<T> {
    levels: Arc<Levels>,
    it: Arc<T>,
    /// The caller has asked to become a member.
    requested: bool,
}

type OfProject = Of<ProjectView>;
type OfGroup = Of<NamespaceView>;

/// A field for each of these purposes.
fn purposes<'g, T: Any + Send + Sync>(
    mut object: ObjectBuilder<'g, T>, fields: &'static [(&str, Purpose, &str)],
    may: fn(&T, Purpose) -> bool,
) -> ObjectBuilder<'g, T> {
    for (name, purpose, text) in fields {
        object = object
            .field(name, BOOLEAN.required(), move |of| may(of, *purpose))
            .describe(text);
    }
    object
}

pub fn graph(g: &mut Graph) {
    let text = "What the caller may do with a project.";
    let of_project = g.object::<OfProject>("ProjectPermissions", text);
    purposes(of_project, PROJECT, |of, purpose| of.levels.may(&of.it.project, purpose))
        .field("requestAccess", BOOLEAN.required(), |of| {
            let project = &of.it.project;
            project.request_access_enabled
                && !of.requested
                && of.levels.role_in_project(project) == NONE
                && of.levels.may(project, Purpose::Join)
        })
        .describe("Ask to become a member.");
    let text = "What the caller may do with a group.";
    let of_group = g.object::<OfGroup>("GroupPermissions", text);
    purposes(of_group, GROUP, |of, purpose| of.levels.may_in_group(&of.it.namespace, purpose));
    g.on::<ProjectView>("Project")
        .level(
            "userPermissions",
            object::<OfProject>("ProjectPermissions").required(),
            |projects, _, context| of_projects(projects, context),
        )
        .describe("What the caller may do with it.");
    g.on::<NamespaceView>("Group")
        .level(
            "userPermissions",
            object::<OfGroup>("GroupPermissions").required(),
            |groups, _, context| of_groups(groups, context),
        )
        .describe("What the caller may do with it.");
}

async fn of_projects(
    projects: Vec<Arc<ProjectView>>, context: Context,
) -> Result<Vec<Arc<OfProject>>, Fault> {
    let (reader, asked) = (viewer(&context), projects.clone());
    let found = context.app()?.read(move |tx| {
        let rows: Vec<&Project> = asked.iter().map(|it| &it.project).collect();
        let levels = Levels::in_projects(tx, &reader, &rows)?;
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let requested: HashSet<i64> = match reader.user_id() {
            Some(user_id) => lists::requested(tx, user_id, &ids)?,
            None => HashSet::new(),
        };
        Ok((Arc::new(levels), requested))
    });
    let (levels, requested) = found.await?;
    let of = |it: Arc<ProjectView>| {
        Arc::new(OfProject {
            levels: levels.clone(),
            requested: requested.contains(&it.project.id),
            it,
        })
    };
    Ok(projects.into_iter().map(of).collect())
}

async fn of_groups(
    groups: Vec<Arc<NamespaceView>>, context: Context,
) -> Result<Vec<Arc<OfGroup>>, Fault> {
    let (reader, asked) = (viewer(&context), groups.clone());
    let levels = context.app()?.read(move |tx| {
        let rows: Vec<&Namespace> = asked.iter().map(|it| &it.namespace).collect();
        Levels::in_groups(tx, &reader, &rows)
    });
    let levels = Arc::new(levels.await?);
    let of = |it| Arc::new(OfGroup { levels: levels.clone(), requested: false, it });
    Ok(groups.into_iter().map(of).collect())
}
