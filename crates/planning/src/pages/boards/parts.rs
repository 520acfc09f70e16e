//! A board as a part of pages: columns of cards, moved by hand, by keys, or by a form
//! on each card.

use crate::model::boards::{Columns, Key};
use crate::model::{Issue, Label};
use crate::pages::notes::Person;
use crate::pages::views::IssueRow;
use crate::store::boards::cards::Count;
use askama::Template;
use askama::filters::HtmlSafe;
use kernel::html::Moment;
use kernel::html::ui::{self, Choice};
use kernel::http::paging::COUNT_LIMIT;
use kernel::time::{Timestamp, date_of};

/// Columns of cards.
#[derive(Debug, Template)]
#[template(path = "ui/board.html")]
pub struct Board {
    pub name: String,
    /// 0 if no row of it is there yet.
    pub id: i64,
    /// Where cards are moved, and issues made.
    pub move_url: String,
    pub add_url: String,
    /// The list of all issues on it.
    pub list_url: String,
    /// Where columns are changed, for who may.
    pub manage_url: Option<String>,
    /// Projects of a group that get new issues.
    pub projects: Vec<Choice>,
    pub csrf: String,
    pub columns: Vec<Column>,
}

impl HtmlSafe for Board {}

#[derive(Debug)]
pub struct Column {
    pub key: String,
    pub title: String,
    /// Of a column that has one.
    pub label: Option<Label>,
    /// What stands in addresses for its list.
    pub list_id: Option<i64>,
    /// Others stand at its left and right, among which it could be moved.
    pub neighbours: (bool, bool),
    pub cards: Vec<Card>,
    pub count: Count,
    /// The page with more of its cards.
    pub more: Option<String>,
    /// It has more cards than a board ever shows.
    pub is_cut: bool,
    pub may_add: bool,
}

#[derive(Debug)]
pub struct Card {
    pub row: IssueRow,
    pub may_move: bool,
}

impl Column {
    pub fn new(columns: &Columns, key: Key, cards: Vec<Card>, count: Count) -> Column {
        let list = match key {
            Key::List(id) => columns.list(id),
            Key::Open | Key::Closed => None,
        };
        let last = columns.lists.last().map(|list| list.id);
        Column {
            key: key.to_string(),
            title: columns.title(key).to_owned(),
            label: list.map(|list| list.label.clone()),
            list_id: list.map(|list| list.id),
            neighbours: list
                .map_or((false, false), |list| (list.position > 0, Some(list.id) != last)),
            cards,
            count,
            more: None,
            is_cut: false,
            may_add: false,
        }
    }

    /// How many cards it has.
    fn number(&self) -> String {
        number(self.count)
    }

    /// Its cards and their weight, for screen readers and who points at it.
    fn about(&self) -> String {
        about(self.count)
    }

    /// Labels of a card beside that of the column.
    fn labels<'c>(&self, card: &'c Card) -> Vec<&'c Label> {
        let own = self.label.as_ref().map(|label| label.id);
        card.row.labels.iter().filter(|label| Some(label.id) != own).collect()
    }
}

/// How many cards a column has.
pub fn number(count: Count) -> String {
    ui::up_to(count.cards.unsigned_abs(), COUNT_LIMIT.unsigned_abs())
}

/// The same in words, with their weight.
pub fn about(count: Count) -> String {
    let issues = match count.cards {
        1 => "1 issue".to_owned(),
        _ => format!("{} issues", number(count)),
    };
    match count.weight {
        0 => issues,
        weight => format!("{issues}, weight {weight}"),
    }
}

impl Board {
    /// Where a card may go.
    fn choices(&self) -> Vec<Choice> {
        let choice =
            |column: &Column| Choice { value: column.key.clone(), label: column.title.clone() };
        self.columns.iter().map(choice).collect()
    }

    /// Cards that the viewer moves are there.
    fn is_movable(&self) -> bool {
        self.columns.iter().any(|column| column.cards.iter().any(|card| card.may_move))
    }

    /// Where in a column a card may go.
    fn spots(&self) -> Vec<Choice> {
        Choice::list(&[
            ("top", "To the top"),
            ("bottom", "To the bottom"),
            ("up", "One up, in its column"),
            ("down", "One down, in its column"),
        ])
    }

    /// Of nothing that is planned, for the page that shows all parts.
    pub fn sample(now: Timestamp) -> Board {
        let label = Label {
            id: 1,
            title: "doing".into(),
            color: "#5cb85c".into(),
            ..Label::default()
        };
        let bug = Label {
            id: 2,
            title: "bug".into(),
            color: "#d9534f".into(),
            ..Label::default()
        };
        let card = |iid: i64, title: &str, labels: Vec<Label>| Card {
            row: IssueRow {
                issue: Issue {
                    id: iid,
                    iid,
                    title: title.into(),
                    due_on: (iid == 2).then(|| date_of(now)),
                    weight: (iid == 1).then_some(3),
                    project_path: "-/components#".into(),
                    ..Issue::default()
                },
                reference: format!("#{iid}"),
                list: "/-/components".into(),
                labels,
                milestone: (iid == 1).then(|| "v1.0".into()),
                assignees: Vec::new(),
                author: Person { name: "Mira Lindqvist".into(), login: "mira".into() },
                created_at: Moment::new(now, now),
            },
            may_move: true,
        };
        let column =
            |key: &str, title: &str, label: Option<Label>, cards: Vec<Card>, weight| Column {
                key: key.into(),
                title: title.into(),
                list_id: label.as_ref().map(|label| label.id),
                label,
                neighbours: (false, false),
                count: Count { cards: cards.len() as i64, weight },
                cards,
                more: None,
                is_cut: false,
                may_add: key != "closed",
            };
        let here = || "/-/components".to_owned();
        Board {
            name: "Sample".into(),
            id: 0,
            move_url: here(),
            add_url: here(),
            list_url: here(),
            manage_url: Some(here()),
            projects: Vec::new(),
            csrf: String::new(),
            columns: vec![
                column(
                    "open",
                    "Open",
                    None,
                    vec![
                        card(1, "A hinge squeaks when the door is opened slowly", vec![bug]),
                        card(2, "Temper the horn", Vec::new()),
                    ],
                    3,
                ),
                column("1", "doing", Some(label), vec![card(3, "Cast the mould", Vec::new())], 0),
                column("closed", "Closed", None, Vec::new(), 0),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_says_how_much_stands_in_it() {
        let count = |cards, weight| about(Count { cards, weight });
        assert_eq!(count(0, 0), "0 issues");
        assert_eq!(count(1, 0), "1 issue");
        assert_eq!(count(2, 5), "2 issues, weight 5");
        assert_eq!(count(COUNT_LIMIT + 1, 0), "10000+ issues");
    }

    #[test]
    fn texts_are_escaped() {
        let mut board = Board::sample(Timestamp::UNIX_EPOCH);
        board.columns[0].title = "<b>".into();
        board.columns[0].cards[0].row.issue.title = "<b>\"".into();
        let html = board.to_string();
        assert!(!html.contains("<b>"), "{html}");
    }
}
