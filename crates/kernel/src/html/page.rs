//! What a page knows besides its own content.

use super::nav::Nav;
use super::preferences::Preferences;
use super::ui::{count, up_to};
use super::zoned::EXACT;
use crate::http::Paging;
use crate::time::{Timestamp, wire};
use askama::filters::HtmlSafe;
use jiff::tz::TimeZone;
use std::fmt;

/// What the layout needs; every template has it as its field `page`.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Shown in the window title and, unless a template has its own, as heading.
    pub title: String,
    /// Who looks; `None` shows the sign-in link.
    pub viewer: Option<PageViewer>,
    /// The session's token for forms, sent back as `authenticity_token`.
    pub csrf: String,
    /// Text and address of what stands above this page, from the outermost;
    /// the layout ends the row with the title.
    pub breadcrumbs: Vec<(String, String)>,
    /// Links between the pages that this one is among.
    pub nav: Option<Nav>,
    /// The feed of what it shows.
    pub feed: Option<Feed>,
    /// What the last form did.
    pub flash: Option<Flash>,
    /// What the viewer is asked to do, on every page until it is done.
    pub notice: Option<Notice>,
    /// The entry of the main navigation this page belongs to: `projects`,
    /// `groups`, `admin`, or empty.
    pub active: &'static str,
    /// What the instance is called; empty for the program's own name.
    pub instance: String,
}

impl Page {
    /// A page with a title and nothing else yet.
    pub fn new(title: impl Into<String>) -> Page {
        Page { title: title.into(), ..Page::default() }
    }

    /// Adds one step to the breadcrumbs.
    pub fn crumb(mut self, text: impl Into<String>, url: impl Into<String>) -> Page {
        self.breadcrumbs.push((text.into(), url.into()));
        self
    }

    /// Puts it among the pages of a navigation.
    pub fn within(mut self, nav: Nav) -> Page {
        self.nav = Some(nav);
        self
    }

    /// What a window is called: the page, what it belongs to, the program.
    pub fn window_title(&self) -> String {
        let context = self.nav.as_ref().map(|nav| nav.context.as_str());
        let parts = [Some(self.title.as_str()), context, Some(self.instance())];
        let told = parts.into_iter().flatten().filter(|part| !part.is_empty());
        told.collect::<Vec<_>>().join(" · ")
    }

    /// What the instance is called.
    pub fn instance(&self) -> &str {
        match self.instance.as_str() {
            "" => "tenon",
            name => name,
        }
    }

    /// What its viewer chose: names behind `data-`, and values.
    pub fn chosen(&self) -> Vec<(&'static str, String)> {
        self.preferences().attributes()
    }

    /// How its viewer wants pages; strangers chose nothing.
    pub fn preferences(&self) -> Preferences {
        let viewer = self.viewer.as_ref();
        viewer.map(|viewer| viewer.preferences.clone()).unwrap_or_default()
    }

    /// What the navigation beside it is called; on phones it holds the main
    /// links, too.
    pub fn rail_label(&self) -> &'static str {
        self.nav.as_ref().map_or("All pages", |nav| nav.label)
    }

    /// The project or group that the search of the header begins in, by the name
    /// of its field and its path.
    pub fn search_place(&self) -> Option<(&'static str, &str)> {
        let nav = self.nav.as_ref()?;
        let kind = match nav.label {
            "Project" => "project",
            "Group" => "group",
            _ => return None,
        };
        Some((kind, &nav.context))
    }

    /// Whether the viewer administers the instance.
    pub fn is_admin(&self) -> bool {
        self.viewer.as_ref().is_some_and(|viewer| viewer.is_admin)
    }
}

/// A feed that readers follow.
#[derive(Debug, Clone)]
pub struct Feed {
    /// What it tells of.
    pub title: String,
    /// Its address; it may hold the viewer's token for feeds.
    pub url: String,
}

/// The signed-in user as the header shows them.
#[derive(Debug, Clone, Default)]
pub struct PageViewer {
    /// Sign-in name.
    pub username: String,
    /// Display name.
    pub name: String,
    /// Shows the entry Admin.
    pub is_admin: bool,
    /// How they want their pages.
    pub preferences: Preferences,
    /// To-dos that are pending, counted to [`PageViewer::COUNTED`] and one more.
    pub todos: u64,
}

impl PageViewer {
    /// To-dos that the header counts.
    pub const COUNTED: u64 = 99;

    /// A viewer with the usual preferences.
    pub fn new(username: &str, name: &str, is_admin: bool) -> PageViewer {
        PageViewer {
            username: username.into(),
            name: name.into(),
            is_admin,
            preferences: Preferences::default(),
            todos: 0,
        }
    }

    /// How many to-dos are pending, if any is.
    pub fn waiting(&self) -> Option<String> {
        (self.todos > 0).then(|| up_to(self.todos, PageViewer::COUNTED))
    }

    /// The same with what they chose for their pages.
    pub fn who_wants(self, preferences: Preferences) -> PageViewer {
        PageViewer { preferences, ..self }
    }

    /// The first letters of the first and last word of a name, in capitals.
    pub fn initials(name: &str) -> String {
        let first = |word: &str| word.chars().find(|c| c.is_alphanumeric());
        let mut words = name.split_whitespace();
        let letters = [words.next().and_then(first), words.next_back().and_then(first)];
        letters.into_iter().flatten().flat_map(char::to_uppercase).collect()
    }
}

/// Left in the call by the gate for pages that no handler writes: who looks,
/// and their forms' token.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Who.
    pub viewer: PageViewer,
    /// The session's token for forms.
    pub csrf: String,
}

/// How a message or badge is coloured; the text says the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Neither good nor bad.
    #[default]
    Plain,
    /// Done, well, allowed.
    Good,
    /// Worth a look.
    Warn,
    /// Failed, refused, dangerous.
    Bad,
}

impl Tone {
    /// Its class in the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Tone::Plain => "plain",
            Tone::Good => "good",
            Tone::Warn => "warn",
            Tone::Bad => "bad",
        }
    }
}

/// One message above the content.
#[derive(Debug, Clone)]
pub struct Flash {
    /// Its colour; `Bad` is announced at once by screen readers.
    pub tone: Tone,
    /// A whole sentence.
    pub text: String,
}

impl Flash {
    /// Something was done.
    pub fn done(text: impl Into<String>) -> Option<Flash> {
        Some(Flash { tone: Tone::Good, text: text.into() })
    }

    /// Something was refused.
    pub fn failed(text: impl Into<String>) -> Option<Flash> {
        Some(Flash { tone: Tone::Bad, text: text.into() })
    }
}

/// Something the viewer is asked to do.
#[derive(Debug, Clone)]
pub struct Notice {
    /// A whole sentence.
    pub text: String,
    /// What the link says.
    pub label: &'static str,
    /// Where it is done.
    pub url: &'static str,
}

/// What is wrong with a form, by field name.
#[derive(Debug, Clone, Default)]
pub struct Errors(pub Vec<(String, Vec<String>)>);

impl Errors {
    /// The messages of one field as one sentence, or an empty text.
    pub fn of(&self, field: &str) -> String {
        let all = self.0.iter().filter(|(name, _)| name == field);
        let texts: Vec<&str> =
            all.flat_map(|(_, messages)| messages.iter().map(String::as_str)).collect();
        let text = texts.join("; ");
        let mut letters = text.chars();
        match letters.next() {
            Some(first) => first.to_uppercase().chain(letters).collect(),
            None => text,
        }
    }

    /// Says a field's messages under another name, where the form calls it
    /// differently.
    pub fn rename(mut self, from: &str, to: &str) -> Errors {
        for (name, _) in &mut self.0 {
            if name == from {
                *name = to.to_owned();
            }
        }
        self
    }

    /// The messages of fields the form does not have, so that none is lost.
    pub fn beside(&self, shown: &[&str]) -> String {
        let lost = self.0.iter().filter(|(name, _)| !shown.contains(&name.as_str()));
        lost.map(|(name, messages)| format!("{} {}", name.replace('_', " "), messages.join("; ")))
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// An instant as people read it: a relative text, with the exact one in
/// `datetime` and as the title.
#[derive(Debug, Clone, Default)]
pub struct Moment {
    iso: String,
    exact: String,
    relative: String,
}

impl Moment {
    /// `at` seen from `now`; the future is said as such.
    pub fn new(at: Timestamp, now: Timestamp) -> Moment {
        let seconds = now.as_second() - at.as_second();
        Moment {
            iso: wire::text(at),
            exact: at.to_zoned(TimeZone::UTC).strftime(EXACT).to_string(),
            relative: relative(seconds),
        }
    }

    /// A moment that may not have come.
    pub fn maybe(at: Option<Timestamp>, now: Timestamp) -> Option<Moment> {
        at.map(|at| Moment::new(at, now))
    }
}

fn relative(seconds: i64) -> String {
    const UNITS: [(u64, &str); 5] = [
        (31_557_600, "year"),
        (2_629_800, "month"),
        (86_400, "day"),
        (3600, "hour"),
        (60, "minute"),
    ];
    let away = seconds.unsigned_abs();
    let Some((size, unit)) = UNITS.into_iter().find(|(size, _)| away >= *size) else {
        return "just now".into();
    };
    let amount = count(away / size, unit);
    if seconds < 0 {
        format!("in {amount}")
    } else {
        format!("{amount} ago")
    }
}

impl fmt::Display for Moment {
    // Digits, month names and our own words only: nothing to escape.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Moment { iso, exact, relative } = self;
        write!(f, "<time datetime=\"{iso}\" title=\"{exact}\">{relative}</time>")
    }
}

impl HtmlSafe for Moment {}

/// Where a list stands among its pages.
#[derive(Debug, Clone, Default)]
pub struct Pages {
    /// This page, from 1.
    pub page: u64,
    /// Rows on a full page.
    pub per_page: u64,
    /// Rows in all that the viewer may see.
    pub total: u64,
    /// The list's address with its other parameters and without `page`
    /// (`/?search=x`).
    pub url: String,
}

/// A page of a list, to go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLink {
    /// From 1.
    pub number: u64,
    /// Its address.
    pub url: String,
    /// It is the page shown.
    pub is_current: bool,
    /// Some before it are left out.
    pub follows_gap: bool,
}

impl Pages {
    /// The page of this number, from 1, of a list of so many rows.
    pub fn new(page: i64, per_page: i64, total: i64, url: impl Into<String>) -> Pages {
        Pages {
            page: page.max(1).unsigned_abs(),
            per_page: per_page.unsigned_abs(),
            total: total.max(0).unsigned_abs(),
            url: url.into(),
        }
    }

    /// Where a list stands that was read so.
    pub fn of(paging: &Paging, total: i64, url: impl Into<String>) -> Pages {
        let page = paging.offset() / paging.per_page.max(1) + 1;
        Pages::new(page, paging.per_page, total, url)
    }

    /// The number of the last page, at least 1.
    pub fn last(&self) -> u64 {
        self.total.div_ceil(self.per_page.max(1)).max(1)
    }

    /// The address of this page.
    pub fn here(&self) -> String {
        self.url_of(self.page)
    }

    /// The address of one page.
    pub fn url_of(&self, page: u64) -> String {
        let joint = if self.url.contains('?') { '&' } else { '?' };
        format!("{}{joint}page={page}", self.url)
    }

    /// The pages to link to: the first, the last and those around this one,
    /// from the first on.
    pub fn links(&self) -> Vec<PageLink> {
        let last = self.last();
        let near = self.page.saturating_sub(2).max(2)..=(self.page + 2).min(last - 1);
        let mut links: Vec<PageLink> = Vec::new();
        for number in [1].into_iter().chain(near).chain([last]) {
            let before = links.last().map_or(0, |link| link.number);
            if number > before {
                links.push(PageLink {
                    number,
                    url: self.url_of(number),
                    is_current: number == self.page,
                    follows_gap: number > before + 1,
                });
            }
        }
        links
    }

    /// The rows shown, as «21–40 of 93».
    pub fn range(&self) -> String {
        let first = (self.page.max(1) - 1) * self.per_page + 1;
        let last = (self.page.max(1) * self.per_page).min(self.total);
        if first > last {
            format!("0 of {}", self.total)
        } else {
            format!("{first}–{last} of {}", self.total)
        }
    }
}
