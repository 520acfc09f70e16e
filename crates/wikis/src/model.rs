//! Pages and the files that they are.

use repositories::formats::object_id::ObjectId;
use repositories::objects::Path;

pub use code::entity::in_address;

/// Longest title, and longest name of a folder, in bytes.
pub const MAX_TITLE: usize = 245;
const MAX_FOLDER: usize = 255;
/// Most bytes of a page.
pub const MAX_CONTENT: usize = 5 * 1024 * 1024;
/// The page that a wiki begins with.
pub const HOME: &str = "home";
/// The page that stands beside all others.
pub const SIDEBAR: &str = "_sidebar";
/// Where the files of pages are, and pages that others begin with.
pub const UPLOADS: &str = "uploads";
pub const TEMPLATES: &str = "templates";

kernel::choices! {
    /// The markup that a page is written in.
    #[derive(Default)]
    pub enum Format {
        #[default]
        Markdown = "markdown",
        Rdoc = "rdoc",
        Asciidoc = "asciidoc",
        Org = "org",
    }
}

/// Endings of files and what they are written in; the first of each is that of new pages.
const ENDINGS: &[(&str, Format)] = &[
    ("md", Format::Markdown),
    ("markdown", Format::Markdown),
    ("mkd", Format::Markdown),
    ("mkdn", Format::Markdown),
    ("mdown", Format::Markdown),
    ("rdoc", Format::Rdoc),
    ("asciidoc", Format::Asciidoc),
    ("adoc", Format::Asciidoc),
    ("asc", Format::Asciidoc),
    ("org", Format::Org),
];

impl Format {
    /// The ending of new files.
    pub fn ending(self) -> &'static str {
        ENDINGS
            .iter()
            .find(|(_, format)| *format == self)
            .map_or("md", |(ending, _)| ending)
    }

    fn of_ending(ending: &str) -> Option<Format> {
        let known = ENDINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
        known.map(|(_, format)| *format)
    }

    /// What it is called.
    pub fn label(self) -> &'static str {
        match self {
            Format::Markdown => "Markdown",
            Format::Rdoc => "RDoc",
            Format::Asciidoc => "AsciiDoc",
            Format::Org => "Org",
        }
    }
}

/// A file that is a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFile {
    pub path: Path,
    /// Its path without the ending, which pages are named by.
    pub slug: String,
    pub format: Format,
    pub id: ObjectId,
}

impl PageFile {
    /// The page that a file is, if it is one.
    pub fn of(path: Path, id: ObjectId) -> Option<PageFile> {
        let (stem, ending) = path.as_str().rsplit_once('.')?;
        let format = Format::of_ending(ending)?;
        let name = stem.rsplit('/').next().unwrap_or_default();
        let is_upload = path.parts().next() == Some(UPLOADS);
        let slug = stem.to_owned();
        (!name.is_empty() && !is_upload).then_some(PageFile { path, slug, format, id })
    }

    pub fn title(&self) -> String {
        title_of(&self.slug)
    }

    /// Its title below those of its folders.
    pub fn shown_path(&self) -> String {
        self.slug.replace('-', " ")
    }

    pub fn is_sidebar(&self) -> bool {
        self.slug == SIDEBAR
    }

    pub fn is_template(&self) -> bool {
        self.path.parts().next() == Some(TEMPLATES)
    }
}

/// What the page of a slug is called.
pub fn title_of(slug: &str) -> String {
    slug.rsplit('/').next().unwrap_or_default().replace('-', " ")
}

/// What names a page in a slug: spaces are hyphens there.
pub fn slug_of(title: &str) -> String {
    let parts = title.split('/').map(|part| part.trim().replace(' ', "-"));
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}

/// The slug of a title somebody gave, below a folder unless it says its own.
///
/// # Errors
///
/// What is wrong with it, in words.
pub fn checked_slug(title: &str, folder: &str) -> Result<String, String> {
    let whole = match title.contains('/') || folder.is_empty() {
        true => title.to_owned(),
        false => format!("{folder}/{title}"),
    };
    let slug = slug_of(&whole);
    let mut parts: Vec<&str> = slug.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    if name.is_empty() || title.trim().ends_with('/') {
        return Err("can't be blank".into());
    }
    if name.len() > MAX_TITLE {
        return Err(format!("exceeds the limit of {MAX_TITLE} bytes"));
    }
    if let Some(long) = parts.iter().find(|part| part.len() > MAX_FOLDER) {
        let shown: String = long.chars().take(20).collect();
        return Err(format!("exceeds the limit of {MAX_FOLDER} bytes for directory name {shown}…"));
    }
    match slug.split('/').next() == Some(UPLOADS) {
        true => Err("cannot be in the folder of attachments".into()),
        false => Ok(slug),
    }
}

/// What stands above the text of a page between lines of three hyphens, such as its title.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matter<'t> {
    /// The lines between, as they are written.
    pub lines: &'t str,
    /// The text below.
    pub content: &'t str,
}

impl<'t> Matter<'t> {
    pub fn read(text: &'t str) -> Matter<'t> {
        let none = Matter { lines: "", content: text };
        let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
            return none;
        };
        let mut at = 0;
        for line in rest.split_inclusive('\n') {
            if line.trim_end() == "---" {
                let content = &rest[at + line.len()..];
                let content = content.strip_prefix('\n').unwrap_or(content);
                return Matter { lines: &rest[..at], content };
            }
            at += line.len();
        }
        none
    }

    /// The title that it names.
    pub fn title(&self) -> Option<String> {
        let line = self.lines.lines().find_map(|line| line.strip_prefix("title:"))?.trim();
        let bare = [('"', '"'), ('\'', '\'')]
            .iter()
            .find_map(|(begin, end)| line.strip_prefix(*begin)?.strip_suffix(*end));
        let title = match bare {
            Some(quoted) => quoted.replace("\\\"", "\"").replace("\\\\", "\\"),
            None => line.to_owned(),
        };
        (!title.is_empty()).then_some(title)
    }

    /// A text with these lines above it; with another title, if one is given.
    pub fn above(&self, title: Option<&str>, content: &str) -> String {
        let mut lines = self.lines.to_owned();
        if let Some(title) = title {
            let others = lines.lines().filter(|line| !line.starts_with("title:"));
            let others: String = others.map(|line| format!("{line}\n")).collect();
            let title = title.replace(char::is_control, " ");
            let quoted = title.trim().replace('\\', "\\\\").replace('"', "\\\"");
            lines = match quoted.is_empty() {
                true => others,
                false => format!("title: \"{quoted}\"\n{others}"),
            };
        }
        match lines.is_empty() {
            true => content.to_owned(),
            false => format!("---\n{lines}---\n{content}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str) -> Option<PageFile> {
        PageFile::of(Path::read(path).expect("a path"), ObjectId::ZERO)
    }

    #[test]
    fn files_with_markup_are_pages() {
        let found = page("docs/How-to begin.md").expect("a page");
        assert_eq!((found.slug.as_str(), found.format), ("docs/How-to begin", Format::Markdown));
        assert_eq!(found.title(), "How to begin");
        assert_eq!(page("a.ADOC").map(|page| page.format), Some(Format::Asciidoc));
        for none in ["a.png", "README", ".md", "a/.org", "uploads/1/notes.md"] {
            assert_eq!(page(none), None, "{none}");
        }
        for format in Format::ALL {
            assert_eq!(Format::of_ending(format.ending()), Some(*format));
        }
    }

    #[test]
    fn titles_become_slugs() {
        for (title, folder, slug) in [
            ("a/b c", "", "a/b-c"),
            ("b c", "a", "a/b-c"),
            ("/b", "a", "b"),
            (" x / y ", "", "x/y"),
            ("Größe", "", "Größe"),
        ] {
            assert_eq!(checked_slug(title, folder).as_deref(), Ok(slug), "{title}");
        }
        let (long, deep) = ("a".repeat(246), format!("{}/a", "a".repeat(256)));
        for wrong in ["", " ", "a/", "uploads/x", &long, &deep] {
            assert!(checked_slug(wrong, "").is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_stands_above_a_text_is_no_part_of_it() {
        let text = "---\ntitle: \"A \\\"b\\\"\"\ntags: x\n---\nHello\n";
        let matter = Matter::read(text);
        assert_eq!(matter.title().as_deref(), Some("A \"b\""));
        assert_eq!(matter.content, "Hello\n");
        assert_eq!(matter.above(None, "Bye\n"), text.replace("Hello", "Bye"));
        assert_eq!(matter.above(Some("C"), "x"), "---\ntitle: \"C\"\ntags: x\n---\nx");
        assert_eq!(matter.above(Some(""), "x"), "---\ntags: x\n---\nx");
        for none in ["Hello", "---\nno end", "--- a\n---\n", ""] {
            assert_eq!(Matter::read(none).content, none);
        }
        assert_eq!(Matter::read("---\ntitle: Plain\n---\n").title().as_deref(), Some("Plain"));
        assert_eq!(Matter::default().above(Some("x\ny: z"), "t"), "---\ntitle: \"x y: z\"\n---\nt");
    }
}
