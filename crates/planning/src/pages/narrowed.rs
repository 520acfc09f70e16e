//! What narrows a list: its query in an address, and the chips that take it away.

use super::{authorized, shown_color, words};
use crate::store::issues::filter::Has;
use crate::store::labels as stored;
use crate::store::listed::Alike;
use kernel::error::Result;
use kernel::html::Pages;
use kernel::html::ui::{Chip, Tab};
use kernel::http::Paging;
use kernel::http::paging::COUNT_LIMIT;
use spaces::pages::Space;
use std::collections::HashMap;
use store::Tx;

kernel::choices! {
    /// The tabs of a list.
    #[derive(Default)]
    pub enum ListTab {
        #[default]
        Opened = "opened",
        Closed = "closed",
        All = "all",
    }
}

/// The tabs of a list, the first of them as long as none is chosen.
pub trait StateTab: Copy + Default + PartialEq {
    /// As an address says it.
    fn text(self) -> &'static str;

    /// As people read it.
    fn label(self) -> &'static str;
}

impl StateTab for ListTab {
    fn text(self) -> &'static str {
        self.as_str()
    }

    fn label(self) -> &'static str {
        match self {
            ListTab::Opened => "Open",
            ListTab::Closed => "Closed",
            ListTab::All => "All",
        }
    }
}

/// How many things stand in each tab.
pub fn by_tab(opened: i64, closed: i64) -> [(ListTab, i64); 3] {
    [
        (ListTab::Opened, opened),
        (ListTab::Closed, closed),
        (ListTab::All, opened + closed),
    ]
}

/// The address of a list, which may have a query already, with more of one.
pub fn at(url: &str, query: &str) -> String {
    match (url.contains('?'), query) {
        (_, "") => url.to_owned(),
        (true, query) => format!("{url}&{query}"),
        (false, query) => format!("{url}?{query}"),
    }
}

/// What was typed into a field, if anything.
pub fn text(typed: &str) -> Option<String> {
    Some(typed.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The login of somebody, as texts name people or alone.
pub fn name(typed: &str) -> Option<String> {
    text(typed.trim().trim_start_matches('@'))
}

/// Titles of labels, told apart by commas.
pub fn labels(typed: &str) -> Option<Has<Vec<String>>> {
    Some(words(typed)).filter(|titles| !titles.is_empty()).map(Has::This)
}

/// What fields of these say that things of a list are like.
pub fn alike(titles: &str, milestone: &str, author: &str, assignee: &str) -> Alike {
    Alike {
        labels: labels(titles),
        milestone: text(milestone).map(|title| Has::This(vec![title])),
        author_username: name(author),
        assignee_usernames: name(assignee).into_iter().collect(),
        ..Alike::default()
    }
}

/// A list as its address asks for it.
pub struct Narrowed<'n, T = ListTab> {
    /// What narrows it: a parameter, its name for people, its value. The search
    /// comes first; the others stand in the filter's own fields.
    pub marks: Vec<(&'static str, &'static str, &'n str)>,
    pub state: T,
    pub sort: Option<&'static str>,
}

/// What stands around the rows of a list.
#[derive(Debug)]
pub struct Frame<T = ListTab> {
    /// The list without what narrows it.
    pub url: String,
    pub state: T,
    pub tabs: Vec<Tab>,
    pub chips: Vec<Chip>,
    /// It hides things beyond their state.
    pub is_filtered: bool,
    pub pages: Pages,
}

impl<T: StateTab> Narrowed<'_, T> {
    /// The list at this address, with how many things stand in each tab.
    pub fn frame(
        &self, url: String, counts: &[(T, i64)], colors: &HashMap<String, String>, paging: &Paging,
    ) -> Frame<T> {
        let to = |state: T| at(&url, &self.query(state, None));
        let tab = |(one, count): &(T, i64)| {
            let tab = Tab::new(one.label(), to(*one), *one == self.state);
            tab.count_to(count.unsigned_abs(), COUNT_LIMIT.unsigned_abs())
        };
        let total = counts.iter().find(|(one, _)| *one == self.state).map_or(0, |(_, n)| *n);
        Frame {
            state: self.state,
            tabs: counts.iter().map(tab).collect(),
            chips: self.chips(&url, colors),
            is_filtered: self.narrows(),
            pages: Pages::of(paging, total, to(self.state)),
            url,
        }
    }

    /// Whether they hide things beyond their state.
    pub fn narrows(&self) -> bool {
        self.marks.iter().any(|(.., value)| !value.trim().is_empty())
    }

    /// How many of them stand in the filter's own fields.
    pub fn filters(&self) -> usize {
        self.marks[1..].iter().filter(|(.., value)| !value.trim().is_empty()).count()
    }

    /// The list's query of one tab, without one of what narrows it: a
    /// parameter, and of several values in it the one.
    pub fn query(&self, state: T, without: Option<(&str, &str)>) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, _, value) in &self.marks {
            let kept: Vec<String> = match without {
                Some((gone, one)) if gone == *name => {
                    words(value).into_iter().filter(|word| word != one).collect()
                }
                _ => vec![value.trim().to_owned()],
            };
            let kept = kept.join(",");
            if !kept.is_empty() {
                query.append_pair(name, &kept);
            }
        }
        if state != T::default() {
            query.append_pair("state", state.text());
        }
        if let Some(sort) = self.sort {
            query.append_pair("sort", sort);
        }
        query.finish()
    }

    /// What narrows the list, each with the list without it.
    pub fn chips(&self, url: &str, colors: &HashMap<String, String>) -> Vec<Chip> {
        let mut chips = Vec::new();
        for (name, label, value) in &self.marks {
            let values = match *name {
                "labels" => words(value),
                _ => vec![value.trim().to_owned()],
            };
            for one in values.iter().filter(|one| !one.is_empty()) {
                let without = if *name == "labels" { one.as_str() } else { value };
                let query = self.query(self.state, Some((name, without)));
                let chip = Chip::new(format!("{label}: {one}"), at(url, &query));
                let color = colors.get(one).filter(|_| *name == "labels");
                chips.push(chip.color(color.cloned()));
            }
        }
        chips
    }
}

/// The colours of the labels that narrow a list, by title.
pub fn colors(tx: &mut Tx<'_>, space: &Space, titles: &str) -> Result<HashMap<String, String>> {
    let titles = words(titles);
    if titles.is_empty() {
        return Ok(HashMap::new());
    }
    let found = stored::ids_of(tx, &authorized(space).parent, &titles, &[])?;
    let ids: Vec<i64> = found.into_iter().map(|(id, _)| id).collect();
    let found = stored::by_ids(tx, &ids)?;
    let colors = found.into_iter().map(|label| (label.title, shown_color(&label.color)));
    Ok(colors.collect())
}
