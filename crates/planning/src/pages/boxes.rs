//! Boxes of task lists in texts: each is a button that ticks it in the text
//! itself, for who may edit that text.

use crate::rules::references::{Links, TextOptions};
use kernel::error::{Error, Result};
use kernel::html::ui;
use kernel::http::params::Text;
use kernel::markup::{Tick, version};

const CHANGED: &str = "Somebody changed this text since you opened the page, so nothing was \
                       ticked. Go back, reload the page and try again.";

kernel::params! {
    /// A box that somebody ticks.
    pub struct BoxForm {
        /// Which box, and what becomes of it.
        pub task: Text,
        /// The text that the box was seen in.
        pub version: Text,
        pub page: Option<i64>,
    }
}

impl BoxForm {
    /// What becomes of the box.
    pub fn tick(&self) -> Result<Tick> {
        Tick::of(&self.task).ok_or_else(|| Error::Parameters(vec!["task is invalid".into()]))
    }

    /// The text with the box ticked, if it is still the one that was seen.
    pub fn apply(&self, text: &str) -> Result<String> {
        let tick = self.tick()?;
        let same = *self.version == version(text);
        let ticked = same.then(|| tick.apply(text)).flatten();
        ticked.ok_or_else(|| Error::Conflict(CHANGED.into()))
    }
}

/// What is said of a box that was ticked.
pub fn ticked(tick: Tick) -> &'static str {
    match tick.done {
        true => "Task marked as done.",
        false => "Task marked as not done.",
    }
}

/// A text whose boxes can be ticked.
pub struct Tickable<'t> {
    pub text: &'t str,
    /// Tells it from other texts of the page.
    pub id: &'t str,
    /// Where it is ticked, for who may.
    pub action: Option<String>,
    pub csrf: &'t str,
    /// The page of the list it stands on.
    pub page: u64,
}

impl Tickable<'_> {
    /// The text as HTML, with the form of its boxes if it has any.
    pub fn html(&self, links: &Links) -> String {
        let form = format!("{}boxes", self.id);
        let action = self.action.as_deref().filter(|_| self.text.contains('['));
        let tasks = if action.is_some() { form.as_str() } else { "" };
        let mut html = links.shown(self.text, TextOptions { id: self.id, tasks });
        if let Some(action) = action.filter(|_| html.contains("<button class=\"task\"")) {
            let fields = [
                ui::csrf(self.csrf).to_string(),
                ui::hidden("version", version(self.text)).to_string(),
                ui::hidden("page", self.page).to_string(),
            ];
            let fields = fields.concat();
            html.push_str(&format!(
                "<form id=\"{form}\" method=\"post\" action=\"{}\" hidden>{fields}</form>",
                kernel::markup::escape(action)
            ));
        }
        html
    }
}
