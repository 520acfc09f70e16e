//! What the rooms' own tests of pages share: a page, times that stand still,
//! and keeping what was rendered below `target/pages/`, to be looked at.

use super::page::{Moment, Page, PageViewer};
use crate::time::Timestamp;
use askama::Template;
use std::path::Path;

/// A page that somebody with an administrator's rights looks at.
pub fn page(title: &str, active: &'static str) -> Page {
    Page {
        viewer: Some(PageViewer::new("ada", "Ada Lovelace", true)),
        csrf: "sample".into(),
        active,
        ..Page::new(title)
    }
}

/// The time at which pages are looked at.
pub fn now() -> Timestamp {
    "2026-03-04T10:00:00Z".parse().expect("a fixed time")
}

/// So many days before [`now`].
pub fn ago(days: i64) -> Timestamp {
    let then = Timestamp::from_second(now().as_second() - days * 86_400);
    then.expect("in range")
}

/// The same as pages write it.
pub fn moment(days_ago: i64) -> Moment {
    Moment::new(ago(days_ago), now())
}

/// Renders a page and keeps it; what holds for all pages is looked at.
pub fn keep(name: &str, template: &impl Template) -> String {
    let html = template.render().expect("it renders");
    assert!(
        !html.contains(" style=") && !html.contains(" onclick="),
        "the policy forbids it"
    );
    assert_eq!(html.matches("<h1").count(), 1, "one heading");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/pages");
    std::fs::create_dir_all(&folder).expect("a writable target");
    std::fs::write(folder.join(format!("{name}.html")), &html).expect("a writable target");
    html
}
