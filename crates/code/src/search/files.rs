//! Lines of files, as `git grep` finds them.

use super::places::Searched;
use super::query::CodeQuery;
use super::{Part, in_time};
use futures_util::TryStreamExt;
use kernel::app::App;
use kernel::error::Result;
use repositories::formats::object_id::ObjectId;
use repositories::output;
use std::pin::pin;

/// Lines that stand together at most.
const MOST_LINES: usize = 40;
/// Bytes of a line that are shown.
const LONGEST: usize = 1000;
/// Bytes of a longer line before what was found in it.
const BEFORE: usize = 200;
/// Bytes of what git says of one repository.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Lines of a file, one of which at least has what was looked for.
#[derive(Debug, Clone)]
pub struct FoundLines<'s> {
    /// Where.
    pub searched: &'s Searched,
    pub path: String,
    /// The number of the first of the lines.
    pub first: usize,
    pub lines: Vec<String>,
}

/// A part of what is found in some repositories, one after the other.
///
/// # Errors
///
/// 408 where it takes too long.
pub async fn files<'s>(
    app: &App, searched: &'s [Searched], query: &CodeQuery, part: Part,
) -> Result<Vec<FoundLines<'s>>> {
    let work = async {
        let mut found = Vec::new();
        for one in searched {
            if query.is_empty() || found.len() >= part.end() {
                break;
            }
            found.extend(of_one(app, one, query, part.end() - found.len()).await?);
        }
        Ok(part.cut(found))
    };
    in_time(work).await
}

async fn of_one<'s>(
    app: &App, searched: &'s Searched, query: &CodeQuery, most: usize,
) -> Result<Vec<FoundLines<'s>>> {
    let Some(commit) = searched.tip(app).await? else {
        return Ok(Vec::new());
    };
    let asked = output::start(app, searched.repository.id, |git| {
        let fixed = ["grep", "--fixed-strings", "--ignore-case", "-I", "--line-number", "--null"];
        let git = git.args(fixed).args(["--no-color", "--threads=1"]).args(query.arguments());
        git.args([commit.id.to_string(), "--".into()]).args(query.patterns())
    });
    let mut stream = pin!(asked.await?.searching().stream());
    let mut said = Said::of(commit.id, query);
    let mut bytes = 0;
    while let Some(more) = stream.try_next().await? {
        said.take(&more);
        bytes += more.len();
        if said.found.len() >= most || bytes > MOST_BYTES {
            break;
        }
    }
    let found = said.end().into_iter().take(most);
    let placed = found.map(|(path, first, lines)| FoundLines { searched, path, first, lines });
    Ok(placed.collect())
}

/// A path, the number of the first line, and the lines.
type Group = (String, usize, Vec<String>);

/// What git said until now. Each line is `COMMIT:PATH`, a zero, its number, a zero, and
/// what it says; between lines that are no neighbours of one file stands `--`.
struct Said<'q> {
    query: &'q CodeQuery,
    /// Letters before a path.
    skip: usize,
    rest: Vec<u8>,
    open: Option<Group>,
    found: Vec<Group>,
}

impl<'q> Said<'q> {
    fn of(commit: ObjectId, query: &'q CodeQuery) -> Said<'q> {
        let skip = commit.to_string().len() + 1;
        Said { query, skip, rest: Vec::new(), open: None, found: Vec::new() }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let rest = std::mem::take(&mut self.rest);
        let mut at = 0;
        while let Some((line, length)) = next(&rest[at..], self.skip) {
            match line {
                Some(line) => self.add(line),
                None => self.close(),
            }
            at += length;
        }
        self.rest = rest[at..].to_vec();
    }

    fn add(&mut self, (path, number, line): Line<'_>) {
        let (path, line) = (String::from_utf8_lossy(path), self.shortened(line));
        match &mut self.open {
            Some((of, first, lines))
                if *of == path && *first + lines.len() == number && lines.len() < MOST_LINES =>
            {
                lines.push(line);
            }
            _ => {
                self.close();
                self.open = Some((path.into_owned(), number, vec![line]));
            }
        }
    }

    fn close(&mut self) {
        let passes = |group: &Group| self.query.fits(&group.0);
        self.found.extend(self.open.take().filter(passes));
    }

    fn end(mut self) -> Vec<Group> {
        self.close();
        self.found
    }

    /// A line, or of a long one the part with the first match.
    fn shortened(&self, line: &[u8]) -> String {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end_matches('\r');
        if line.len() <= LONGEST {
            return line.to_owned();
        }
        let first = self.query.matches(line).first().copied().unwrap_or_default();
        let from = line.floor_char_boundary(first.saturating_sub(BEFORE));
        let to = line.floor_char_boundary(line.len().min(from + LONGEST));
        let cut = |is_cut: bool| if is_cut { "…" } else { "" };
        format!("{}{}{}", cut(from > 0), &line[from..to], cut(to < line.len()))
    }
}

/// The path of a line, its number, and what it says.
type Line<'b> = (&'b [u8], usize, &'b [u8]);

/// The next whole line, none where some are left out, and its bytes.
fn next(bytes: &[u8], skip: usize) -> Option<(Option<Line<'_>>, usize)> {
    if bytes.starts_with(b"--\n") {
        return Some((None, 3));
    }
    let until = |end: u8, bytes: &[u8]| bytes.iter().position(|byte| *byte == end);
    let path_end = skip + until(0, bytes.get(skip..)?)?;
    let number_end = path_end + 1 + until(0, &bytes[path_end + 1..])?;
    let line_end = number_end + 1 + until(b'\n', &bytes[number_end + 1..])?;
    let number = std::str::from_utf8(&bytes[path_end + 1..number_end]).ok();
    let number = number.and_then(|number| number.parse().ok()).unwrap_or(1);
    let line = (&bytes[skip..path_end], number, &bytes[number_end + 1..line_end]);
    Some((Some(line), line_end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(query: &str, pieces: &[&[u8]]) -> Vec<Group> {
        let query = CodeQuery::parse(query).expect("it is short");
        let commit = "a".repeat(40).parse().expect("a name");
        let mut said = Said::of(commit, &query);
        pieces.iter().for_each(|piece| said.take(piece));
        said.end()
    }

    #[test]
    fn neighbours_stand_together_however_the_bytes_come() {
        let commit = "a".repeat(40);
        let line = |path: &str, number: usize, text: &str| {
            format!("{commit}:{path}\0{number}\0{text}\n").into_bytes()
        };
        let all = [
            line("a:b\nc", 1, "one"),
            line("a:b\nc", 2, "-- two"),
            b"--\n".to_vec(),
            line("a:b\nc", 9, "nine\r"),
            line("d", 10, ""),
        ];
        let expected = [
            ("a:b\nc".to_owned(), 1, vec!["one".to_owned(), "-- two".to_owned()]),
            ("a:b\nc".to_owned(), 9, vec!["nine".to_owned()]),
            ("d".to_owned(), 10, vec![String::new()]),
        ];
        let whole = all.concat();
        assert_eq!(said("e", &[&whole]), expected);
        let bytes: Vec<&[u8]> = whole.chunks(1).collect();
        assert_eq!(said("e", &bytes), expected);
        assert_eq!(said("e path:d", &[&whole]).len(), 1);
    }

    #[test]
    fn long_lines_and_many_lines_are_parted() {
        let commit = "a".repeat(40);
        let long = format!("{commit}:a\x001\0{}X{}\n", "é".repeat(2000), "y".repeat(5000));
        let found = said("x", &[long.as_bytes()]);
        let line = &found[0].2[0];
        assert!(line.len() < LONGEST + 10 && line.contains('X') && line.starts_with('…'));
        let many = (1..=100).map(|number| format!("{commit}:a\0{number}\0x\n"));
        let found = said("x", &[many.collect::<String>().as_bytes()]);
        let sizes: Vec<_> = found.iter().map(|(_, first, lines)| (*first, lines.len())).collect();
        assert_eq!(sizes, [(1, 40), (41, 40), (81, 20)]);
    }
}
