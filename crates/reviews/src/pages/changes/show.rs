//! `GET …/diffs`: the page, or a part of the files by itself.

use super::aims::Aim;
use super::bar::{ReviewBar, draft_label, open_threads, review};
use super::files::FilesView;
use super::listing::{Listing, find_file, pair};
use super::look::Look;
use super::parts::{Drawn, draw};
use super::points::{self, PointFields, Size};
use super::said::{Said, SaidReader};
use super::say::SayForm;
use super::subject::Subject;
use super::tree::{FileTree, Marks};
use super::typed::Typed;
use super::versions::{Compared, VersionChoice};
use crate::pages::frame::{Frame, Known, Tab};
use ::store::Tx;
use askama::Template;
use identity::pages::challenge::Challenge;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Page, ui};
use kernel::http::Response;
use planning::access::Desk;
use planning::pages::notes::NotePage;
use repositories::diffs::FileDiff;
use spaces::pages::Address;
use std::collections::HashSet;

/// Nothing was pushed yet, or what was is not looked into yet.
const NO_VERSION: (&str, &str) =
    ("Not ready yet", "What differs is worked out now. Reload the page in a moment.");
const NO_FILES: (&str, &str) =
    ("Not stored any more", "The files of this version are not there any more.");
const SAME: (&str, &str) = ("Nothing differs", "No file is different here.");

#[derive(Template)]
#[template(path = "merge_request/changes.html")]
struct ChangesPage {
    page: Page,
    frame: Frame,
    bar: ReviewBar,
    tree: FileTree,
    files: FilesView,
    /// The form that the script copies, for who may say something.
    blank: Option<SayForm>,
    /// What stands before the name of a line in the address where it is commented on.
    say_at: String,
    is_signed_in: bool,
    is_locked: bool,
}

/// Everything that is known before the texts of notes are read.
struct Ready {
    viewer: Viewer,
    look: Look,
    subject: Subject,
    listing: Listing,
    drawn: Drawn,
    /// The part that is shown, from 1.
    page: usize,
    aim: Option<(Aim, FileDiff)>,
    /// How large the picture is that is commented on.
    size: Option<Size>,
    typed: Typed,
}

/// Shows the changes, with what was typed and refused.
pub async fn render(
    app: &App, (viewer, address): (Viewer, Address), iid: i64, look: Look, typed: Typed,
) -> Result<Response> {
    let (who, asked) = (viewer.clone(), look.clone());
    let subject = app.read(move |tx| Subject::read(tx, &who, &address, iid, &asked)).await?;
    let (shown, status) = (typed.refusal.page(app, &viewer, "Changes"), typed.refusal.status());
    let (is_part, challenge) = (look.part == Some(true), typed.refusal.challenge.clone());
    let ready = prepare(app, viewer, look, subject, typed).await?;
    if is_part {
        return part(app, ready, shown.csrf).await;
    }
    let view = kernel::markup::read(app, move |tx| ready.view(tx, shown.clone())).await?;
    let html = Challenge::allow(challenge.as_ref(), Html::new(&view)?);
    Ok(html.status(status).response())
}

/// Some files by themselves.
async fn part(app: &App, ready: Ready, csrf: String) -> Result<Response> {
    let view = kernel::markup::read(app, move |tx| ready.files(tx, &csrf)).await?;
    Ok(Html::new(&view)?.response())
}

/// Reads what differs, and draws the files that are shown.
async fn prepare(
    app: &App, viewer: Viewer, look: Look, subject: Subject, mut typed: Typed,
) -> Result<Ready> {
    typed.open.note_id = typed.open.note_id.or(look.edit);
    if subject.rights.may_say {
        typed.open.draft_label = Some(draft_label(subject.drafts.len()));
    }
    let ways = look.ways(&subject.url());
    let ignores_space = ways.ignores_space();
    let asked = Aim::of(&look);
    let mut size = None;
    let (listing, drawn, aim) = match (&subject.compared, &subject.repository) {
        (Some(compared), Some(repository)) => {
            let listing = Listing::read(app, repository.id, compared, ignores_space).await?;
            let drawn = draw(app, repository, (&subject, compared), &listing, &look).await?;
            let pair = pair(repository.id, compared.shas());
            let file = match &asked {
                Some(aim) => find_file(app, pair, &aim.at.file, ignores_space).await?,
                None => None,
            };
            if let Some(file) = &file {
                size = points::measure(app, repository, file).await?;
            }
            (listing, drawn, asked.zip(file))
        }
        _ => (Listing::default(), Drawn::default(), None),
    };
    let page = subject.page(&look, &listing);
    Ok(Ready {
        viewer,
        look,
        subject,
        listing,
        drawn,
        page,
        aim,
        size,
        typed,
    })
}

impl Ready {
    fn note_page<'p>(&'p self, url: &'p str, here: &'p str, csrf: &'p str) -> NotePage<'p> {
        let rights = &self.subject.rights;
        NotePage {
            viewer: &self.viewer,
            desk: Desk::from(&self.subject.found.here),
            url,
            here,
            csrf,
            page: self.page as u64,
            writes: rights.writes,
            may_answer: rights.may_say,
            resolves: rights.resolves,
            open: &self.typed.open,
        }
    }

    /// The form of a comment that is begun.
    fn form(&self, url: &str, csrf: &str, compared: &Compared) -> Option<(&Aim, SayForm)> {
        let (aim, file) = self.aim.as_ref().filter(|_| self.subject.rights.may_say)?;
        let blank = self.blank(url, csrf, compared);
        let fields = PointFields::of(file, &aim.at.to_string(), &self.look.point, self.size);
        let form = blank.about(aim, file, &self.look).at_point(fields);
        let form = match &self.typed.comment {
            Some(typed) => {
                let error = self.typed.refusal.errors.of("body");
                form.typed(&typed.body, error, typed.challenge.clone())
            }
            None => form,
        };
        Some((aim, form))
    }

    fn blank(&self, url: &str, csrf: &str, compared: &Compared) -> SayForm {
        let label = draft_label(self.subject.drafts.len());
        SayForm::blank(&self.look, (url, csrf), compared.shas(), label)
    }

    /// The files that are shown, with what was said about them.
    fn files(&self, tx: &mut Tx<'_>, csrf: &str) -> Result<FilesView> {
        let (url, nothing) = (self.subject.url(), self.nothing());
        let Some(compared) = &self.subject.compared else {
            return Ok(FilesView {
                files: Vec::new(),
                rest: Said::default(),
                before: None,
                next: None,
                note: String::new(),
                nothing,
            });
        };
        let (here, request_url) = (self.look.here(&url), self.subject.request().path());
        let around = self.note_page(&url, &here, csrf);
        let is_alone = self.drawn.is_alone;
        let is_last = !is_alone && self.page == self.listing.pages();
        let elsewhere = match is_last {
            true => self.subject.elsewhere(&self.listing),
            false => Vec::new(),
        };
        let reader = SaidReader {
            rights: &self.subject.rights,
            request: self.subject.request(),
            compared,
            around: &around,
            drafts: &self.subject.drafts,
            elsewhere: &elsewhere,
            typed: self.typed.draft.as_ref(),
            request_url: &request_url,
        };
        let mut files = self.drawn.files.clone();
        self.drawn.add_heads(&mut files, &self.subject, &self.look, csrf)?;
        let form = self.form(&url, csrf, compared);
        let rest = reader.put(tx, &mut files, &self.drawn.threads, form)?;
        let at = |page| (!is_alone).then(|| self.look.at_page(&url, page));
        Ok(FilesView {
            files,
            rest,
            before: at(self.page - 1).filter(|_| self.page > 1),
            next: at(self.page + 1).filter(|_| !is_last),
            note: self.note(is_last),
            nothing,
        })
    }

    fn nothing(&self) -> (&'static str, &'static str) {
        match &self.subject.compared {
            None => NO_VERSION,
            Some(compared) if !compared.has_files() => NO_FILES,
            Some(_) => SAME,
        }
    }

    /// What is not shown, in words.
    fn note(&self, is_last: bool) -> String {
        let mut said = Vec::new();
        if is_last && self.listing.overflow {
            said.push("There are more files than can be shown here.".to_owned());
        }
        if is_last && self.listing.alike > 0 {
            let files = ui::count(self.listing.alike as u64, "file");
            said.push(format!("{files} that both versions change alike are left out."));
        }
        if self.subject.overview.has_more {
            said.push("There are more threads than are shown here.".to_owned());
        }
        said.join(" ")
    }

    /// The page with its files.
    fn view(&self, tx: &mut Tx<'_>, shown: Page) -> Result<ChangesPage> {
        let (viewer, found) = (&self.viewer, &self.subject.found);
        let page = found.page(tx, viewer, shown, Tab::Changes)?;
        let known = Known {
            version: self.subject.versions.newest().cloned(),
            drafts: self.subject.drafts.len() as i64,
        };
        let frame = Frame::of(tx, viewer, found, Tab::Changes, &known)?;
        let files = self.files(tx, &page.csrf)?;
        let marks = Marks {
            viewed: self.viewed(),
            open: self.subject.overview.open_of(&self.listing),
        };
        let (url, rights) = (self.subject.url(), &self.subject.rights);
        let blank = self.subject.compared.as_ref().filter(|_| rights.may_say);
        Ok(ChangesPage {
            bar: self.bar(&url, marks.viewed.len()),
            tree: FileTree::of(&self.listing, &marks, &self.look, &url, self.shown_page()),
            blank: blank.map(|compared| self.blank(&url, &page.csrf, compared)),
            say_at: match rights.may_say {
                true => format!("{}comment=", self.look.query()),
                false => String::new(),
            },
            is_signed_in: rights.is_signed_in,
            is_locked: rights.writes && !rights.may_say,
            page,
            frame,
            files,
        })
    }

    /// The part whose files are on this page; none where one file is alone.
    fn shown_page(&self) -> usize {
        match self.drawn.is_alone {
            true => 0,
            false => self.page,
        }
    }

    /// The files that the viewer has looked at as they are now.
    fn viewed(&self) -> HashSet<String> {
        let is_newest = self.subject.compared.as_ref().is_some_and(|it| it.is_newest);
        match is_newest {
            true => super::viewed::of_listing(&self.listing, &self.subject.viewed),
            false => HashSet::new(),
        }
    }

    fn bar(&self, url: &str, viewed: usize) -> ReviewBar {
        let (subject, rights) = (&self.subject, &self.subject.rights);
        let steps = subject.overview.steps(&self.listing);
        let thread_at = format!("{}thread=", self.look.here(url));
        let thread = subject.thread.as_deref();
        let (open, around) = open_threads(&subject.overview, &steps, thread, &thread_at);
        let choice = |compared: &Compared| {
            VersionChoice::of(&subject.versions, subject.request(), &self.look, url, compared)
        };
        let is_newest = subject.compared.as_ref().is_some_and(|it| it.is_newest);
        let marks = rights.is_signed_in && is_newest && self.listing.count() > 0;
        ReviewBar {
            counted: self.counted(),
            stats: self.listing.stats(),
            viewed: marks.then(|| (viewed as u64, self.listing.count() as u64)),
            open,
            steps: around,
            threads: steps.join(" "),
            thread_at,
            ways: self.look.ways(url),
            versions: subject.compared.as_ref().map(choice),
            review: review(subject.drafts.len(), &subject.request().path()),
        }
    }

    fn counted(&self) -> String {
        let more = if self.listing.overflow { "+" } else { "" };
        match self.listing.count() {
            1 => "1 changed file".to_owned(),
            files => format!("{files}{more} changed files"),
        }
    }
}
