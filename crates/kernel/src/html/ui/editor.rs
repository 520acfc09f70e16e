//! A text in Markdown: a plain area, which the script gives a toolbar, a
//! preview, completion, and files by paste and drop.

use super::fields::{Field, area};
use askama::Template;
use askama::filters::HtmlSafe;
use std::borrow::Borrow;
use std::fmt::Display;

/// Rows of the empty area.
const ROWS: u8 = 6;
/// Rows of one for a whole file.
const TALL: u8 = 24;

/// A text in Markdown with its label.
#[derive(Debug, Template)]
#[template(path = "ui/editor.html")]
pub struct Editor {
    field: Field,
    space: String,
    is_brief: bool,
}

/// A text in Markdown; the control's id is `f-<name>`.
pub fn editor(name: impl Display, label: impl Display, value: impl Display) -> Editor {
    let field = Field { rows: ROWS, ..area(name, label, value) };
    Editor { field, space: String::new(), is_brief: false }
}

impl Editor {
    /// The project or group that it is written in, by the address of any of its
    /// pages: preview, files and names belong to it.
    pub fn at(mut self, url: impl Display) -> Editor {
        self.space = space_of(url);
        self
    }

    /// Without the way to files for browsers that run no script, which another
    /// editor of the page shows.
    pub fn brief(self, is_brief: impl Borrow<bool>) -> Editor {
        Editor { is_brief: *is_brief.borrow(), ..self }
    }

    /// With room for a whole file.
    pub fn tall(self) -> Editor {
        Editor { field: Field { rows: TALL, ..self.field }, ..self }
    }

    /// [`Field::of`].
    pub fn of(self, form: impl Display) -> Editor {
        Editor { field: self.field.of(form), ..self }
    }

    /// [`Field::hint`].
    pub fn hint(self, text: impl Display) -> Editor {
        Editor { field: self.field.hint(text), ..self }
    }

    /// [`Field::error`].
    pub fn error(self, text: impl Display) -> Editor {
        Editor { field: self.field.error(text), ..self }
    }

    /// [`Field::required`].
    pub fn required(self) -> Editor {
        Editor { field: self.field.required(), ..self }
    }
}

impl HtmlSafe for Editor {}

/// The address of the project or group that a page belongs to.
pub(super) fn space_of(url: impl Display) -> String {
    let url = url.to_string();
    url.split("/-/").next().unwrap_or_default().to_owned()
}
