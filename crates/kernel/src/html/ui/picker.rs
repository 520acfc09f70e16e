//! A field for names: a plain line of text, which the script completes and
//! shows as chips.

use super::editor::space_of;
use super::fields::{Field, input};
use askama::Template;
use askama::filters::HtmlSafe;
use std::fmt::Display;

/// A field for one name or several.
#[derive(Debug, Template)]
#[template(path = "ui/picker.html")]
pub struct Picker {
    field: Field,
    kind: &'static str,
    space: String,
    is_many: bool,
}

/// A field for one name of a kind that `/-/suggest` knows; the control's id is
/// `f-<name>`.
pub fn picker(
    name: impl Display, label: impl Display, kind: &'static str, value: impl Display,
) -> Picker {
    Picker {
        field: input(name, label, value),
        kind,
        space: String::new(),
        is_many: false,
    }
}

impl Picker {
    /// For several names, which are sent with commas between them.
    pub fn many(mut self) -> Picker {
        self.is_many = true;
        self
    }

    /// The project or group whose names are offered, by the address of any of
    /// its pages.
    pub fn at(mut self, url: impl Display) -> Picker {
        self.space = space_of(url);
        self
    }

    /// [`Field::of`].
    pub fn of(self, form: impl Display) -> Picker {
        Picker { field: self.field.of(form), ..self }
    }

    /// [`Field::hint`].
    pub fn hint(self, text: impl Display) -> Picker {
        Picker { field: self.field.hint(text), ..self }
    }

    /// [`Field::error`].
    pub fn error(self, text: impl Display) -> Picker {
        Picker { field: self.field.error(text), ..self }
    }

    /// [`Field::placeholder`].
    pub fn placeholder(self, text: impl Display) -> Picker {
        Picker { field: self.field.placeholder(text), ..self }
    }

    /// [`Field::required`].
    pub fn required(self) -> Picker {
        Picker { field: self.field.required(), ..self }
    }
}

impl HtmlSafe for Picker {}
