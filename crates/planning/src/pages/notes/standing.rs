//! What stands around the threads of a story: what each is about, and the way from one that
//! is to be resolved to the next.

use super::{Part, Story, Thread};
use std::collections::HashMap;

impl Story {
    fn threads(&self) -> impl Iterator<Item = &Thread> {
        self.parts.iter().filter_map(|part| match part {
            Part::Thread(thread) => Some(&**thread),
            Part::Activities(_) => None,
        })
    }

    fn threads_mut(&mut self) -> impl Iterator<Item = &mut Thread> {
        self.parts.iter_mut().filter_map(|part| match part {
            Part::Thread(thread) => Some(&mut **thread),
            Part::Activities(_) => None,
        })
    }

    /// The ids of its discussions.
    pub fn discussions(&self) -> Vec<String> {
        self.threads().map(|thread| thread.id.clone()).collect()
    }

    /// Says what discussions are about, by their ids: in HTML that is safe to show.
    pub fn stand(&mut self, about: &HashMap<String, String>) {
        for thread in self.threads_mut() {
            thread.about = about.get(&thread.id).cloned();
        }
    }

    /// The first discussion that is to be resolved.
    pub fn first_unresolved(&self) -> Option<&str> {
        let mut unresolved = self.threads().filter(|thread| thread.is_unresolved);
        unresolved.next().map(|thread| thread.id.as_str())
    }

    /// With a way from each thread that is to be resolved to the next, and from the last to
    /// the first.
    pub(super) fn linked(mut self) -> Story {
        let unresolved = self.threads().filter(|thread| thread.is_unresolved);
        let ids: Vec<String> = unresolved.map(|thread| thread.id.clone()).collect();
        if ids.len() > 1 {
            let next = ids.iter().cycle().skip(1).cloned();
            let unresolved = self.threads_mut().filter(|thread| thread.is_unresolved);
            unresolved.zip(next).for_each(|(thread, next)| thread.next = Some(next));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::html::ui;

    fn thread(id: &str, is_unresolved: bool) -> Part {
        Part::Thread(Box::new(Thread {
            id: id.to_owned(),
            notes: Vec::new(),
            hidden: 0,
            may_answer: false,
            answer: None,
            draft_label: None,
            about: None,
            resolved: None,
            is_unresolved,
            next: None,
            is_open: false,
            may_resolve: false,
            url: "/x".to_owned(),
            here: "/x?".to_owned(),
            csrf: String::new(),
            page: 1,
        }))
    }

    #[test]
    fn each_open_thread_leads_to_the_next() {
        let parts = vec![thread("a", true), thread("b", false), thread("c", true)];
        let mut story = Story { parts }.linked();
        let next: Vec<Option<&str>> = story.threads().map(|one| one.next.as_deref()).collect();
        assert_eq!(next, [Some("c"), None, Some("a")]);
        assert_eq!(story.first_unresolved(), Some("a"));
        let about = HashMap::from([("b".to_owned(), ui::hint("<b>").to_string())]);
        story.stand(&about);
        let html = story.to_string();
        assert!(
            html.contains("href=\"#discussion_c\"") && html.contains("&#60;b&#62;"),
            "{html}"
        );
        let alone = Story { parts: vec![thread("a", true)] }.linked();
        assert!(alone.threads().all(|one| one.next.is_none()));
    }
}
