//! Lines of a file that a search found, which lead to the file.

use super::SourceLines;
use crate::highlight::{Lines, escape};
use crate::pages::spot::encoded;
use crate::search::{CodeQuery, FoundLines};
use crate::visible::line;
use askama::Template;
use askama::filters::HtmlSafe;

/// Letters of a path.
const PATH: usize = 500;

/// A file with some of its lines.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/found_file.html")]
pub struct FoundFile {
    /// Names it on the page.
    id: String,
    path: String,
    url: String,
    project: String,
    project_url: String,
    ref_name: String,
    lines: SourceLines,
}

impl HtmlSafe for FoundFile {}

impl FoundFile {
    /// What was found, as the result of this number on its page.
    pub fn of(number: usize, query: &CodeQuery, found: &FoundLines<'_>) -> FoundFile {
        let searched = found.searched;
        let project_url = searched.project_url();
        let (at, path) = (encoded(&searched.ref_name), encoded(&found.path));
        let file_url = format!("{project_url}/-/blob/{at}/{path}");
        let hit = found.lines.iter().position(|line| !query.matches(line).is_empty());
        let path = line(&found.path, PATH);
        let lines = found.lines.iter().map(|line| marked(query, line)).collect::<Lines>();
        let label = format!("Lines of {path} from {} on", found.first);
        FoundFile {
            id: format!("found-{number}"),
            url: format!("{file_url}#L{}", found.first + hit.unwrap_or_default()),
            lines: SourceLines::found(label, file_url, lines, found.first),
            path,
            project: searched.project.full_path.clone(),
            project_url,
            ref_name: line(&searched.ref_name, PATH),
        }
    }
}

/// A line as HTML.
fn marked(query: &CodeQuery, line: &str) -> Box<str> {
    let pieces = query.marked(line).into_iter().map(|piece| match piece.is_marked {
        true => format!("<mark>{}</mark>", escape(&piece.text)),
        false => escape(&piece.text),
    });
    pieces.collect::<String>().into_boxed_str()
}
