//! Labels of projects and groups.

use super::{PLACES, Subscribes};
use crate::access::{Aim, Parent, ParentAccess, ParentRef, ProjectAccess, Scope, authorize};
use crate::entity::labels::{LabelEntity, label};
use crate::model::Label;
use crate::rules::labels::{self as rules, LabelInput};
use crate::store::labels::{self as rows, Filter};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{
    Changed, Created, Flat, NoContent, Ok200, Paged, Paging, Params, Patch, Routes,
};
use std::collections::HashMap;
use store::Tx;

kernel::params! {
    pub struct ListLabels {
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
    pub struct CreateLabel {
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
    pub struct LabelPath {
        /// Id or title of the label.
        pub label_id: String,
        /// Also labels of the groups above; true unless refused.
        pub include_ancestor_groups: Option<bool>,
    }
}

kernel::params! {
    /// A label named beside its place, by one of these.
    pub struct NamedLabel {
        /// Title of the label.
        pub name: Option<String>,
        /// Id of the label.
        pub label_id: Option<String>,
    }
}

kernel::params! {
    pub struct LabelChange {
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
    pub struct UpdateLabel {
        /// Id or title of the label.
        pub label_id: String,
        pub change: Flat<LabelChange>,
    }
}

kernel::params! {
    /// A label named beside its place, and what becomes of it.
    pub struct UpdateNamed {
        pub label: Flat<NamedLabel>,
        pub change: Flat<LabelChange>,
    }
}

pub(super) fn routes(r: &mut Routes) {
    for (places, word) in PLACES {
        let all = &format!("/{places}/{{id}}/labels");
        let one = &format!("{all}/{{label_id}}");
        let name = |handler: &str| format!("{places}_{handler}");
        r.get(all, list)
            .named(&name("list"))
            .summary(format!("Lists the labels of a {word}"));
        r.post(all, create)
            .named(&name("create"))
            .summary(format!("Makes a label in a {word}"));
        r.put(all, update_named)
            .named(&name("update_named"))
            .summary(format!("Changes a label of a {word}, named in the body"));
        r.delete(all, destroy_named)
            .named(&name("destroy_named"))
            .summary(format!("Deletes a label of a {word}, named in the body"));
        r.get(one, show)
            .named(&name("show"))
            .summary(format!("Shows a label of a {word}"));
        r.put(one, update)
            .named(&name("update"))
            .summary(format!("Changes a label of a {word}"));
        r.delete(one, destroy)
            .named(&name("destroy"))
            .summary(format!("Deletes a label of a {word}"));
        r.post(&format!("{one}/subscribe"), subscription)
            .named(&name("subscribe"))
            .summary(format!("Subscribes the caller to a label of a {word}"));
        r.post(&format!("{one}/unsubscribe"), subscription)
            .named(&name("unsubscribe"))
            .summary(format!(
                "Ends the caller's subscription to a label of a {word}"
            ));
    }
    r.put("/projects/{id}/labels/{label_id}/promote", promote)
        .summary("Makes a project's label one of its group");
}

impl NamedLabel {
    fn one(id_or_title: String) -> NamedLabel {
        NamedLabel {
            name: None,
            label_id: Some(id_or_title),
        }
    }

    fn id_or_title(&self) -> Result<&str> {
        match (&self.name, &self.label_id) {
            (Some(_), Some(_)) => Err(Error::Parameters(vec![
                "name, label_id are mutually exclusive".into(),
            ])),
            (Some(named), None) | (None, Some(named)) => Ok(named),
            (None, None) => Err(Error::none_of("name, label_id")),
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
    Params(params): Params<ListLabels>,
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
    Params(params): Params<CreateLabel>,
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
    params: Params<LabelPath>,
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
    Params(params): Params<UpdateLabel>,
) -> Result<Ok200<LabelEntity>> {
    let label = NamedLabel::one(params.label_id);
    change(app, viewer, place, label, params.change.0).await
}

async fn update_named(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    Params(params): Params<UpdateNamed>,
) -> Result<Ok200<LabelEntity>> {
    change(app, viewer, place, params.label.0, params.change.0).await
}

async fn change(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    label: NamedLabel,
    change: LabelChange,
) -> Result<Ok200<LabelEntity>> {
    let change = LabelInput {
        title: change.new_name,
        color: change.color,
        description: change.description,
        priority: change.priority,
        archived: change.archived,
    };
    let (changed, counts) = app
        .write(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
            if change == LabelInput::default() {
                return Err(Error::none_of(
                    "new_name, color, description, priority, archived",
                ));
            }
            let id = label.id_or_title()?;
            let changed = rules::update(tx, &viewer, &entered, id, &change)?;
            let counts = counted(tx, &viewer, &entered, std::slice::from_ref(&changed))?;
            Ok((changed, counts))
        })
        .await?;
    Ok(Ok200(shown(&changed, Some(&counts))))
}

async fn destroy(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    Params(params): Params<LabelPath>,
) -> Result<NoContent> {
    remove(app, viewer, place, NamedLabel::one(params.label_id)).await
}

async fn destroy_named(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    params: Params<NamedLabel>,
) -> Result<NoContent> {
    remove(app, viewer, place, params.0).await
}

async fn remove(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    label: NamedLabel,
) -> Result<NoContent> {
    app.write(move |tx| {
        let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
        rules::destroy(tx, &viewer, &entered, label.id_or_title()?)?;
        Ok(NoContent)
    })
    .await
}

async fn subscription(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    params: Params<LabelPath>,
    Subscribes(wanted): Subscribes,
) -> Result<Changed<LabelEntity>> {
    let changed = app
        .write(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Own)?;
            rules::subscribe(tx, &viewer, &entered, &params.label_id, wanted)
        })
        .await?;
    Ok(changed.map(|changed| label(&changed, None)).into())
}

async fn promote(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    params: Params<LabelPath>,
) -> Result<Ok200<LabelEntity>> {
    let (promoted, counts) = app
        .write(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
            let (promoted, above) = rules::promote(tx, &viewer, &entered, &params.label_id)?;
            let counts = counted(tx, &viewer, &above, std::slice::from_ref(&promoted))?;
            Ok((promoted, counts))
        })
        .await?;
    Ok(Ok200(shown(&promoted, Some(&counts))))
}
