//! Form fields: label, control, hint and error tied together for everyone.

use askama::Template;
use askama::filters::HtmlSafe;
use std::borrow::Borrow;
use std::fmt::Display;

/// The hidden field every form that changes something carries.
pub fn csrf(token: impl Display) -> Hidden {
    hidden("authenticity_token", token)
}

/// A hidden field.
pub fn hidden(name: impl Display, value: impl Display) -> Hidden {
    Hidden { name: name.to_string(), value: value.to_string() }
}

/// A hidden field.
#[derive(Debug, Template)]
#[template(
    source = r#"<input type="hidden" name="{{ name }}" value="{{ value }}">"#,
    ext = "html"
)]
pub struct Hidden {
    name: String,
    value: String,
}

impl HtmlSafe for Hidden {}

/// A text-like control with its label.
#[derive(Debug, Template)]
#[template(path = "ui/field.html")]
pub struct Field {
    pub(super) name: String,
    pub(super) id: String,
    pub(super) label: String,
    pub(super) value: String,
    pub(super) kind: &'static str,
    pub(super) rows: u8,
    pub(super) hint: String,
    pub(super) error: String,
    pub(super) placeholder: String,
    pub(super) autocomplete: String,
    pub(super) list: String,
    pub(super) required: bool,
    pub(super) read_only: bool,
    pub(super) is_first: bool,
}

/// One line of text; the control's id is `f-<name>`.
pub fn input(name: impl Display, label: impl Display, value: impl Display) -> Field {
    Field {
        name: name.to_string(),
        id: name.to_string(),
        label: label.to_string(),
        value: value.to_string(),
        kind: "text",
        rows: 0,
        hint: String::new(),
        error: String::new(),
        placeholder: String::new(),
        autocomplete: "off".into(),
        list: String::new(),
        required: false,
        read_only: false,
        is_first: false,
    }
}

/// Several lines of text.
pub fn area(name: impl Display, label: impl Display, value: impl Display) -> Field {
    Field { rows: 4, ..input(name, label, value) }
}

impl Field {
    /// Sets the control apart from those of its name in the page's other forms:
    /// its id is `f-<name>-<form>`. An empty text is the one form without.
    pub fn of(mut self, form: impl Display) -> Field {
        let form = form.to_string();
        if !form.is_empty() {
            self.id = format!("{}-{form}", self.name);
        }
        self
    }

    /// Another kind of control: `password`, `email`, `date`, `number`, `search`.
    pub fn kind(mut self, kind: &'static str) -> Field {
        self.kind = kind;
        self
    }

    /// One sentence of help below the control.
    pub fn hint(mut self, text: impl Display) -> Field {
        self.hint = text.to_string();
        self
    }

    /// What is wrong; an empty text is no error.
    pub fn error(mut self, text: impl Display) -> Field {
        self.error = text.to_string();
        self
    }

    /// An example inside the empty control; never the only explanation.
    pub fn placeholder(mut self, text: impl Display) -> Field {
        self.placeholder = text.to_string();
        self
    }

    /// What the browser may fill in (`username`, `current-password`).
    pub fn autocomplete(mut self, what: impl Display) -> Field {
        self.autocomplete = what.to_string();
        self
    }

    /// Suggests what the `datalist` of this id holds.
    pub fn suggests(mut self, id: impl Display) -> Field {
        self.list = id.to_string();
        self
    }

    /// The browser asks for it before sending.
    pub fn required(mut self) -> Field {
        self.required = true;
        self
    }

    /// Shown, sent, not to be changed.
    pub fn read_only(mut self) -> Field {
        self.read_only = true;
        self
    }

    /// Has the focus once the page is there: what somebody came for.
    pub fn first(mut self, is_first: impl Borrow<bool>) -> Field {
        self.is_first = *is_first.borrow();
        self
    }
}

impl HtmlSafe for Field {}

/// One entry of a select.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// What is sent.
    pub value: String,
    /// What is shown.
    pub label: String,
}

impl Choice {
    /// Choices from pairs of value and label.
    pub fn list(pairs: &[(&str, &str)]) -> Vec<Choice> {
        let one = |(value, label): &(&str, &str)| Choice {
            value: (*value).into(),
            label: (*label).into(),
        };
        pairs.iter().map(one).collect()
    }
}

/// One of several choices.
#[derive(Debug, Template)]
#[template(path = "ui/select.html")]
pub struct Select {
    name: String,
    id: String,
    label: String,
    options: Vec<Choice>,
    chosen: String,
    hint: String,
    error: String,
}

/// One of several choices; the control's id is `f-<name>`.
pub fn select(
    name: impl Display, label: impl Display, options: impl AsRef<[Choice]>, chosen: impl Display,
) -> Select {
    Select {
        name: name.to_string(),
        id: name.to_string(),
        label: label.to_string(),
        options: options.as_ref().to_vec(),
        chosen: chosen.to_string(),
        hint: String::new(),
        error: String::new(),
    }
}

impl Select {
    /// Sets the control apart from those of its name in the page's other forms,
    /// as [`Field::of`] does.
    pub fn of(mut self, form: impl Display) -> Select {
        let form = form.to_string();
        if !form.is_empty() {
            self.id = format!("{}-{form}", self.name);
        }
        self
    }

    /// One sentence of help below the control.
    pub fn hint(mut self, text: impl Display) -> Select {
        self.hint = text.to_string();
        self
    }

    /// What is wrong; an empty text is no error.
    pub fn error(mut self, text: impl Display) -> Select {
        self.error = text.to_string();
        self
    }
}

impl HtmlSafe for Select {}

/// Yes or no.
#[derive(Debug, Template)]
#[template(path = "ui/checkbox.html")]
pub struct Checkbox {
    id: String,
    name: String,
    label: String,
    value: String,
    checked: bool,
    hint: String,
}

/// Yes or no, sent as `1` or not at all.
pub fn checkbox(name: impl Display, label: impl Display, checked: impl Borrow<bool>) -> Checkbox {
    Checkbox {
        id: format!("f-{name}"),
        name: name.to_string(),
        label: label.to_string(),
        value: "1".into(),
        checked: *checked.borrow(),
        hint: String::new(),
    }
}

impl Checkbox {
    /// Sets the control apart from those of its name in the page's other forms,
    /// as [`Field::of`] does.
    pub fn of(mut self, form: impl Display) -> Checkbox {
        self.id = format!("f-{}-{form}", self.name);
        self
    }

    /// Another value, for several boxes of one name (`scopes[]`).
    pub fn value(mut self, value: impl Display) -> Checkbox {
        self.value = value.to_string();
        self.id = format!("f-{}-{}", self.name.trim_end_matches("[]"), self.value);
        self
    }

    /// One sentence of help beside the label.
    pub fn hint(mut self, text: impl Display) -> Checkbox {
        self.hint = text.to_string();
        self
    }
}

impl HtmlSafe for Checkbox {}
