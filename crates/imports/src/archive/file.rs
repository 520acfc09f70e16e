//! The file of a project as a source of imports: see [`super::unpack`] for how it becomes
//! pages.

use super::format::List;
use super::store::{self, FileRow};
use super::{bring, lines, origin, relations, unpack};
use crate::model::Kind;
use crate::run::{Import, Page, Stage, Trouble};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::params::FromParams;
use kernel::ids::Reference;
use serde_json::{Map, Value};
use spaces::rules::{ProjectChange, update_project};

/// Everything, in an order in which nothing names what comes later.
const STAGES: &[Stage] = &[
    Stage::Repository,
    Stage::Wiki,
    Stage::Attachments,
    Stage::Labels,
    Stage::Milestones,
    Stage::Releases,
    Stage::Collaborators,
    Stage::MergeRequests,
    Stage::Issues,
    Stage::CodeNotes,
    Stage::Notes,
    Stage::Events,
    Stage::ProtectedBranches,
    Stage::Lfs,
    Stage::Finish,
];
/// Parts of the first stage.
const UNPACK: &str = "unpack";
const CODE: &str = "code";

/// The file that an import brings.
pub struct File {
    row: FileRow,
    /// The part of it that is brought; none: all of it.
    relation: Option<relations::Relation>,
}

/// What an import notes of its file.
pub fn noted(file: i64, relation: Option<(relations::Relation, i64)>) -> Value {
    serde_json::json!({
        "file": file,
        "relation": relation.map(|(relation, _)| relation),
        "relation_import": relation.map(|(_, id)| id),
    })
}

impl File {
    /// Opens that of an import.
    pub async fn open(app: &App, import: &Import) -> Result<File, Trouble> {
        let gone = || Trouble::Refused("The file is not stored any more.".into());
        let noted = &import.upstream.0;
        let id = noted.get("file").and_then(Value::as_i64).ok_or_else(gone)?;
        let relation = noted.get("relation").and_then(Value::as_str);
        let relation = relation.and_then(relations::Relation::from_text);
        let row = app.read(move |tx| store::by_id(tx, id)).await?.ok_or_else(gone)?;
        match row.project_id == import.project_id {
            true => Ok(File { row, relation }),
            false => Err(gone()),
        }
    }

    /// Its stages, in their order.
    pub fn stages(&self, _: &Import) -> &'static [Stage] {
        self.relation.map_or(STAGES, relations::Relation::stages)
    }

    /// One page of a stage.
    pub async fn page(
        &self, app: &App, import: &Import, stage: Stage, cursor: Option<&str>,
    ) -> Result<Page, Trouble> {
        match stage {
            Stage::Repository => self.begin(app, import, cursor).await,
            Stage::Wiki => bring::wiki_and_snippets(app, import, &self.row, cursor).await,
            Stage::Attachments => bring::uploads(app, import, &self.row, cursor).await,
            Stage::Lfs => bring::large_files(app, import, &self.row, cursor).await,
            stage => match list(stage) {
                Some(list) => self.objects(app, import, (stage, list), cursor).await,
                None => Ok(Page::default()),
            },
        }
    }

    async fn objects(
        &self, app: &App, import: &Import, (stage, list): (Stage, List), cursor: Option<&str>,
    ) -> Result<Page, Trouble> {
        let page = lines::page(app, &self.row, (stage, list), cursor).await?;
        match self.relation {
            Some(_) => relations::only_new(app, import, list, page).await,
            None => Ok(page),
        }
    }

    /// Fetches the file, takes it apart, and brings the code.
    async fn begin(
        &self, app: &App, import: &Import, cursor: Option<&str>,
    ) -> Result<Page, Trouble> {
        let id = self.row.id;
        let gone = || Trouble::Refused("The file is not stored any more.".into());
        // Since it was opened some of this may have been done.
        let row = app.read(move |tx| store::by_id(tx, id)).await?.ok_or_else(gone)?;
        let at = |part: &str| Ok(Page { next: Some(part.to_owned()), ..Page::default() });
        if row.unpacked_at.is_none() && row.blob_key.is_none() {
            let stored = origin::fetch(app, &row).await?;
            app.write(move |tx| store::fetched(tx, id, &stored)).await?;
            return at(UNPACK);
        }
        if row.unpacked_at.is_none() {
            self.unpack(app, import, &row).await?;
            return at(CODE);
        }
        match (cursor, self.relation) {
            (_, Some(_)) => Ok(Page::default()),
            (Some(CODE), None) => {
                bring::code(app, import, &row).await?;
                Ok(Page::default())
            }
            _ => at(CODE),
        }
    }

    async fn unpack(&self, app: &App, import: &Import, row: &FileRow) -> Result<(), Trouble> {
        let manifest = unpack::unpack(app, row).await?;
        let (row, import, is_whole) = (row.clone(), import.clone(), self.relation.is_none());
        app.write(move |tx| {
            store::unpacked(tx, row.id, manifest.project.default_branch.as_deref())?;
            spaces::hooks::blobs_unnamed(tx)?;
            store::set_host(tx, import.id, manifest.host())?;
            match is_whole {
                true => set_up(tx, &import, &manifest.project.settings, &row.overrides.0),
                false => Ok(()),
            }
        })
        .await?;
        Ok(())
    }

    /// How many there are of each kind: told where the file is sent, and nowhere else.
    pub async fn count(&self, _: &App, _: &Import) -> Result<Vec<(Kind, i64)>, Trouble> {
        Ok(Vec::new())
    }
}

fn list(stage: Stage) -> Option<List> {
    Some(match stage {
        Stage::Labels => List::Labels,
        Stage::Milestones => List::Milestones,
        Stage::Releases => List::Releases,
        Stage::Collaborators => List::Members,
        Stage::MergeRequests => List::MergeRequests,
        Stage::Issues => List::Issues,
        Stage::CodeNotes => List::CodeNotes,
        Stage::Notes => List::Notes,
        Stage::Events => List::Events,
        Stage::ProtectedBranches => List::ProtectedBranches,
        _ => return None,
    })
}

/// Gives the project its settings, as far as who asked may set them: those that are said with
/// the import, and for the rest those of the file.
fn set_up(
    tx: &mut Tx<'_>, import: &Import, settings: &Map<String, Value>, said: &Map<String, Value>,
) -> Result<()> {
    let user = identity::users::find(tx, import.user_id)?.found("User")?;
    let viewer = Viewer::addressed(user);
    let mut all = settings.clone();
    all.extend(said.clone());
    let without = |name: &str| {
        let mut some = all.clone();
        some.remove(name);
        some
    };
    // A file may ask for what nobody has here, or may not have in this namespace.
    for wanted in [all.clone(), without("visibility"), said.clone(), about(&all)] {
        let set = tx.savepoint(|tx| change(tx, &viewer, import.project_id, &wanted));
        match set {
            Ok(()) => return Ok(()),
            Err(
                error @ (Error::Parameters(_)
                | Error::BadRequest(_)
                | Error::Invalid(_)
                | Error::Forbidden(_)
                | Error::Unprocessable(_)),
            ) => tracing::info!(%error, import = import.id, "settings of a file do not fit"),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// What a project is for, alone.
fn about(settings: &Map<String, Value>) -> Map<String, Value> {
    let text = settings.get("description").cloned();
    text.into_iter().map(|text| ("description".to_owned(), text)).collect()
}

fn change(
    tx: &mut Tx<'_>, viewer: &Viewer, project: i64, wanted: &Map<String, Value>,
) -> Result<()> {
    let mut known = Map::new();
    for field in ProjectChange::fields() {
        let is_own = matches!(field.name, "name" | "path" | "default_branch");
        let Some(value) = wanted.get(field.name).filter(|_| !is_own) else {
            continue;
        };
        let alone = Map::from_iter([(field.name.to_owned(), value.clone())]);
        if ProjectChange::from_params(&alone).is_ok() {
            known.extend(alone);
        }
    }
    let change = ProjectChange::from_params(&known).map_err(Error::Parameters)?;
    update_project(tx, viewer, &Reference::Id(project), &change).map(drop)
}
