//! Boxes of task lists in texts: each is a button that ticks it in the text
//! itself, for who may edit that text.

use crate::rules::references::{Links, Shown};
use kernel::html::ui;
use kernel::markup::version;

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
        let mut html = links.shown(self.text, Shown { id: self.id, tasks });
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
