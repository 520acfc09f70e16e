//! Labels of projects and groups.

use super::{PLACES, PlaceRequest, Subscribes, twin};
use crate::access::{Aim, Parent, ParentAccess, ProjectAccess, Scope};
use crate::entity::labels::{LabelCounts, LabelEntity, label};
use crate::model::Label;
use crate::requests::labelled;
use crate::rules::labels::{self as rules, LabelInput};
use crate::store::labels::{self as rows, LabelFilter};
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::{
    Changed, Created, Flat, NoContent, Ok200, Paged, Paging, Params, Patch, Routes,
};
use std::collections::HashMap;
use store::Tx;

kernel::params! {
    pub struct ListLabels {
        /// Count the issues and merge requests of each label.
        pub with_counts: Option<bool>,
        pub filter: Flat<LabelFilter>,
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
    pub struct UpdateLabel {
        /// Id or title of the label.
        pub label_id: String,
        pub change: Flat<LabelInput>,
    }
}

kernel::params! {
    /// A label named beside its place, and what becomes of it.
    pub struct UpdateNamed {
        pub label: Flat<NamedLabel>,
        pub change: Flat<LabelInput>,
    }
}

pub(super) fn routes(r: &mut Routes) {
    for place in PLACES {
        let all = &format!("/{}/{{id}}/labels", place.0);
        let one = &format!("{all}/{{label_id}}");
        let (start, end) = (&format!("{one}/subscribe"), &format!("{one}/unsubscribe"));
        let named = "Changes a label of a PLACE, named in the body";
        let gone = "Deletes a label of a PLACE, named in the body";
        let ends = "Ends the caller's subscription to a label of a PLACE";
        twin(r.get(all, list), place, "list", "Lists the labels of a PLACE");
        twin(r.post(all, create), place, "create", "Makes a label in a PLACE");
        twin(r.put(all, update_named), place, "update_named", named);
        twin(r.delete(all, destroy_named), place, "destroy_named", gone);
        twin(r.get(one, show), place, "show", "Shows a label of a PLACE");
        twin(r.put(one, update), place, "update", "Changes a label of a PLACE");
        twin(r.delete(one, destroy), place, "destroy", "Deletes a label of a PLACE");
        let starts = "Subscribes the caller to a label of a PLACE";
        twin(r.post(start, subscription), place, "subscribe", starts);
        twin(r.post(end, subscription), place, "unsubscribe", ends);
    }
    r.put("/projects/{id}/labels/{label_id}/promote", promote)
        .summary("Makes a project's label one of its group");
}

impl NamedLabel {
    fn one(id_or_title: String) -> NamedLabel {
        NamedLabel { name: None, label_id: Some(id_or_title) }
    }

    fn id_or_title(&self) -> Result<&str> {
        match (&self.name, &self.label_id) {
            (Some(_), Some(_)) => {
                Err(Error::Parameters(vec!["name, label_id are mutually exclusive".into()]))
            }
            (Some(named), None) | (None, Some(named)) => Ok(named),
            (None, None) => Err(Error::none_of("name, label_id")),
        }
    }
}

type Counts = HashMap<i64, LabelCounts>;

/// Counts what has labels, of what the viewer sees.
fn counted(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ParentAccess, labels: &[Label],
) -> Result<Counts> {
    let scope = match &here.parent {
        Parent::Project(project) => Scope::Project(Box::new(ProjectAccess {
            project: (**project).clone(),
            level: here.level,
        })),
        Parent::Group(group) => Scope::Group(group.clone()),
    };
    let ids: Vec<i64> = labels.iter().map(|label| label.id).collect();
    let requests = labelled(tx, viewer, &scope, &ids)?;
    let issues = rows::counts(tx, viewer, &scope, ids.clone())?;
    let counted = ids.into_iter().map(|id| {
        let (open_issues, closed_issues) = issues.get(&id).copied().unwrap_or_default();
        let open_requests = requests.get(&id).copied().unwrap_or_default();
        (id, LabelCounts { open_issues, closed_issues, open_requests })
    });
    Ok(counted.collect())
}

/// A label with what has it counted, rendered after the transaction.
struct CountedLabel(Label, Counts);

impl CountedLabel {
    fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, here: &ParentAccess, label: Label,
    ) -> Result<CountedLabel> {
        let counts = counted(tx, viewer, here, std::slice::from_ref(&label))?;
        Ok(CountedLabel(label, counts))
    }

    fn entity(&self) -> LabelEntity {
        shown(&self.0, Some(&self.1))
    }
}

fn shown(one: &Label, counts: Option<&Counts>) -> LabelEntity {
    label(one, counts.map(|counts| counts.get(&one.id).copied().unwrap_or_default()))
}

async fn list(
    at: PlaceRequest, Params(params): Params<ListLabels>, paging: Paging,
) -> Result<Paged<LabelEntity>> {
    let with_counts = params.with_counts.unwrap_or(false);
    let page = at.read(move |tx, by, here| {
        let user = by.viewer.user_id();
        let page = params.filter.list(tx, user, &here.parent, paging)?;
        let counts = match with_counts {
            true => Some(counted(tx, &by.viewer, here, &page.items)?),
            false => None,
        };
        Ok((page, counts))
    });
    let (page, counts) = page.await?;
    Ok(page.map(|one| shown(&one, counts.as_ref())))
}

async fn create(
    at: PlaceRequest, Params(params): Params<CreateLabel>,
) -> Result<Created<LabelEntity>> {
    let new = LabelInput {
        title: Some(params.name),
        color: Some(params.color),
        description: Patch::given(params.description),
        priority: Patch::given(params.priority),
        archived: params.archived,
    };
    let made = at.write(Aim::Manage, move |tx, by, here| rules::create(tx, &by.viewer, here, &new));
    Ok(Created(label(&made.await?, Some(LabelCounts::default()))))
}

async fn show(at: PlaceRequest, params: Params<LabelPath>) -> Result<Ok200<LabelEntity>> {
    let found = at.read(move |tx, by, here| {
        let above = params.include_ancestor_groups.unwrap_or(true);
        let found = rules::find(tx, &by.viewer, here, &params.label_id, above)?;
        CountedLabel::read(tx, &by.viewer, here, found)
    });
    Ok(Ok200(found.await?.entity()))
}

async fn update(
    at: PlaceRequest, Params(params): Params<UpdateLabel>,
) -> Result<Ok200<LabelEntity>> {
    change(at, NamedLabel::one(params.label_id), params.change.0).await
}

async fn update_named(
    at: PlaceRequest, Params(params): Params<UpdateNamed>,
) -> Result<Ok200<LabelEntity>> {
    change(at, params.label.0, params.change.0).await
}

async fn change(
    at: PlaceRequest, label: NamedLabel, change: LabelInput,
) -> Result<Ok200<LabelEntity>> {
    let changed = at.write(Aim::Manage, move |tx, by, here| {
        if change == LabelInput::default() {
            let names = "new_name, color, description, priority, archived";
            return Err(Error::none_of(names));
        }
        let id = label.id_or_title()?;
        let changed = rules::update(tx, &by.viewer, here, id, &change)?;
        CountedLabel::read(tx, &by.viewer, here, changed)
    });
    Ok(Ok200(changed.await?.entity()))
}

async fn destroy(at: PlaceRequest, Params(params): Params<LabelPath>) -> Result<NoContent> {
    remove(at, NamedLabel::one(params.label_id)).await
}

async fn destroy_named(at: PlaceRequest, Params(label): Params<NamedLabel>) -> Result<NoContent> {
    remove(at, label).await
}

async fn remove(at: PlaceRequest, label: NamedLabel) -> Result<NoContent> {
    at.write(Aim::Manage, move |tx, by, here| {
        rules::destroy(tx, &by.viewer, here, label.id_or_title()?)?;
        Ok(NoContent)
    })
    .await
}

async fn subscription(
    at: PlaceRequest, params: Params<LabelPath>, Subscribes(wanted): Subscribes,
) -> Result<Changed<LabelEntity>> {
    let changed = at.write(Aim::Own, move |tx, by, here| {
        rules::subscribe(tx, &by.viewer, here, &params.label_id, wanted)
    });
    Ok(changed.await?.map(|changed| label(&changed, None)).into())
}

async fn promote(at: PlaceRequest, params: Params<LabelPath>) -> Result<Ok200<LabelEntity>> {
    let promoted = at.write(Aim::Manage, move |tx, by, here| {
        let (promoted, above) = rules::promote(tx, &by.viewer, here, &params.label_id)?;
        CountedLabel::read(tx, &by.viewer, &above, promoted)
    });
    Ok(Ok200(promoted.await?.entity()))
}
