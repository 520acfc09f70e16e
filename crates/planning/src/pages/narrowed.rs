//! What narrows a list: its query in an address, and the chips that take it away.

use super::words;
use kernel::html::ui::Chip;
use std::collections::HashMap;

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

impl ListTab {
    pub fn label(self) -> &'static str {
        match self {
            ListTab::Opened => "Open",
            ListTab::Closed => "Closed",
            ListTab::All => "All",
        }
    }
}

/// The address of a list, which may have a query already, with more of one.
pub fn at(url: &str, query: &str) -> String {
    match (url.contains('?'), query) {
        (_, "") => url.to_owned(),
        (true, query) => format!("{url}&{query}"),
        (false, query) => format!("{url}?{query}"),
    }
}

/// A list as its address asks for it.
pub struct Narrowed<'n> {
    /// What narrows it: a parameter, its name for people, its value. The search
    /// comes first; the others stand in the filter's own fields.
    pub marks: Vec<(&'static str, &'static str, &'n str)>,
    pub state: ListTab,
    pub sort: Option<&'static str>,
}

impl Narrowed<'_> {
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
    pub fn query(&self, state: ListTab, without: Option<(&str, &str)>) -> String {
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
        if state != ListTab::default() {
            query.append_pair("state", state.as_str());
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
