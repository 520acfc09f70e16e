//! What a page says to who sent something.

use crate::html::page::{Flash, Tone};
use askama::Template;
use askama::filters::HtmlSafe;
use std::fmt::Display;

/// The message of the last form.
#[derive(Debug, Template)]
#[template(
    source = r#"<p class="flash {{ flash.tone.class() }}" role="{% if flash.tone == Tone::Bad %}alert{% else %}status{% endif %}">{{ flash.text }} <button class="icon-button" type="button" data-dismiss hidden aria-label="Dismiss">{{ super::icons::icon("close") }}</button></p>"#,
    ext = "html"
)]
pub struct Message {
    flash: Flash,
}

/// The message of the last form; the script lets it be put away.
pub fn message(flash: &Flash) -> Message {
    Message { flash: flash.clone() }
}

impl HtmlSafe for Message {}

/// Why a form was refused, above it.
#[derive(Debug, Template)]
#[template(
    source = r#"{% if !text.is_empty() %}<p class="flash bad" role="alert">{{ text }}</p>{% endif %}"#,
    ext = "html"
)]
pub struct Alert {
    text: String,
}

/// Why a form was refused; nothing where the text is empty.
pub fn alert(text: impl Display) -> Alert {
    Alert { text: text.to_string() }
}

impl HtmlSafe for Alert {}

/// Where the script of a form says what went wrong.
#[derive(Debug, Template)]
#[template(
    source = r#"<p class="flash bad" role="alert" data-said hidden></p>"#,
    ext = "html"
)]
pub struct ScriptAlert;

/// Where the script of a form says what went wrong.
pub fn script_alert() -> ScriptAlert {
    ScriptAlert
}

impl HtmlSafe for ScriptAlert {}

/// What is wrong with something, beside it.
#[derive(Debug, Template)]
#[template(
    source = r#"{% if !text.is_empty() %}<p class="error">{{ text }}</p>{% endif %}"#,
    ext = "html"
)]
pub struct Problem {
    text: String,
}

/// What is wrong with something; nothing where the text is empty.
pub fn problem(text: impl Display) -> Problem {
    Problem { text: text.to_string() }
}

impl HtmlSafe for Problem {}

/// A sentence that explains a part of a form.
#[derive(Debug, Template)]
#[template(source = r#"<p class="hint">{{ text }}</p>"#, ext = "html")]
pub struct Hint {
    text: String,
}

/// A sentence that explains a part of a form.
pub fn hint(text: impl Display) -> Hint {
    Hint { text: text.to_string() }
}

impl HtmlSafe for Hint {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_text() {
        let flash = Flash { tone: Tone::Bad, text: "<b>".into() };
        let said = [
            message(&flash).to_string(),
            alert("<b>").to_string(),
            problem("<b>").to_string(),
            hint("<b>").to_string(),
        ];
        assert!(said.iter().all(|html| html.contains("&#60;b&#62;")), "{said:?}");
        assert!(said[0].contains("role=\"alert\"") && said[1].contains("role=\"alert\""));
        assert_eq!(alert("").to_string() + &problem("").to_string(), "");
    }
}
