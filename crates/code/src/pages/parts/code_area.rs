//! Where the text of a file is written: lines are not broken, nothing is corrected.

use askama::Template;
use askama::filters::HtmlSafe;
use std::fmt::Display;

#[derive(Debug, Clone, Template)]
#[template(path = "ui/code_area.html")]
pub struct CodeArea {
    name: String,
    label: String,
    value: String,
}

impl HtmlSafe for CodeArea {}

/// A text of a file; the control's id is `f-<name>`.
pub fn code_area(name: impl Display, label: impl Display, value: &str) -> CodeArea {
    CodeArea {
        name: name.to_string(),
        label: label.to_string(),
        value: value.to_owned(),
    }
}
