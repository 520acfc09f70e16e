//! What a list of merge requests on a page is asked for, by its address.

use crate::model::{State, YesNo};
use crate::store::filter::{Filter, Marks};
use crate::store::list::{OrderBy, Sorting};
use kernel::html::ui::Choice;
use kernel::http::params::Text;
use planning::pages::narrowed::{self, Narrowed, StateTab};

kernel::choices! {
    /// The tabs of a list.
    #[derive(Default)]
    pub enum RequestTab {
        #[default]
        Opened = "opened",
        Merged = "merged",
        Closed = "closed",
        All = "all",
    }
}

kernel::choices! {
    #[derive(Default)]
    pub enum Sort {
        #[default]
        Newest = "created_desc",
        Oldest = "created_asc",
        Updated = "updated_desc",
        Merged = "merged_at_desc",
        Due = "milestone_due_asc",
        Priority = "priority",
        Popular = "popularity_desc",
        Title = "title_asc",
    }
}

const SORTS: &[(&str, &str)] = &[
    ("created_desc", "Newest first"),
    ("created_asc", "Oldest first"),
    ("updated_desc", "Recently updated"),
    ("merged_at_desc", "Recently merged"),
    ("milestone_due_asc", "Milestone due soonest"),
    ("priority", "Priority of labels"),
    ("popularity_desc", "Most votes"),
    ("title_asc", "Title"),
];

pub fn sorts() -> Vec<Choice> {
    Choice::list(SORTS)
}

kernel::params! {
    /// What a list of merge requests is narrowed to; empty texts narrow nothing.
    #[derive(Default)]
    pub struct ListPage {
        /// In title or description.
        pub search: Text,
        pub state: Option<RequestTab>,
        /// Titles of labels, told apart by commas; all must be there.
        pub labels: Text,
        /// Title of a milestone.
        pub milestone: Text,
        /// Login of the author.
        pub author: Text,
        /// Login of somebody assigned.
        pub assignee: Text,
        /// Login of somebody who reviews.
        pub reviewer: Text,
        pub source_branch: Text,
        pub target_branch: Text,
        pub draft: Option<YesNo>,
        /// Somebody approved it.
        pub approved: Option<YesNo>,
        pub sort: Option<Sort>,
    }
}

impl StateTab for RequestTab {
    fn text(self) -> &'static str {
        self.as_str()
    }

    fn label(self) -> &'static str {
        match self {
            RequestTab::Opened => "Open",
            RequestTab::Merged => "Merged",
            RequestTab::Closed => "Closed",
            RequestTab::All => "All",
        }
    }
}

impl ListPage {
    pub fn narrowed(&self) -> Narrowed<'_, RequestTab> {
        let said = |choice: Option<YesNo>| choice.map_or("", YesNo::as_str);
        Narrowed {
            marks: vec![
                ("search", "Search", &self.search),
                ("labels", "Label", &self.labels),
                ("milestone", "Milestone", &self.milestone),
                ("author", "Author", &self.author),
                ("assignee", "Assignee", &self.assignee),
                ("reviewer", "Reviewer", &self.reviewer),
                ("source_branch", "Source branch", &self.source_branch),
                ("target_branch", "Target branch", &self.target_branch),
                ("draft", "Draft", said(self.draft)),
                ("approved", "Approved", said(self.approved)),
            ],
            state: self.state.unwrap_or_default(),
            sort: self.sort.map(Sort::as_str),
        }
    }

    pub fn sort(&self) -> Sort {
        self.sort.unwrap_or_default()
    }

    /// What a filter by yes and no offers.
    pub fn yes_or_no(&self) -> Vec<Choice> {
        Choice::list(&[("", "Both"), ("yes", "Yes"), ("no", "No")])
    }

    pub fn draft_text(&self) -> &'static str {
        self.draft.map_or("", YesNo::as_str)
    }

    pub fn approved_text(&self) -> &'static str {
        self.approved.map_or("", YesNo::as_str)
    }
}

pub fn filter(shown: &ListPage) -> Filter {
    let is_yes = |choice: Option<YesNo>| choice.map(|choice| choice == YesNo::Yes);
    let ListPage { labels, milestone, author, assignee, .. } = shown;
    Filter {
        state: State::from_text(shown.state.unwrap_or_default().as_str()),
        search: narrowed::text(&shown.search),
        is: Marks {
            alike: narrowed::alike(labels, milestone, author, assignee),
            reviewer_username: narrowed::name(&shown.reviewer),
            ..Marks::default()
        },
        source_branch: narrowed::text(&shown.source_branch),
        target_branch: narrowed::text(&shown.target_branch),
        draft: is_yes(shown.draft),
        approved: is_yes(shown.approved),
        ..Filter::default()
    }
}

pub fn sorting(shown: &ListPage) -> Sorting {
    let (by, descending) = match shown.sort() {
        Sort::Newest => (OrderBy::CreatedAt, true),
        Sort::Oldest => (OrderBy::CreatedAt, false),
        Sort::Updated => (OrderBy::UpdatedAt, true),
        Sort::Merged => (OrderBy::MergedAt, true),
        Sort::Due => (OrderBy::MilestoneDue, false),
        Sort::Priority => (OrderBy::Priority, false),
        Sort::Popular => (OrderBy::Popularity, true),
        Sort::Title => (OrderBy::Title, false),
    };
    Sorting { by, descending }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_keep_what_narrows_a_list() {
        let shown = ListPage {
            search: Text("door".into()),
            labels: Text("bug, iron".into()),
            target_branch: Text("main".into()),
            draft: Some(YesNo::No),
            ..ListPage::default()
        };
        let all = "search=door&labels=bug%2C+iron&target_branch=main&draft=no";
        let narrowed = shown.narrowed();
        assert_eq!(narrowed.query(RequestTab::Opened, None), all);
        let merged = narrowed.query(RequestTab::Merged, Some(("draft", "no")));
        assert_eq!(merged, "search=door&labels=bug%2C+iron&target_branch=main&state=merged");
        assert!(narrowed.narrows() && narrowed.filters() == 3);
        let filter = filter(&shown);
        assert_eq!((filter.state, filter.draft), (Some(State::Opened), Some(false)));
        let all = ListPage { state: Some(RequestTab::All), ..ListPage::default() };
        assert_eq!(super::filter(&all).state, None);
    }
}
