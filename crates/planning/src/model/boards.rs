//! Boards, as rows, and their columns.

use super::Label;
use std::fmt;
use std::str::FromStr;
use store::FromRow;

/// What a board is called unless somebody names it.
pub const DEFAULT_NAME: &str = "Development";
/// Boards of one project or group.
pub const MOST_BOARDS: i64 = 50;
/// Columns of a board, one for a label each.
pub const MOST_LISTS: usize = 30;
/// Characters of a board's name.
pub const MAX_NAME: usize = 255;

#[derive(Debug, Clone, Default, FromRow)]
#[columns("boards")]
pub struct Board {
    pub id: i64,
    pub project_id: Option<i64>,
    pub group_id: Option<i64>,
    pub name: String,
    /// Open issues of no other column are not shown.
    pub hide_backlog_list: bool,
    pub hide_closed_list: bool,
}

/// A column for a label, as it is stored.
#[derive(Debug, Clone, FromRow)]
#[columns("board_lists")]
pub struct StoredList {
    pub id: i64,
    pub board_id: i64,
    pub label_id: i64,
}

/// A column for a label.
#[derive(Debug, Clone)]
pub struct List {
    pub id: i64,
    /// From the left, beginning with 0.
    pub position: i64,
    pub label: Label,
}

/// A column, as addresses and forms name it: `open`, `closed`, or the id of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    Open,
    List(i64),
    Closed,
}

impl Key {
    /// A number that no other column of a board has.
    pub fn number(self) -> i64 {
        match self {
            Key::Open => 0,
            Key::List(id) => id,
            Key::Closed => -1,
        }
    }
}

impl FromStr for Key {
    type Err = ();

    fn from_str(text: &str) -> Result<Key, ()> {
        match text {
            "open" => Ok(Key::Open),
            "closed" => Ok(Key::Closed),
            id => id.parse().ok().filter(|id| *id > 0).map(Key::List).ok_or(()),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Open => f.write_str("open"),
            Key::List(id) => write!(f, "{id}"),
            Key::Closed => f.write_str("closed"),
        }
    }
}

/// A board with its columns.
#[derive(Debug, Clone)]
pub struct Columns {
    pub board: Board,
    pub lists: Vec<List>,
}

impl Columns {
    /// The columns that are shown, from the left.
    pub fn keys(&self) -> Vec<Key> {
        let open = (!self.board.hide_backlog_list).then_some(Key::Open);
        let closed = (!self.board.hide_closed_list).then_some(Key::Closed);
        let lists = self.lists.iter().map(|list| Key::List(list.id));
        open.into_iter().chain(lists).chain(closed).collect()
    }

    pub fn list(&self, id: i64) -> Option<&List> {
        self.lists.iter().find(|list| list.id == id)
    }

    /// The label of a column that has one.
    pub fn label(&self, key: Key) -> Option<&Label> {
        match key {
            Key::List(id) => self.list(id).map(|list| &list.label),
            Key::Open | Key::Closed => None,
        }
    }

    pub fn labels(&self) -> Vec<i64> {
        self.lists.iter().map(|list| list.label.id).collect()
    }

    /// What a column is called.
    pub fn title(&self, key: Key) -> &str {
        match key {
            Key::Open => "Open",
            Key::Closed => "Closed",
            Key::List(_) => self.label(key).map_or("", |label| label.title.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named() {
        for (text, key) in [("open", Key::Open), ("12", Key::List(12)), ("closed", Key::Closed)] {
            assert_eq!(text.parse(), Ok(key));
            assert_eq!(key.to_string(), text);
        }
        for wrong in ["", "0", "-1", "Open", "1.5", "99999999999999999999"] {
            assert_eq!(wrong.parse::<Key>(), Err(()), "{wrong}");
        }
    }

    #[test]
    fn columns_that_are_hidden_are_left_out() {
        let list = |id| List { id, position: 0, label: Label::default() };
        let mut columns = Columns { board: Board::default(), lists: vec![list(7), list(5)] };
        assert_eq!(columns.keys(), [Key::Open, Key::List(7), Key::List(5), Key::Closed]);
        columns.board.hide_backlog_list = true;
        columns.board.hide_closed_list = true;
        assert_eq!(columns.keys(), [Key::List(7), Key::List(5)]);
    }
}
