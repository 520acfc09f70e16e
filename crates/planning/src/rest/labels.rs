//! Labels of projects and groups.

use crate::access::{Aim, Parent, ParentAccess, ParentRef, ProjectAccess, Scope, authorize};
use crate::entity::labels::{LabelEntity, label};
use crate::model::Label;
use crate::rules::labels::{self as rules, LabelInput};
use crate::store::labels::{self as rows, Filter};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Changed, Created, NoContent, Ok200, Paged, Paging, Params, Patch, Routes};
use kernel::ids::Reference;
use std::collections::HashMap;
use store::Tx;

kernel::params! {
    /// A place and which of its labels.
    pub struct ListLabels {
        /// Id or path.
        pub id: Reference,
        /// Count the issues of each label.
        pub with_counts: Option<bool>,
        /// Also labels of the groups above; true unless refused.
        pub include_ancestor_groups: Option<bool>,
        /// In the title or description.
        pub search: Option<String>,
        /// Only archived ones, or only others.
        pub archived: Option<bool>,
    }
}

kernel::params! {
    /// A new label.
    pub struct CreateLabel {
        /// Id or path.
        pub id: Reference,
        /// Its title.
        pub name: String,
        /// `#rrggbb` or a name of CSS.
        pub color: String,
        /// A few words.
        pub description: Option<String>,
        /// Where it stands among the project's labels; small numbers first.
        pub priority: Option<i64>,
        /// No longer offered.
        pub archived: Option<bool>,
    }
}

kernel::params! {
    /// A label.
    pub struct LabelPath {
        /// Id or path.
        pub id: Reference,
        /// Id or title of the label.
        pub label_id: String,
        /// Also labels of the groups above; true unless refused.
        pub include_ancestor_groups: Option<bool>,
    }
}

kernel::params! {
    /// A label and what becomes of it.
    pub struct UpdateLabel {
        /// Id or path.
        pub id: Reference,
        /// Id or title of the label.
        pub label_id: String,
        /// Another title.
        pub new_name: Option<String>,
        /// `#rrggbb` or a name of CSS.
        pub color: Option<String>,
        /// A few words.
        pub description: Patch<String>,
        /// Where it stands among the project's labels; null for nowhere.
        pub priority: Patch<i64>,
        /// No longer offered.
        pub archived: Option<bool>,
    }
}

kernel::params! {
    /// A label named beside its place, and what becomes of it.
    pub struct UpdateNamed {
        /// Id or path.
        pub id: Reference,
        /// Title of the label.
        pub name: Option<String>,
        /// Id of the label.
        pub label_id: Option<String>,
        /// Another title.
        pub new_name: Option<String>,
        /// `#rrggbb` or a name of CSS.
        pub color: Option<String>,
        /// A few words.
        pub description: Patch<String>,
        /// Where it stands among the project's labels; null for nowhere.
        pub priority: Patch<i64>,
        /// No longer offered.
        pub archived: Option<bool>,
    }
}

kernel::params! {
    /// A label named beside its place.
    pub struct NamedLabel {
        /// Id or path.
        pub id: Reference,
        /// Title of the label.
        pub name: Option<String>,
        /// Id of the label.
        pub label_id: Option<String>,
    }
}

macro_rules! of_places {
    ($($module:ident, $place:ident, $word:literal, $list:literal, $one:literal;)*) => {$(
        mod $module {
            use super::*;

            pub fn routes(r: &mut Routes) {
                r.get($list, list)
                    .summary(concat!("Lists the labels of a ", $word));
                r.post($list, create)
                    .summary(concat!("Makes a label in a ", $word));
                r.put($list, update_named)
                    .summary(concat!("Changes a label of a ", $word, ", named in the body"));
                r.delete($list, destroy_named)
                    .summary(concat!("Deletes a label of a ", $word, ", named in the body"));
                r.get($one, show)
                    .summary(concat!("Shows a label of a ", $word));
                r.put($one, update)
                    .summary(concat!("Changes a label of a ", $word));
                r.delete($one, destroy)
                    .summary(concat!("Deletes a label of a ", $word));
                r.post(concat!($one, "/subscribe"), subscribe)
                    .summary(concat!("Subscribes the caller to a label of a ", $word));
                r.post(concat!($one, "/unsubscribe"), unsubscribe)
                    .summary(concat!("Ends the caller's subscription to a label of a ", $word));
            }

            async fn list(
                app: App,
                viewer: Viewer,
                params: Params<ListLabels>,
                paging: Paging,
            ) -> Result<Paged<LabelEntity>> {
                let place = ParentRef::$place(params.id.clone());
                super::list(app, viewer, place, params.0, paging).await
            }

            async fn create(
                app: App,
                viewer: Viewer,
                params: Params<CreateLabel>,
            ) -> Result<Created<LabelEntity>> {
                let place = ParentRef::$place(params.id.clone());
                super::create(app, viewer, place, params.0).await
            }

            async fn show(
                app: App,
                viewer: Viewer,
                params: Params<LabelPath>,
            ) -> Result<Ok200<LabelEntity>> {
                let place = ParentRef::$place(params.id.clone());
                super::show(app, viewer, place, params.0).await
            }

            async fn update(
                app: App,
                viewer: Viewer,
                params: Params<UpdateLabel>,
            ) -> Result<Ok200<LabelEntity>> {
                let place = ParentRef::$place(params.id.clone());
                let change = super::changed(
                    &params.new_name,
                    &params.color,
                    &params.description,
                    &params.priority,
                    params.archived,
                );
                super::update(app, viewer, place, Named::one(params.0.label_id), change).await
            }

            async fn update_named(
                app: App,
                viewer: Viewer,
                params: Params<UpdateNamed>,
            ) -> Result<Ok200<LabelEntity>> {
                let place = ParentRef::$place(params.id.clone());
                let named = Named(params.name.clone(), params.label_id.clone());
                let change = super::changed(
                    &params.new_name,
                    &params.color,
                    &params.description,
                    &params.priority,
                    params.archived,
                );
                super::update(app, viewer, place, named, change).await
            }

            async fn destroy(
                app: App,
                viewer: Viewer,
                params: Params<LabelPath>,
            ) -> Result<NoContent> {
                let place = ParentRef::$place(params.id.clone());
                super::destroy(app, viewer, place, Named::one(params.0.label_id)).await
            }

            async fn destroy_named(
                app: App,
                viewer: Viewer,
                params: Params<NamedLabel>,
            ) -> Result<NoContent> {
                let place = ParentRef::$place(params.id.clone());
                let named = Named(params.0.name, params.0.label_id);
                super::destroy(app, viewer, place, named).await
            }

            async fn subscribe(
                app: App,
                viewer: Viewer,
                params: Params<LabelPath>,
            ) -> Result<Changed<LabelEntity>> {
                let place = ParentRef::$place(params.id.clone());
                super::subscribe(app, viewer, place, params.0.label_id, true).await
            }

            async fn unsubscribe(
                app: App,
                viewer: Viewer,
                params: Params<LabelPath>,
            ) -> Result<Changed<LabelEntity>> {
                let place = ParentRef::$place(params.id.clone());
                super::subscribe(app, viewer, place, params.0.label_id, false).await
            }
        }
    )*};
}

of_places! {
    projects, Project, "project", "/projects/{id}/labels", "/projects/{id}/labels/{label_id}";
    groups, Group, "group", "/groups/{id}/labels", "/groups/{id}/labels/{label_id}";
}

pub(super) fn routes(r: &mut Routes) {
    projects::routes(r);
    groups::routes(r);
    r.put("/projects/{id}/labels/{label_id}/promote", promote)
        .summary("Makes a project's label one of its group");
}

/// What the caller wants changed.
fn changed(
    new_name: &Option<String>,
    color: &Option<String>,
    description: &Patch<String>,
    priority: &Patch<i64>,
    archived: Option<bool>,
) -> LabelInput {
    LabelInput {
        title: new_name.clone(),
        color: color.clone(),
        description: description.clone(),
        priority: priority.clone(),
        archived,
    }
}

/// A label by title or by id: one of them.
struct Named(Option<String>, Option<String>);

impl Named {
    fn one(id_or_title: String) -> Named {
        Named(None, Some(id_or_title))
    }

    fn id_or_title(&self) -> Result<&str> {
        match self {
            Named(Some(_), Some(_)) => Err(Error::Parameters(vec![
                "name, label_id are mutually exclusive".into(),
            ])),
            Named(Some(named), None) | Named(None, Some(named)) => Ok(named),
            Named(None, None) => Err(Error::none_of("name, label_id")),
        }
    }
}

type Counts = HashMap<i64, (i64, i64)>;

/// Counts the issues of labels, of those the viewer sees.
fn counted(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    entered: &ParentAccess,
    labels: &[Label],
) -> Result<Counts> {
    let scope = match &entered.parent {
        Parent::Project(project) => Scope::Project(Box::new(ProjectAccess {
            project: (**project).clone(),
            level: entered.level,
        })),
        Parent::Group(group) => Scope::Group(group.clone()),
    };
    let ids = labels.iter().map(|label| label.id).collect();
    rows::counts(tx, viewer, &scope, ids)
}

fn shown(one: &Label, counts: Option<&Counts>) -> LabelEntity {
    label(
        one,
        counts.map(|counts| counts.get(&one.id).copied().unwrap_or_default()),
    )
}

async fn list(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    params: ListLabels,
    paging: Paging,
) -> Result<Paged<LabelEntity>> {
    let with_counts = params.with_counts.unwrap_or(false);
    let filter = Filter {
        with_groups_above: params.include_ancestor_groups.unwrap_or(true),
        search: params.search,
        title: None,
        archived: params.archived,
    };
    let (page, counts) = app
        .read(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Read)?;
            let page = rows::list(tx, viewer.user_id(), &entered.parent, &filter, paging)?;
            let counts = match with_counts {
                true => Some(counted(tx, &viewer, &entered, &page.items)?),
                false => None,
            };
            Ok((page, counts))
        })
        .await?;
    Ok(page.map(|one| shown(&one, counts.as_ref())))
}

async fn create(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    params: CreateLabel,
) -> Result<Created<LabelEntity>> {
    let new = LabelInput {
        title: Some(params.name),
        color: Some(params.color),
        description: params.description.map_or(Patch::Absent, Patch::Value),
        priority: params.priority.map_or(Patch::Absent, Patch::Value),
        archived: params.archived,
    };
    let made = app
        .write(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
            rules::create(tx, &viewer, &entered, &new)
        })
        .await?;
    Ok(Created(label(&made, Some((0, 0)))))
}

async fn show(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    params: LabelPath,
) -> Result<Ok200<LabelEntity>> {
    let (found, counts) = app
        .read(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Read)?;
            let above = params.include_ancestor_groups.unwrap_or(true);
            let found = rules::find(tx, &viewer, &entered, &params.label_id, above)?;
            let counts = counted(tx, &viewer, &entered, std::slice::from_ref(&found))?;
            Ok((found, counts))
        })
        .await?;
    Ok(Ok200(shown(&found, Some(&counts))))
}

async fn update(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    named: Named,
    change: LabelInput,
) -> Result<Ok200<LabelEntity>> {
    let (changed, counts) = app
        .write(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
            if change == LabelInput::default() {
                return Err(Error::none_of(
                    "new_name, color, description, priority, archived",
                ));
            }
            let id = named.id_or_title()?;
            let changed = rules::update(tx, &viewer, &entered, id, &change)?;
            let counts = counted(tx, &viewer, &entered, std::slice::from_ref(&changed))?;
            Ok((changed, counts))
        })
        .await?;
    Ok(Ok200(shown(&changed, Some(&counts))))
}

async fn destroy(app: App, viewer: Viewer, place: ParentRef, named: Named) -> Result<NoContent> {
    app.write(move |tx| {
        let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
        rules::destroy(tx, &viewer, &entered, named.id_or_title()?)?;
        Ok(NoContent)
    })
    .await
}

async fn subscribe(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    label_id: String,
    wanted: bool,
) -> Result<Changed<LabelEntity>> {
    let changed = app
        .write(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Own)?;
            rules::subscribe(tx, &viewer, &entered, &label_id, wanted)
        })
        .await?;
    Ok(match changed {
        Some(changed) => Changed::Now(label(&changed, None)),
        None => Changed::Before,
    })
}

async fn promote(
    app: App,
    viewer: Viewer,
    params: Params<LabelPath>,
) -> Result<Ok200<LabelEntity>> {
    let (promoted, counts) = app
        .write(move |tx| {
            let place = ParentRef::Project(params.id.clone());
            let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
            let (promoted, above) = rules::promote(tx, &viewer, &entered, &params.label_id)?;
            let counts = counted(tx, &viewer, &above, std::slice::from_ref(&promoted))?;
            Ok((promoted, counts))
        })
        .await?;
    Ok(Ok200(shown(&promoted, Some(&counts))))
}
