//! What an instance is called on its pages.

use crate::app::App;

kernel::setting! {
    /// The name in the header and in window titles.
    pub struct Instance = "kernel.instance" {
        /// Empty for the program's own.
        pub name: String = String::new(),
    }
}

/// The name, read at most a few seconds ago; empty for the program's own, which
/// also stands where none can be read. The server asks before each page, so that
/// [`known_name`] has an answer.
pub async fn name(app: &App) -> String {
    app.settings().get::<Instance>(app).await.unwrap_or_default().name
}

/// The name as of the last page asked for.
pub fn known_name(app: &App) -> String {
    app.settings().known::<Instance>().name
}
