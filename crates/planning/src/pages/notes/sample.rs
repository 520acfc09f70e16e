//! A story for the page that shows all parts of pages.

use super::{Activity, ActivityText, Entry, FOLDED, NoteView, Person, Story, Thread};
use crate::store::notes::Note;
use kernel::html::Moment;
use kernel::time::Timestamp;

impl Story {
    /// Of nothing that happened, for the page that shows all parts.
    pub fn sample(now: Timestamp) -> Story {
        let person = |name: &str| Person { name: name.into(), login: "mira".into() };
        let line = |text: &str| {
            Entry::Activity(Box::new(Activity {
                author: person("Mira Lindqvist"),
                text: ActivityText::Event { text: text.into(), label: None, milestone: None },
                created_at: Moment::new(now, now),
                note_id: None,
            }))
        };
        let note = |id: i64, name: &str, text: &str| NoteView {
            note: Note {
                id,
                project_id: None,
                noteable_type: String::new(),
                noteable_id: 0,
                discussion_id: "sample".into(),
                in_thread: true,
                body: text.into(),
                author_id: None,
                is_system: false,
                internal: id == 2,
                created_at: now,
                updated_at: now,
                resolved_at: None,
                resolved_by_id: None,
            },
            author: person(name),
            html: kernel::markup::render(text),
            parts: Vec::new(),
            excerpt: None,
            edited: None,
            created_at: Moment::new(now, now),
            may_change: true,
            url: "/-/components".into(),
            here: "/-/components".into(),
            csrf: String::new(),
            page: 1,
        };
        let thread = |id: &str, notes: Vec<NoteView>, resolved| {
            Entry::Thread(Box::new(Thread {
                id: id.into(),
                notes,
                hidden: 0,
                may_answer: true,
                answer: None,
                draft_label: None,
                about: None,
                is_unresolved: false,
                next: None,
                resolved,
                is_open: false,
                may_resolve: true,
                url: "/-/components".into(),
                here: "/-/components".into(),
                csrf: String::new(),
                page: 1,
            }))
        };
        let open = vec![
            note(1, "Tom Ebele", "It squeaks **only** when cold."),
            note(2, "Mira Lindqvist", "Then oil it."),
        ];
        let settled = vec![note(3, "Priya Nair", "Is it the left one?")];
        let by = (person("Priya Nair"), Moment::new(now, now));
        let folded = (0..FOLDED).map(|_| line("changed the title"));
        let mut entries = vec![
            line("opened this"),
            thread("sample", open, None),
            thread("settled", settled, Some(by)),
        ];
        entries.extend(folded);
        Story::new(entries)
    }
}
