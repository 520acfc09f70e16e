//! What was said about lines of the files of a page: threads and the viewer's own drafts
//! at their lines, and at the end of their file what stands on none of those shown.

use super::aims::{Aim, place_in_words};
use super::points::Points;
use super::rights::Rights;
use super::say::SayForm;
use super::versions::Compared;
use crate::model::MergeRequest;
use crate::noteable::noteable;
use crate::positions::{Kind, Position, Spot};
use crate::threads::model::{Draft, Standing, read};
use crate::threads::store as rows;
use ::store::Tx;
use askama::Template;
use askama::filters::HtmlSafe;
use code::diff;
use code::pages::parts::diff::{Body, FileView, id_of};
use code::visible::visible;
use kernel::error::{Error, Result};
use kernel::html::ui;
use planning::pages::notes::{Entry, NotePage, Thread};
use planning::rules::references::Links;
use planning::store::issues::timeline::{Discussion, Timeline};
use std::collections::{BTreeMap, HashMap};

/// What stands at one place.
#[derive(Debug, Default, Template)]
#[template(path = "ui/said.html")]
pub struct Said {
    /// The name of the line, or of the file.
    at: String,
    parts: Vec<SaidPart>,
    form: Option<SayForm>,
}

impl HtmlSafe for Said {}

#[derive(Debug, Default)]
struct SaidPart {
    /// Where it stands, where that is not plain.
    place: String,
    /// What there is to know of that, with its tone.
    remark: Option<(&'static str, &'static str)>,
    thread: Option<Box<Thread>>,
    /// Where all of it is read, if not here.
    whole: Option<String>,
    drafts: Vec<DraftView>,
}

/// A note that the viewer has not published.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/draft_note.html")]
pub struct DraftView {
    id: i64,
    html: String,
    /// The text of its form, and whether that is open.
    text: String,
    is_open: bool,
    error: String,
    url: String,
    csrf: String,
}

impl HtmlSafe for DraftView {}

/// What was typed into the form of a draft, and why it was refused.
#[derive(Debug, Clone)]
pub struct TypedDraft {
    pub id: i64,
    pub body: String,
    pub error: String,
}

/// A place on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Below the line of these counters of a file.
    Line(usize, (u32, u32)),
    /// At the end of a file.
    File(usize),
    /// Behind all files.
    Rest,
}

/// Reads what was said for one viewer.
pub struct SaidReader<'r> {
    pub rights: &'r Rights,
    pub request: &'r MergeRequest,
    pub compared: &'r Compared,
    pub around: &'r NotePage<'r>,
    pub drafts: &'r [Draft],
    /// Those of the drafts that stand in no file, where such are shown.
    pub elsewhere: &'r [i64],
    /// What was typed into the form of a draft and refused.
    pub typed: Option<&'r TypedDraft>,
    /// The address of the conversation.
    pub request_url: &'r str,
}

/// Where something stands, and what is said of that.
struct Placed {
    place: Place,
    words: String,
    remark: Option<(&'static str, &'static str)>,
}

impl Placed {
    /// Marks a point of a picture that is shown as it was, and calls it by its number.
    fn mark(&mut self, files: &[FileView], position: &Position, url: String, points: &mut Points) {
        if let (Place::File(at), Spot::Image(point), None) =
            (self.place, position.spot, self.remark)
            && let Some(words) = points.mark(files, at, point, url)
        {
            self.words = words;
        }
    }
}

impl SaidReader<'_> {
    /// Puts threads, drafts and the form of a new comment where they stand in these files;
    /// what stands in none of them is handed back.
    pub fn put(
        &self, tx: &mut Tx<'_>, files: &mut [FileView], threads: &[String],
        form: Option<(&Aim, SayForm)>,
    ) -> Result<Said> {
        let mut places: BTreeMap<Place, Said> = BTreeMap::new();
        let (mut drafts, mut points) = (self.drafts(tx)?, Points::default());
        for (placed, part) in self.threads(tx, files, threads, &mut drafts, &mut points)? {
            places.entry(placed.place).or_default().parts.push(part);
        }
        for (position, draft) in drafts.placed {
            let Some(mut placed) = self.place(files, &position, None) else {
                continue;
            };
            placed.mark(files, &position, format!("#draft_{}", draft.id), &mut points);
            let part = SaidPart {
                place: placed.words,
                remark: placed.remark,
                drafts: vec![draft],
                ..SaidPart::default()
            };
            places.entry(placed.place).or_default().parts.push(part);
        }
        for (words, draft) in drafts.elsewhere {
            let rest = places.entry(Place::Rest).or_default();
            let place = words.to_owned();
            rest.parts.push(SaidPart { place, drafts: vec![draft], ..SaidPart::default() });
        }
        if let Some((aim, form)) = form
            && let Some(at) = files.iter().position(|file| file.id == aim.at.file)
        {
            let line = aim.at.numbers.filter(|numbers| line_of(files, at, *numbers));
            let place = line.map_or(Place::File(at), |numbers| Place::Line(at, numbers));
            places.entry(place).or_default().form = Some(form);
        }
        points.draw(files)?;
        let rest = places.remove(&Place::Rest).unwrap_or_default();
        for (place, said) in places {
            said.stand(files, place)?;
        }
        Ok(Said { at: "rest".to_owned(), ..rest })
    }

    /// Threads with where they stand; the drafts that answer them go with them.
    fn threads(
        &self, tx: &mut Tx<'_>, files: &[FileView], ids: &[String], drafts: &mut Drafts,
        points: &mut Points,
    ) -> Result<Vec<(Placed, SaidPart)>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let is_reporter = self.rights.is_reporter;
        let timeline = Timeline::new(tx, self.around.viewer, noteable(self.request), is_reporter);
        let said = timeline.some(tx, ids)?;
        let standings = rows::standings(tx, ids)?;
        let standings: HashMap<&str, &Standing> =
            standings.iter().map(|one| (one.discussion_id.as_str(), one)).collect();
        let heads: Vec<(String, bool)> = said.iter().map(head).collect();
        let entries = self.around.show(tx, said)?;
        let mut found = Vec::new();
        for ((id, is_cut), entry) in heads.into_iter().zip(entries) {
            let (Some(standing), Entry::Thread(thread)) =
                (standings.get(id.as_str()).copied(), entry)
            else {
                continue;
            };
            let Some(position) = self.seen(standing) else { continue };
            let placed = self.place(files, &position, Some(standing));
            let Some(mut placed) = placed else { continue };
            placed.mark(files, &position, format!("#discussion_{id}"), points);
            let part = SaidPart {
                place: placed.words.clone(),
                remark: placed.remark,
                thread: Some(thread),
                whole: is_cut.then(|| format!("{}?thread={id}", self.request_url)),
                drafts: drafts.answers.remove(&id).unwrap_or_default(),
            };
            found.push((placed, part));
        }
        Ok(found)
    }

    /// The position of a thread that fits what is compared, or the last that is known.
    fn seen(&self, standing: &Standing) -> Option<Position> {
        let shas = self.compared.shas();
        let (now, first) = (read(&standing.position), read(&standing.original_position));
        let mut both = now.iter().chain(&first);
        let fitting = both.find(|position| position.shas().is_same_range(shas)).cloned();
        fitting.or(now).or(first)
    }

    /// Where a position stands on the page; none where another part has its file.
    fn place(
        &self, files: &[FileView], position: &Position, standing: Option<&Standing>,
    ) -> Option<Placed> {
        let ids = [id_of(&position.paths.new), id_of(&position.paths.old)];
        let at = ids.iter().find_map(|id| files.iter().position(|file| file.id == *id));
        let is_here = position.shas().is_same_range(self.compared.shas());
        let is_outdated = match standing {
            Some(standing) => standing.is_outdated,
            None => self.compared.is_newest && !is_here,
        };
        let is_ranged = matches!(position.spot, Spot::Text { lines: Some(_), .. });
        let line = at.filter(|_| is_here).and_then(|at| {
            let line = position.line()?;
            let Body::Lines(lines, _) = &files.get(at)?.body else {
                return None;
            };
            let numbers = lines.find(kind(line.kind), (line.old, line.new))?;
            Some(Place::Line(at, numbers))
        });
        let remark = match is_outdated {
            true => Some(("outdated", "warn")),
            false if !is_here => Some(("another version", "plain")),
            false if line.is_none() && position.line().is_some() && at.is_some() => {
                Some(("not among the lines shown", "plain"))
            }
            false => None,
        };
        let words = match (line, at) {
            (Some(_), _) if !is_ranged => String::new(),
            (_, Some(_)) => place_in_words(position),
            (_, None) => {
                format!("{}: {}", visible(position.path()), place_in_words(position))
            }
        };
        let place = match (line, at) {
            (Some(line), _) => line,
            (None, Some(at)) => Place::File(at),
            // Threads come with their part; drafts come with all.
            (None, None) if standing.is_some() => Place::Rest,
            (None, None) => return None,
        };
        Some(Placed { place, words, remark })
    }

    fn drafts(&self, tx: &mut Tx<'_>) -> Result<Drafts> {
        let mut drafts = Drafts::default();
        if self.drafts.is_empty() {
            return Ok(drafts);
        }
        let texts = self.drafts.iter().map(|draft| draft.body.as_str());
        let links = Links::find(tx, self.around.viewer, "", self.around.desk, texts)?;
        for draft in self.drafts {
            let position = draft.position.as_ref().and_then(read);
            if self.elsewhere.contains(&draft.id) {
                let words = match (&draft.discussion_id, &position) {
                    (Some(_), _) => "An answer in the conversation",
                    (None, Some(_)) => "About a file that is not among the changes",
                    (None, None) => "About the whole",
                };
                drafts.elsewhere.push((words, self.draft(draft, &links)));
                continue;
            }
            match (&draft.discussion_id, position) {
                (Some(id), _) => {
                    let of = drafts.answers.entry(id.clone()).or_default();
                    of.push(self.draft(draft, &links));
                }
                (None, Some(position)) => {
                    drafts.placed.push((position, self.draft(draft, &links)));
                }
                (None, None) => {}
            }
        }
        Ok(drafts)
    }

    fn draft(&self, draft: &Draft, links: &Links) -> DraftView {
        let typed = self.typed.filter(|typed| typed.id == draft.id);
        DraftView {
            id: draft.id,
            html: links.render(&draft.body),
            text: typed.map_or_else(|| draft.body.clone(), |typed| typed.body.clone()),
            is_open: typed.is_some(),
            error: typed.map(|typed| typed.error.clone()).unwrap_or_default(),
            url: self.around.url.to_owned(),
            csrf: self.around.csrf.to_owned(),
        }
    }
}

/// The viewer's drafts by what they answer, and those that stand by themselves.
#[derive(Default)]
struct Drafts {
    answers: HashMap<String, Vec<DraftView>>,
    placed: Vec<(Position, DraftView)>,
    /// Those that stand in no file, with where they stand.
    elsewhere: Vec<(&'static str, DraftView)>,
}

/// The id of a discussion, and whether not all of it is here.
fn head(said: &Discussion) -> (String, bool) {
    let id = said.notes.first().map(|note| note.discussion_id.clone()).unwrap_or_default();
    let here = i64::try_from(said.notes.len()).unwrap_or(i64::MAX);
    (id, said.total > here || !said.cut.is_empty())
}

fn kind(kind: Kind) -> diff::Kind {
    match kind {
        Kind::Added => diff::Kind::Added,
        Kind::Removed => diff::Kind::Removed,
        Kind::Same => diff::Kind::Same,
    }
}

/// Whether a file shows the line of these counters.
fn line_of(files: &[FileView], at: usize, numbers: (u32, u32)) -> bool {
    match files.get(at).map(|file| &file.body) {
        Some(Body::Lines(lines, _)) => lines.shows(numbers),
        _ => false,
    }
}

impl Said {
    /// Whether nothing stands there.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.form.is_none()
    }

    /// Stands at a place of the files.
    fn stand(mut self, files: &mut [FileView], place: Place) -> Result<()> {
        let (Place::Line(at, _) | Place::File(at)) = place else {
            return Ok(());
        };
        let Some(file) = files.get_mut(at) else {
            return Ok(());
        };
        self.at = match place {
            Place::Line(_, (old, new)) => format!("{}_{old}_{new}", file.id),
            _ => file.id.clone(),
        };
        let html = self.render().map_err(Error::internal)?;
        match (place, &mut file.body) {
            (Place::Line(_, numbers), Body::Lines(lines, _)) => lines.put(numbers, &html),
            _ => file.foot.push_str(&html),
        }
        Ok(())
    }
}
