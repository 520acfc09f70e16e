//! Parts that show something: badges, tabs, pagers, sizes, confirmations.

use super::icons::{Icon, icon};
use crate::html::page::{Moment, Pages, Tone};
use crate::http::Paged;
use crate::http::paging::COUNT_LIMIT;
use crate::time::{Date, Timestamp};
use askama::Template;
use askama::filters::HtmlSafe;
use std::borrow::Borrow;
use std::fmt::{self, Display};

/// A short word in a coloured frame.
#[derive(Debug, Template)]
#[template(
    source = r#"<span class="badge {{ tone.class() }}">{% if let Some(icon) = icon %}{{ icon }}{% endif %}{{ text }}</span>"#,
    ext = "html"
)]
pub struct Badge {
    text: String,
    tone: Tone,
    icon: Option<Icon>,
}

impl HtmlSafe for Badge {}

/// A badge of any text; the tone is `plain`, `good`, `warn` or `bad`.
pub fn badge(text: impl Display, tone: &str) -> Badge {
    let tone = match tone {
        "good" => Tone::Good,
        "warn" => Tone::Warn,
        "bad" => Tone::Bad,
        _ => Tone::Plain,
    };
    Badge { text: text.to_string(), tone, icon: None }
}

/// Who may see a thing: `private`, `internal` or `public`.
pub fn visibility(level: impl Display) -> Badge {
    let level = level.to_string();
    let (text, picture) = match level.as_str() {
        "public" => ("Public", "globe"),
        "internal" => ("Internal", "shield"),
        _ => ("Private", "lock"),
    };
    Badge {
        text: text.into(),
        tone: Tone::Plain,
        icon: Some(icon(picture)),
    }
}

/// What a member is: `Owner`, `Maintainer` and so on.
pub fn role(name: impl Display) -> Badge {
    Badge {
        text: name.to_string(),
        tone: Tone::Plain,
        icon: Some(icon("user")),
    }
}

/// How a user, token, job or package stands; the word decides the colour.
pub fn state(word: impl Display) -> Badge {
    let word = word.to_string();
    let (tone, picture) = match word.as_str() {
        "active" | "default" | "finished" => (Tone::Good, "check"),
        "running" | "processing" => (Tone::Warn, "redo"),
        "queued" | "hidden" | "pending_destruction" | "deactivated" | "archived" => {
            (Tone::Plain, "clock")
        }
        "failed" | "error" | "blocked" | "banned" | "revoked" | "expired" => (Tone::Bad, "stop"),
        _ => (Tone::Warn, "warn"),
    };
    Badge {
        text: word.replace('_', " "),
        tone,
        icon: Some(icon(picture)),
    }
}

/// One tab.
#[derive(Debug, Clone, Default)]
pub struct Tab {
    /// Its text.
    pub label: String,
    /// Where it leads.
    pub url: String,
    /// How many things are behind it.
    pub count: Option<u64>,
    /// They are more than that.
    pub is_more: bool,
    /// It is the page shown.
    pub current: bool,
}

impl Tab {
    /// A tab without a count.
    pub fn new(label: &str, url: impl Into<String>, current: bool) -> Tab {
        Tab {
            label: label.into(),
            url: url.into(),
            current,
            ..Tab::default()
        }
    }

    /// With a count beside the text.
    pub fn count(mut self, count: u64) -> Tab {
        self.count = Some(count);
        self
    }

    /// With a count that was taken no further than this: «1000+».
    pub fn count_to(self, count: u64, most: u64) -> Tab {
        Tab { is_more: count > most, ..self.count(count.min(most)) }
    }
}

/// Links between the pages of one thing.
#[derive(Debug, Template)]
#[template(path = "ui/tabs.html")]
pub struct Tabs {
    label: String,
    tabs: Vec<Tab>,
}

/// Links between the pages of one thing; `label` names them for screen readers.
pub fn tabs(label: impl Display, tabs: impl AsRef<[Tab]>) -> Tabs {
    Tabs { label: label.to_string(), tabs: tabs.as_ref().to_vec() }
}

impl HtmlSafe for Tabs {}

/// What narrows a list, with the list without it.
#[derive(Debug, Clone)]
pub struct Chip {
    text: String,
    url: String,
    about: String,
    /// The colour of a label (`#d9534f`).
    color: Option<String>,
}

impl Chip {
    /// What it says, and where the list is without it.
    pub fn new(text: impl Into<String>, url: impl Into<String>) -> Chip {
        let text = text.into();
        Chip {
            about: format!("Remove {text}"),
            text,
            url: url.into(),
            color: None,
        }
    }

    /// What taking it away does, for screen readers.
    pub fn about(mut self, text: impl Into<String>) -> Chip {
        self.about = text.into();
        self
    }

    /// With the colour of the label that it names.
    pub fn color(self, color: Option<String>) -> Chip {
        Chip { color, ..self }
    }
}

/// What narrows a list.
#[derive(Debug, Template)]
#[template(path = "ui/chips.html")]
pub struct Chips {
    chips: Vec<Chip>,
    all: String,
}

impl HtmlSafe for Chips {}

/// What narrows a list, each taken away by its link; `all` is the list without
/// any.
pub fn chips(chips: impl AsRef<[Chip]>, all: impl Display) -> Chips {
    Chips { chips: chips.as_ref().to_vec(), all: all.to_string() }
}

/// Links to the pages of a list.
#[derive(Debug, Template)]
#[template(path = "ui/pager.html")]
pub struct Pager {
    pages: Pages,
}

/// Links to the pages of a list; nothing where one page holds all.
pub fn pager(pages: &Pages) -> Pager {
    Pager { pages: pages.clone() }
}

impl HtmlSafe for Pager {}

/// A value to take along.
#[derive(Debug, Template)]
#[template(path = "ui/copy.html")]
pub struct Copied {
    id: String,
    label: String,
    value: String,
    is_block: bool,
}

/// A read-only line with a button that copies it (the button needs the
/// script, the line can be selected without).
pub fn copy(id: impl Display, label: impl Display, value: impl Display) -> Copied {
    let value = value.to_string();
    let is_block = value.contains('\n');
    Copied {
        id: id.to_string(),
        label: label.to_string(),
        value,
        is_block,
    }
}

impl HtmlSafe for Copied {}

/// A dangerous button that asks first, without a script.
#[derive(Debug, Template)]
#[template(path = "ui/confirm.html")]
pub struct Confirm {
    action: String,
    csrf: String,
    label: String,
    question: String,
    fields: Vec<(String, String)>,
    is_quiet: bool,
}

/// A button that opens a question; only the button below it sends the form.
pub fn confirm(
    action: impl Display, csrf: impl Display, label: impl Display, question: impl Display,
) -> Confirm {
    Confirm {
        action: action.to_string(),
        csrf: csrf.to_string(),
        label: label.to_string(),
        question: question.to_string(),
        fields: Vec::new(),
        is_quiet: false,
    }
}

impl Confirm {
    /// Sends one more hidden value.
    pub fn field(mut self, name: impl Display, value: impl Display) -> Confirm {
        self.fields.push((name.to_string(), value.to_string()));
        self
    }

    /// Not dangerous, only worth a second thought.
    pub fn quiet(mut self) -> Confirm {
        self.is_quiet = true;
        self
    }
}

impl HtmlSafe for Confirm {}

/// How far something is.
#[derive(Debug, Template)]
#[template(path = "ui/progress.html")]
pub struct Progress {
    done: u64,
    total: u64,
    label: String,
}

/// How far something is; with a total of 0 only the label is shown.
pub fn progress(label: impl Display, done: impl Borrow<u64>, total: impl Borrow<u64>) -> Progress {
    Progress {
        done: *done.borrow(),
        total: *total.borrow(),
        label: label.to_string(),
    }
}

impl Progress {
    fn percent(&self) -> u64 {
        let share = u128::from(self.done.min(self.total)) * 100 / u128::from(self.total.max(1));
        u64::try_from(share).unwrap_or(100)
    }
}

impl HtmlSafe for Progress {}

/// What a list says when it has no rows.
#[derive(Debug, Template)]
#[template(path = "ui/empty.html")]
pub struct Empty {
    icon: Icon,
    title: String,
    text: String,
    action: Option<(String, String)>,
}

/// A friendly nothing: what is missing and what to do about it.
pub fn empty(picture: &str, title: impl Display, text: impl Display) -> Empty {
    let (title, text) = (title.to_string(), text.to_string());
    Empty { icon: icon(picture), title, text, action: None }
}

impl Empty {
    /// The one thing to do next.
    pub fn action(mut self, label: impl Display, url: impl Display) -> Empty {
        self.action = Some((label.to_string(), url.to_string()));
        self
    }
}

impl HtmlSafe for Empty {}

/// A size in binary units with at most one decimal (`1.5 MiB`).
pub fn bytes(size: impl Borrow<u64>) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    let size = *size.borrow();
    if size < 1024 {
        return format!("{size} B");
    }
    let mut tenths = u128::from(size) * 10 / 1024;
    let mut unit = 0;
    while tenths >= 10_240 && unit < UNITS.len() - 1 {
        tenths /= 1024;
        unit += 1;
    }
    let (whole, rest) = (tenths / 10, tenths % 10);
    if rest == 0 {
        format!("{whole} {}", UNITS[unit])
    } else {
        format!("{whole}.{rest} {}", UNITS[unit])
    }
}

/// An instant as people read it.
pub fn when(at: &Timestamp, now: &Timestamp) -> Moment {
    Moment::new(*at, *now)
}

/// A day of the calendar, written like the exact part of every [`Moment`].
#[derive(Debug)]
pub struct Day(Date);

/// A day of the calendar (`13 Dec 2026`).
pub fn day(day: &Date) -> Day {
    Day(*day)
}

/// The same of a day that is stored as a text (`2026-12-13`); nothing where that
/// is none.
pub fn day_of(text: impl AsRef<str>) -> Option<Day> {
    text.as_ref().parse().ok().map(Day)
}

impl Display for Day {
    // Digits and month names only: nothing to escape.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (iso, shown) = (self.0, self.0.strftime("%-d %b %Y"));
        write!(f, "<time datetime=\"{iso}\">{shown}</time>")
    }
}

impl HtmlSafe for Day {}

/// A number that was counted no further than this: «99+».
pub fn up_to(number: impl Borrow<u64>, most: u64) -> String {
    match *number.borrow() {
        number if number > most => format!("{most}+"),
        number => number.to_string(),
    }
}

/// How many rows a list has in all, as lists count them.
pub fn total<T>(list: &Paged<T>) -> String {
    up_to(list.counted(), COUNT_LIMIT.unsigned_abs())
}

/// A number with its noun (`1 project`, `2 projects`).
pub fn count(number: impl Borrow<u64>, noun: &str) -> String {
    let number = *number.borrow();
    match (number, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{number} {stem}ies"),
        _ => format!("{number} {noun}s"),
    }
}
