//! Merge requests, and what is said and becomes of them. What of their commits is here, and
//! where notes in code stand, is asked of git before the transaction of a page.

use super::Desk;
use crate::ledger;
use crate::model::{CodeNote, Event, Kind, MergeRequest, Note, Object, Person, Review};
use crate::run::Import;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use planning::transfer::{self as plan, Happening, On};
use repositories::model::{Repository, RepositoryKind};
use repositories::store::of_project;
use reviews::model as here;
use reviews::model::ReviewState;
use reviews::positions::Shas;
use reviews::transfer::write::{self, Worn};
use reviews::transfer::{self as review, Found, Stands, Tips, events, git, notes, places};
use std::collections::HashMap;
use std::sync::Arc;
use store::{Fragment, Tx};

/// What git says of the merge requests and the notes in code of a page; none of what it cannot
/// read.
#[derive(Debug, Default)]
pub struct Prepared {
    /// By number.
    requests: HashMap<i64, Option<Found>>,
    /// Those that are found, by key.
    notes: HashMap<String, Option<Stands>>,
}

/// What of a page git is asked about.
struct Wanted {
    requests: Vec<MergeRequest>,
    notes: Vec<CodeNote>,
}

impl Wanted {
    fn of(objects: &[Object]) -> Wanted {
        let (mut requests, mut notes) = (Vec::new(), Vec::new());
        for object in objects {
            match object {
                Object::MergeRequest(request) => requests.push((**request).clone()),
                Object::CodeNote(note) if note.spot.is_some() => notes.push((**note).clone()),
                _ => {}
            }
        }
        Wanted { requests, notes }
    }
}

/// Where to look, of what is not here yet.
struct Ground {
    repository: Repository,
    /// The refs of merge requests, by their numbers.
    tips: HashMap<i64, Tips>,
    /// The newest versions of those that notes are about, likewise.
    versions: HashMap<i64, Shas>,
    /// The notes that are here already, by their keys.
    notes: HashMap<String, i64>,
}

impl Ground {
    /// None where there is no repository.
    fn read(tx: &mut Tx<'_>, import: &Import, wanted: &Wanted) -> Result<Option<Ground>> {
        let project_id = import.project_id;
        let Some(repository) = of_project(tx, project_id, RepositoryKind::Project)? else {
            return Ok(None);
        };
        let keys: Vec<String> = wanted.requests.iter().map(|one| one.number.to_string()).collect();
        let known = match import.is_update() {
            true => HashMap::new(),
            false => ledger::known(tx, import.id, Kind::PullRequest, &keys)?,
        };
        let mut tips = HashMap::new();
        for request in &wanted.requests {
            if !known.contains_key(&request.number.to_string()) {
                tips.insert(request.number, Tips::read(tx, repository.id, request)?);
            }
        }
        let numbers: Vec<i64> = wanted.notes.iter().map(|note| note.number).collect();
        let keys: Vec<String> = wanted.notes.iter().map(|note| note.key.clone()).collect();
        Ok(Some(Ground {
            tips,
            versions: places::newest(tx, project_id, &numbers)?,
            notes: ledger::known(tx, import.id, Kind::DiffNote, &keys)?,
            repository,
        }))
    }
}

/// Asks git about what a page holds.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn prepare(app: &App, import: &Import, objects: &[Object]) -> Result<Prepared> {
    let wanted = Arc::new(Wanted::of(objects));
    let mut prepared = Prepared::default();
    if wanted.requests.is_empty() && wanted.notes.is_empty() {
        return Ok(prepared);
    }
    let (of, asked) = (import.clone(), wanted.clone());
    let Some(ground) = app.read(move |tx| Ground::read(tx, &of, &asked)).await? else {
        return Ok(prepared);
    };
    for request in &wanted.requests {
        if let Some(tips) = ground.tips.get(&request.number) {
            let found = readable(git::read(app, &ground.repository, request, *tips).await)?;
            prepared.requests.insert(request.number, found);
        }
    }
    for note in wanted.notes.iter().filter(|note| !ground.notes.contains_key(&note.key)) {
        let coming = prepared.requests.get(&note.number).and_then(Option::as_ref);
        let now = coming.and_then(Found::shas);
        let now = now.or_else(|| ground.versions.get(&note.number).copied());
        let (Some(now), Some(spot)) = (now, &note.spot) else {
            continue;
        };
        match readable(places::find(app, &ground.repository, now, spot).await)? {
            // Nowhere is no failure.
            Some(None) => {}
            found => drop(prepared.notes.insert(note.key.clone(), found.flatten())),
        }
    }
    Ok(prepared)
}

/// What git said; none where that failed for what it is about alone.
fn readable<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(Error::Unavailable(text)) => Err(Error::Unavailable(text)),
        Err(error) => {
            tracing::warn!(%error, "commits of an imported merge request cannot be read");
            Ok(None)
        }
    }
}

fn unreadable() -> Error {
    Error::Unprocessable("Its commits cannot be read.".into())
}

/// Writes a merge request.
///
/// # Errors
///
/// `Conflict`, `Unprocessable` and `Invalid` where it can be none.
pub fn request(tx: &mut Tx<'_>, desk: &mut Desk<'_>, request: &MergeRequest) -> Result<()> {
    let key = request.number.to_string();
    let known = desk.known(tx, Kind::PullRequest, &key)?;
    if known.is_some() && !desk.import.is_update() {
        return Ok(());
    }
    let worn = Worn {
        labels: desk.labels(tx, &request.labels)?,
        milestone_id: desk.milestone(tx, request.milestone.as_deref())?,
    };
    let coming = coming(tx, desk, request)?;
    let (project, nothing) = (desk.project, Found::default());
    let found = match desk.prepared.requests.get(&request.number) {
        Some(found) => found.as_ref().ok_or_else(unreadable)?,
        None => &nothing,
    };
    match known {
        Some(id) => write::update(tx, project, id, &coming, &worn, found),
        None => {
            let id = write::insert(tx, project, &coming, &worn, found)?;
            if let Some(source) = desk.imported_from() {
                reviews::store::came_from(tx, id, source)?;
            }
            ledger::note(tx, desk.import.id, Kind::PullRequest, &key, id)
        }
    }
}

/// A merge request with people and texts as they are here.
fn coming(
    tx: &mut Tx<'_>, desk: &mut Desk<'_>, request: &MergeRequest,
) -> Result<review::MergeRequest<i64>> {
    let mut request = request.clone();
    if let Some(description) = &request.description {
        request.description = Some(desk.text(tx, description)?);
    }
    let author = desk.people.author(tx, request.author.as_ref())?;
    let coming = request.with_people(&mut |person: Person| desk.people.user(tx, &person))?;
    Ok(review::MergeRequest { author: Some(author), ..coming })
}

/// Writes what somebody said of a merge request as a whole, or that they merged it.
///
/// # Errors
///
/// `Unprocessable` where it has not come.
pub fn review(tx: &mut Tx<'_>, desk: &mut Desk<'_>, review: &Review) -> Result<()> {
    let kind = match review.merged_by {
        Some(_) => Kind::MergedBy,
        None => Kind::Review,
    };
    let key = format!("{}:{}", review.number, review.key);
    if desk.known(tx, kind, &key)?.is_some() {
        return Ok(());
    }
    let request = by_number(tx, desk, review.number)?;
    if let Some(person) = &review.merged_by {
        let user = desk.people.user(tx, person)?;
        write::merged_by(tx, request.id, user, review.at)?;
    }
    judge(tx, desk, &request, review)?;
    remark(tx, desk, &request, review)?;
    ledger::note(tx, desk.import.id, kind, &key, request.id)
}

/// Notes the verdict of a review. Authors who only say something review nothing.
fn judge(
    tx: &mut Tx<'_>, desk: &mut Desk<'_>, request: &here::MergeRequest, review: &Review,
) -> Result<()> {
    let Some(said) = review.state.as_deref().and_then(ReviewState::from_text) else {
        return Ok(());
    };
    let user = desk.people.author(tx, review.by.as_ref())?;
    let is_verdict = matches!(said, ReviewState::Approved | ReviewState::RequestedChanges);
    if request.author_id == Some(user) && !is_verdict {
        return Ok(());
    }
    let at = review.at.unwrap_or(request.created_at);
    write::review(tx, request.id, (user, said), at)
}

/// What somebody wrote beside a review becomes a note.
fn remark(
    tx: &mut Tx<'_>, desk: &mut Desk<'_>, request: &here::MergeRequest, review: &Review,
) -> Result<()> {
    let Some(text) = review.text.as_deref().filter(|text| !text.trim().is_empty()) else {
        return Ok(());
    };
    let at = review.at.unwrap_or(request.created_at);
    let note = plan::Note {
        on: On::MergeRequest(review.number),
        key: format!("review:{}:{}", review.number, review.key),
        thread: None,
        author: Some(desk.people.author(tx, review.by.as_ref())?),
        text: desk.text(tx, text)?,
        is_internal: false,
        is_system: false,
        resolved_at: None,
        resolved_by: None,
        reactions: Vec::new(),
        created_at: at,
        updated_at: at,
    };
    let id = notes::insert(tx, request, &note)?;
    ledger::note(tx, desk.import.id, Kind::Note, &note.key, id)
}

/// Writes a note in code.
///
/// # Errors
///
/// `Unprocessable` where its merge request has not come, `Invalid` where it is too long.
pub fn code_note(tx: &mut Tx<'_>, desk: &mut Desk<'_>, note: &CodeNote) -> Result<()> {
    let known = desk.known(tx, Kind::DiffNote, &note.key)?;
    if known.is_some() && !desk.import.is_update() {
        return Ok(());
    }
    let request = by_number(tx, desk, note.number)?;
    let author = desk.people.author(tx, note.author.as_ref())?;
    let text = desk.text(tx, &note.text)?;
    let coming = note.clone().with_people(&mut |person: Person| desk.people.user(tx, &person))?;
    let coming = review::CodeNote { author: Some(author), text, ..coming };
    match known {
        Some(id) => notes::update_in_code(tx, &request, id, &coming),
        None => {
            let stands = match desk.prepared.notes.get(&note.key) {
                Some(stands) => Some(stands.as_ref().ok_or_else(unreadable)?),
                None => None,
            };
            let id = notes::insert_in_code(tx, &request, &coming, stands)?;
            ledger::note(tx, desk.import.id, Kind::DiffNote, &note.key, id)
        }
    }
}

/// Writes a note about a merge request that stands in no code.
///
/// # Errors
///
/// As [`code_note`].
pub fn note(tx: &mut Tx<'_>, desk: &mut Desk<'_>, note: &Note) -> Result<()> {
    let known = desk.known(tx, Kind::Note, &note.key)?;
    if known.is_some() && !desk.import.is_update() {
        return Ok(());
    }
    let request = by_number(tx, desk, number(note.on)?)?;
    let author = desk.people.author(tx, note.author.as_ref())?;
    let text = desk.text(tx, &note.text)?;
    let coming = note.clone().with_people(&mut |person: Person| desk.people.user(tx, &person))?;
    let coming = plan::Note { author: Some(author), text, ..coming };
    match known {
        Some(id) => notes::update(tx, &request, id, &coming),
        None => {
            let id = notes::insert(tx, &request, &coming)?;
            ledger::note(tx, desk.import.id, Kind::Note, &note.key, id)
        }
    }
}

/// Writes what became of a merge request.
///
/// # Errors
///
/// `Unprocessable` where it has not come.
pub fn event(tx: &mut Tx<'_>, desk: &mut Desk<'_>, event: &Event) -> Result<()> {
    if desk.known(tx, Kind::IssueEvent, &event.key)?.is_some() {
        return Ok(());
    }
    let request = by_number(tx, desk, number(event.on)?)?;
    let named = match &event.what {
        Happening::LabelAdded { label } | Happening::LabelRemoved { label } => {
            desk.labels(tx, std::slice::from_ref(label))?.first().copied()
        }
        Happening::MilestoneAdded { title } | Happening::MilestoneRemoved { title } => {
            desk.milestone(tx, Some(title.as_str()))?
        }
        _ => None,
    };
    let what = match &event.what {
        Happening::Told { text } => Happening::Told { text: desk.text(tx, text)? },
        what => what.clone(),
    };
    let coming = plan::Event {
        on: event.on,
        key: event.key.clone(),
        by: Some(desk.people.author(tx, event.by.as_ref())?),
        at: event.at,
        what,
    };
    events::insert(tx, &request, &coming, named)?;
    ledger::note(tx, desk.import.id, Kind::IssueEvent, &event.key, request.id)
}

/// Once issues are here, open merge requests learn which of them they close. The last one that
/// was looked at, none after all.
pub fn finish(tx: &mut Tx<'_>, desk: &mut Desk<'_>, after: i64) -> Result<Option<i64>> {
    let Some(user) = identity::users::find(tx, desk.import.user_id)? else {
        return Ok(None);
    };
    write::note_closing(tx, &Viewer::addressed(user), desk.project, after)
}

/// A merge request that came.
fn by_number(tx: &mut Tx<'_>, desk: &Desk<'_>, number: i64) -> Result<here::MergeRequest> {
    let found = reviews::store::by_iid(tx, desk.project.id, number, Fragment::default())?;
    found.ok_or_else(|| Error::Unprocessable(format!("There is no merge request !{number}.")))
}

fn number(on: On) -> Result<i64> {
    match on {
        On::MergeRequest(number) => Ok(number),
        On::Issue(_) => Err(Error::internal("an issue is no merge request")),
    }
}
