//! Where a story and its notes stand: which part of it a page shows, and the
//! addresses of that.

kernel::params! {
    /// What of a story is shown.
    #[derive(Default)]
    pub struct StoryQuery {
        /// The note whose form to change it is open.
        pub edit: Option<i64>,
        /// One discussion alone, by its id.
        pub thread: Option<String>,
        /// One note alone, by its id.
        pub note: Option<i64>,
    }
}

impl StoryQuery {
    /// Whether one discussion or one note is shown alone.
    pub fn is_part(&self) -> bool {
        self.thread.is_some() || self.note.is_some()
    }

    /// The address of what is shown, without its page.
    pub fn list(&self, url: &str) -> String {
        match (&self.thread, self.note) {
            (_, Some(note)) => format!("{url}?note={note}"),
            (Some(thread), None) => format!("{url}?thread={thread}"),
            (None, None) => url.to_owned(),
        }
    }

    /// The address to which a parameter is added.
    pub fn here(&self, url: &str) -> String {
        match self.note {
            Some(note) => format!("{url}?note={note}&"),
            None => format!("{url}?"),
        }
    }
}

/// Where a note stands: the page of the story, and its place there.
pub fn at(url: &str, page: i64, note: i64) -> String {
    match page {
        ..=1 => format!("{url}#note_{note}"),
        page => {
            let joint = if url.contains('?') { '&' } else { '?' };
            format!("{url}{joint}page={page}#note_{note}")
        }
    }
}
