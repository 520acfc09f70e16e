//! Pictograms, drawn on a grid of 16 with a stroke of 1.5.

use askama::filters::HtmlSafe;
use std::fmt;

/// An inline picture, hidden from screen readers: text says the same.
#[derive(Debug, Clone, Copy)]
pub struct Icon(&'static str);

/// The picture of a name; an unknown name draws nothing.
pub fn icon(name: &str) -> Icon {
    Icon(path(name))
}

impl Icon {
    /// The line that it is drawn by, for what draws itself.
    pub fn line(&self) -> &'static str {
        self.0
    }
}

/// The line that a picture is drawn by.
pub(crate) fn path(name: &str) -> &'static str {
    match name {
        "project" => "M2 5.5 8 2.5l6 3v5l-6 3-6-3zM2 5.5l6 3 6-3M8 8.5v5",
        "group" => "M2.5 6.5h5v7h-5zM8.5 2.5h5v6h-5zM8.5 11h5v2.5h-5z",
        "package" => "M2.5 4.5h11v9h-11zM2.5 7.5h11M6.5 4.5v3M9.5 4.5v3M4.5 4.5l1-2h5l1 2",
        "user" => {
            "M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8zM2.5 13.5c.6-2.6 2.8-4 5.5-4s4.9 1.4 5.5 4"
        }
        "members" => {
            "M6 7.5a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5zM1.5 13c.4-2.3 2.2-3.5 4.5-3.5s4.1 1.2 4.5 3.5M10.5 3.3a2.25 2.25 0 0 1 0 4M12 9.9c1.4.5 2.2 1.6 2.5 3.1"
        }
        "search" => "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.7 3.7",
        "plus" => "M8 3v10M3 8h10",
        "up" => "M4 9.5l4-4 4 4",
        "down" => "M4 6.5l4 4 4-4",
        "left" => "M9.5 4l-4 4 4 4",
        "right" => "M6.5 4l4 4-4 4",
        "lock" => "M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5M8 10v1.5",
        "shield" => "M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z",
        "globe" => {
            "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c2 1.8 2.8 3.8 2.8 6S10 12.2 8 14C6 12.2 5.2 10.2 5.2 8S6 3.8 8 2z"
        }
        "key" => {
            "M5 11.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5zM7 7l5.5-4.5M10 4.5l2 2.3M12.5 2.5l1 1.2"
        }
        "copy" => "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
        "clock" => "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.5V8l2.5 1.5",
        "check" => "M3 8.5l3.5 3.5L13 4.5",
        "warn" => "M8 2.5l6 11H2zM8 6.5v3.5M8 11.5v.6",
        "stop" => "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.5 5.5l5 5M10.5 5.5l-5 5",
        "file" => "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
        "book" => {
            "M8 4.5C6.5 3.3 4.6 3 2.5 3v9c2.1 0 4 .3 5.5 1.5 1.5-1.2 3.4-1.5 5.5-1.5V3c-2.1 0-4 .3-5.5 1.5zM8 4.5v9"
        }
        "folder" => "M2 4h4l1.5 2H14v7.5H2z",
        "commit" => "M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 8h4M10.5 8h4",
        "branch" => {
            "M5 5.5v5M5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11 6.5c0 2.5-6 1.5-6 4"
        }
        "merge" => {
            "M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 10.5V7.5a2.5 2.5 0 0 0-2.5-2.5H7M8.75 3L7 5l1.75 2"
        }
        "tag" => "M2.5 2.5h5l6 6-5 5-6-6zM5.2 5.1v.1",
        "download" => "M8 2.5v7M4.5 6.5L8 10l3.5-3.5M3 13.5h10",
        "trash" => "M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9M7 7v4M9 7v4",
        "gear" => {
            "M8 10.25a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5zM8 2v1.75M8 12.25V14M2 8h1.75M12.25 8H14M3.75 3.75L5 5M11 11l1.25 1.25M12.25 3.75L11 5M5 11l-1.25 1.25"
        }
        "list" => "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.6M2.5 8h.6M2.5 12h.6",
        "redo" => "M12.5 5.5A5 5 0 1 0 13 9M13 2.5v3.5H9.5",
        "home" => "M2.5 7.5L8 2.5l5.5 5M4 6.5v7h8v-7M6.5 13.5v-4h3v4",
        "close" => "M4 4l8 8M12 4l-8 8",
        "menu" => "M2.5 4h11M2.5 8h11M2.5 12h11",
        "more" => "M3 8h.1M8 8h.1M13 8h.1",
        "issue" => "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 8.1V8",
        "incident" => "M8 9V2.5M8 13.2v.1M4.5 4.5a5 5 0 0 0 0 7M11.5 4.5a5 5 0 0 1 0 7",
        "epic" => "M8 2.5l6 3-6 3-6-3zM2.5 8.3L8 11l5.5-2.7M2.5 11.1L8 13.8l5.5-2.7",
        "grip" => "M6 4h.1M6 8h.1M6 12h.1M10 4h.1M10 8h.1M10 12h.1",
        "milestone" => "M3.5 14V2.5M3.5 3h8.5l-2 2.75 2 2.75H3.5",
        "label" => "M2.5 7.5v-5h5l6 6-5 5zM5.3 5.2v.1",
        "error" => {
            "M5.5 6.5a2.5 2.5 0 0 1 5 0v4a2.5 2.5 0 0 1-5 0zM5.5 8.5h-3M10.5 8.5h3M5.7 5.5L3 3.5M10.3 5.5L13 3.5M5.7 11.5L3 13.5M10.3 11.5l2.7 2"
        }
        "bell" => "M4 10.5V7a4 4 0 0 1 8 0v3.5l1 1.5H3zM6.7 14h2.6",
        "feed" => "M3.5 12.5h.1M3 8a5 5 0 0 1 5 5M3 3a10 10 0 0 1 10 10",
        "calendar" => "M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3M5.5 9.5h2",
        "stairs" => "M2 13.5h3v-3h3v-3h3v-3h3",
        "comment" => "M2.5 3.5h11v8h-6l-3 2.5v-2.5h-2z",
        "star" => "M8 2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z",
        "fork" => "M4 3v3a2 2 0 0 0 2 2h4a2 2 0 0 0 2-2V3M8 8v5",
        "edit" => "M3 13l.7-2.8L10.9 3a1.3 1.3 0 0 1 2.1 2.1l-7.2 7.2z",
        "mail" => "M2.5 4h11v8.5h-11zM2.5 4.5L8 9l5.5-4.5",
        "bold" => "M4.5 3h4a2.5 2.5 0 0 1 0 5h-4zM4.5 8h4.75a2.5 2.5 0 0 1 0 5H4.5z",
        "italic" => "M6.5 3h5M4.5 13h5M9.5 3l-3 10",
        "quote" => "M3 4h10M6.5 8H13M6.5 12H13M3.25 7.5v5",
        "code" => "M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5",
        "link" => {
            "M6.8 9.2a2.5 2.5 0 0 0 3.5 0l2.4-2.4a2.5 2.5 0 0 0-3.5-3.5l-.9.9M9.2 6.8a2.5 2.5 0 0 0-3.5 0L3.3 9.2a2.5 2.5 0 0 0 3.5 3.5l.9-.9"
        }
        "numbers" => {
            "M6.5 4H14M6.5 8H14M6.5 12H14M2.3 3.2l1.2-.7v3.4M2.3 10.7c.1-1.3 1.9-1.2 1.9 0 0 .9-1.9 1.5-1.9 2.7h2"
        }
        "tasks" => "M1.9 4l1.2 1.2 2.1-2.4M1.9 11.3l1.2 1.2 2.1-2.4M7.5 4.2H14M7.5 11.5H14",
        "table" => "M2.5 3h11v10h-11zM2.5 6.4h11M2.5 9.7h11M6.5 6.4V13",
        "attach" => {
            "M13.5 7.3L8 12.8a3.3 3.3 0 0 1-4.7-4.7l5.8-5.8a2.2 2.2 0 0 1 3.1 3.1l-5.6 5.6a1.1 1.1 0 0 1-1.6-1.6l5-5"
        }
        "weight" => "M4.5 6h7l2 7.5h-11zM8 6a1.75 1.75 0 1 0 0-3.5A1.75 1.75 0 0 0 8 6z",
        "board" => "M2.5 3h3v10h-3zM6.5 3h3v7h-3zM10.5 3h3v5h-3z",
        "roadmap" => "M2.5 4h6M5 8h6.5M8.5 12h5",
        "pipeline" => {
            "M4 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12 6a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6 8h1.5c1.5 0 1-4 2.5-4M7.5 8c1.5 0 1 4 2.5 4"
        }
        "play" => "M5 3.5l7 4.5-7 4.5z",
        "out" => "M9 3H3v10h6M7 8h7M11.5 5.5L14 8l-2.5 2.5",
        _ => "",
    }
}

impl fmt::Display for Icon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.0;
        write!(
            f,
            "<svg class=\"icon\" viewBox=\"0 0 16 16\" aria-hidden=\"true\" focusable=\"false\">\
             <path d=\"{path}\"/></svg>"
        )
    }
}

impl HtmlSafe for Icon {}
