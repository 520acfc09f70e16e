//! What the forms of epics send, and what is asked of their pages.

use crate::model::LinkType;
use crate::model::epics::DEFAULT_COLOR;
use crate::pages::narrowed::{ListTab, Narrowed};
use crate::pages::notes::StoryQuery;
use crate::pages::talk::TalkForms;
use kernel::html::ui::Choice;
use kernel::http::Flat;
use kernel::http::params::Text;

kernel::params! {
    /// What a list of epics is narrowed to; empty texts narrow nothing.
    pub struct EpicsPage {
        /// In title or description.
        pub search: Text,
        pub state: Option<ListTab>,
        /// Titles of labels, told apart by commas; all must be there.
        pub labels: Text,
        /// Login of the author.
        pub author: Text,
        /// Who sees them: `confidential` ones or `open` ones.
        pub seen: Option<SeenBy>,
        pub sort: Option<EpicSort>,
    }
}

kernel::choices! {
    pub enum SeenBy {
        Reporters = "confidential",
        Everyone = "open",
    }
}

kernel::choices! {
    #[derive(Default)]
    pub enum EpicSort {
        #[default]
        Newest = "created_desc",
        Oldest = "created_asc",
        Updated = "updated_desc",
        Title = "title_asc",
    }
}

impl EpicsPage {
    pub fn narrowed(&self) -> Narrowed<'_> {
        Narrowed {
            marks: vec![
                ("search", "Search", &self.search),
                ("labels", "Label", &self.labels),
                ("author", "Author", &self.author),
                ("seen", "Access", self.seen()),
            ],
            state: self.state.unwrap_or_default(),
            sort: self.sort.map(EpicSort::as_str),
        }
    }

    pub fn seen(&self) -> &'static str {
        self.seen.map(SeenBy::as_str).unwrap_or_default()
    }

    pub fn sort(&self) -> EpicSort {
        self.sort.unwrap_or_default()
    }
}

kernel::params! {
    /// The form, as it is opened and as it is sent.
    #[derive(Default)]
    pub struct EpicTexts {
        pub title: Text,
        pub description: Text,
        /// Titles of labels, told apart by commas.
        pub labels: Text,
        pub color: Text,
        /// The epic above it, as texts name it.
        pub parent: Text,
        /// Days; blank ones come from what is in the epic.
        pub start_date: Text,
        pub due_date: Text,
        pub confidential: Option<bool>,
    }
}

impl EpicTexts {
    /// What stands in the field of the colour.
    pub fn shown_color(&self) -> &str {
        match self.color.is_empty() {
            true => DEFAULT_COLOR,
            false => &self.color,
        }
    }
}

kernel::params! {
    /// What of an epic is shown.
    #[derive(Default)]
    pub struct Asked {
        pub story: Flat<StoryQuery>,
        /// All that stands right below it, and not its beginning.
        pub all: Option<bool>,
    }
}

/// What was typed on the page and refused.
#[derive(Default)]
pub struct EpicForms {
    pub talk: TalkForms,
    pub field: Option<FieldForm>,
    pub below: Option<TreeForm>,
    pub link: Option<LinkForm>,
}

kernel::choices! {
    #[derive(Default)]
    pub enum Deed {
        /// Makes an epic below this one.
        #[default]
        New = "new",
        /// Puts an epic that is there below this one.
        Epic = "epic",
        Issue = "issue",
        Up = "up",
        Down = "down",
        /// Puts something before or after something.
        Place = "place",
        Remove = "remove",
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct TreeForm {
        pub deed: Deed,
        /// Of a new epic.
        pub title: Text,
        /// An epic, as texts name it.
        pub epic: Text,
        /// An issue, as texts name it.
        pub issue: Text,
        /// Id of the epic that it stands right below.
        pub parent: Option<i64>,
        /// What is moved or taken out: the id of an epic, or else
        pub child: Option<i64>,
        /// that of an issue's place.
        pub place: Option<i64>,
        /// The same of what it comes after.
        pub after: Option<i64>,
        /// Or before.
        pub before: Option<i64>,
        /// A script moves it, and needs no message.
        pub quiet: Option<bool>,
    }
}

impl TreeForm {
    /// Whether one of the forms that add something is shown again.
    pub fn is_open(&self, deed: &str) -> bool {
        let typed = match self.deed {
            Deed::New => &self.title,
            Deed::Epic => &self.epic,
            Deed::Issue => &self.issue,
            _ => return false,
        };
        self.deed.as_str() == deed && (!typed.is_empty() || self.quiet == Some(false))
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct LinkForm {
        /// The other one, as texts name it.
        pub epic: Text,
        /// What this one is to it.
        pub link_type: Option<LinkType>,
        /// Id of the link that is to go; else one is made.
        pub link_id: Option<i64>,
        /// It was refused.
        pub again: Option<bool>,
    }
}

impl LinkForm {
    pub fn is_open(&self) -> bool {
        self.again.unwrap_or(false)
    }

    pub fn kinds(&self) -> Vec<Choice> {
        Choice::list(&[
            ("relates_to", "Relates to"),
            ("blocks", "Blocks"),
            ("is_blocked_by", "Is blocked by"),
        ])
    }

    pub fn kind(&self) -> String {
        self.link_type.unwrap_or(LinkType::RelatesTo).to_string()
    }
}

kernel::choices! {
    pub enum Action {
        Close = "close",
        Reopen = "reopen",
        Delete = "delete",
        Subscribe = "subscribe",
        Unsubscribe = "unsubscribe",
        Todo = "todo",
        Award = "award",
        Labels = "labels",
        Color = "color",
        Parent = "parent",
        Start = "start",
        Due = "due",
        Confidential = "confidential",
        OpenToAll = "open_to_all",
    }
}

kernel::params! {
    pub struct FieldForm {
        pub action: Action,
        /// Of a reaction.
        pub name: Option<String>,
        /// Titles of labels, told apart by commas.
        pub labels: Text,
        pub color: Text,
        /// An epic, as texts name it.
        pub parent: Text,
        /// Where a day comes from: `fixed` or `inherited`.
        pub from: Text,
        pub start_date: Text,
        pub due_date: Text,
    }
}

impl FieldForm {
    /// The field it is about, with what was typed there.
    pub fn typed(&self) -> Option<(&'static str, String)> {
        let (field, text) = match self.action {
            Action::Labels => ("labels", &self.labels),
            Action::Color => ("color", &self.color),
            Action::Parent => ("parent", &self.parent),
            Action::Start => ("start_date", &self.start_date),
            Action::Due => ("due_date", &self.due_date),
            _ => return None,
        };
        Some((field, text.to_string()))
    }

    pub fn said(&self) -> &'static str {
        match self.action {
            Action::Close => "Epic closed.",
            Action::Reopen => "Epic reopened.",
            Action::Delete => "Epic deleted.",
            Action::Subscribe => "You are subscribed: news of this epic are mailed to you.",
            Action::Unsubscribe => "You are no longer subscribed.",
            Action::Todo => "The epic is in your to-do list.",
            Action::Award => "Your reaction is noted.",
            _ => "Epic updated.",
        }
    }
}
