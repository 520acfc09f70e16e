//! What files are by the endings of their names, as far as browsers show them.

/// Endings, the type they are answered as, and how a page shows it. SVG is not
/// among them: it may hold scripts.
const KINDS: &[(&str, &str, Shown)] = &[
    ("png", "image/png", Shown::Picture),
    ("jpg", "image/jpeg", Shown::Picture),
    ("jpeg", "image/jpeg", Shown::Picture),
    ("gif", "image/gif", Shown::Picture),
    ("webp", "image/webp", Shown::Picture),
    ("avif", "image/avif", Shown::Picture),
    ("bmp", "image/bmp", Shown::Picture),
    ("ico", "image/x-icon", Shown::Picture),
    ("mp4", "video/mp4", Shown::Film),
    ("m4v", "video/mp4", Shown::Film),
    ("mov", "video/quicktime", Shown::Film),
    ("webm", "video/webm", Shown::Film),
    ("ogv", "video/ogg", Shown::Film),
    ("mp3", "audio/mpeg", Shown::Sound),
    ("oga", "audio/ogg", Shown::Sound),
    ("ogg", "audio/ogg", Shown::Sound),
    ("wav", "audio/wav", Shown::Sound),
    ("flac", "audio/flac", Shown::Sound),
    ("m4a", "audio/mp4", Shown::Sound),
    ("spx", "audio/ogg", Shown::Sound),
    ("pdf", "application/pdf", Shown::Document),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Picture,
    Film,
    Sound,
    /// By itself, not within a page.
    Document,
}

fn kind(name: &str) -> Option<&'static (&'static str, &'static str, Shown)> {
    let (_, ending) = name.rsplit_once('.')?;
    KINDS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(ending))
}

/// The type of what a browser may show where it is; none for what it only
/// keeps.
pub fn inline_type(name: &str) -> Option<&'static str> {
    kind(name).map(|(_, media_type, _)| *media_type)
}

/// Whether it is shown within texts: a picture, a film, a sound.
pub fn is_embedded(name: &str) -> bool {
    kind(name).is_some_and(|(.., shown)| *shown != Shown::Document)
}

/// The element that plays a film or sound.
pub fn element(name: &str) -> Option<&'static str> {
    match kind(name)?.2 {
        Shown::Film => Some("video"),
        Shown::Sound => Some("audio"),
        Shown::Picture | Shown::Document => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_hold_scripts_is_not_shown() {
        for name in ["a.svg", "a.html", "a.xml", "a.js", "a.png.htm", "png", "", "a.", "a.svgz"] {
            assert_eq!(inline_type(name), None, "{name}");
        }
        assert_eq!(inline_type("a.b.PNG"), Some("image/png"));
        assert!(is_embedded("a.png") && is_embedded("a.mp4") && !is_embedded("a.pdf"));
        assert_eq!((element("a.ogg"), element("a.png")), (Some("audio"), None));
    }
}
