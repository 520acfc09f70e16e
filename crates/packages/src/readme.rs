//! What packages say of themselves at length: the README in their archive, kept
//! when they are published, within a cap.

use crate::archive::{Contents, Member, Wanted};
use store::FromRow;

/// Most bytes that are kept of one.
const MAX_BYTES: usize = 64 * 1024;
/// Names without `readme`, the ones first that are taken before others.
const ENDINGS: [&str; 5] = [".md", ".markdown", "", ".txt", ".rst"];
/// How many of these are Markdown.
const MARKDOWN: usize = 3;

/// A text that is Markdown, or plain.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Readme {
    pub content: String,
    pub markdown: bool,
}

impl Readme {
    /// A text as it is kept; none of a blank one.
    pub fn new(text: &str, markdown: bool) -> Option<Readme> {
        let text = text.trim_start_matches('\u{feff}');
        let mut end = text.len().min(MAX_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // PostgreSQL keeps no NUL.
        let content = text[..end].replace('\0', "");
        (!content.trim().is_empty()).then_some(Readme { content, markdown })
    }

    /// The same of bytes, of which the last may be a half of a letter.
    pub fn of(bytes: &[u8], markdown: bool) -> Option<Readme> {
        let whole = match std::str::from_utf8(bytes) {
            Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
            _ => bytes,
        };
        Readme::new(&String::from_utf8_lossy(whole), markdown)
    }
}

/// Which of the endings a file has that is a README at the top of an archive or
/// in its folders there.
fn rank(path: &str) -> Option<usize> {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    if path.matches('/').count() > 1 || !name.get(..6)?.eq_ignore_ascii_case("readme") {
        return None;
    }
    let ending = name[6..].to_ascii_lowercase();
    ENDINGS.iter().position(|known| *known == ending)
}

/// What is read of a file besides what its format needs.
pub fn wanted(path: &str) -> Wanted {
    match rank(path) {
        Some(_) => beginning(),
        None => Wanted::No,
    }
}

/// As much as is kept.
pub fn beginning() -> Wanted {
    Wanted::Beginning(MAX_BYTES as u64)
}

/// Takes the READMEs out of what was read; the one nearest to the top, Markdown
/// before others.
pub fn take(contents: &mut Contents) -> Option<Readme> {
    let all = std::mem::take(&mut contents.members);
    let (readmes, members): (Vec<Member>, Vec<Member>) =
        all.into_iter().partition(|member| rank(&member.path).is_some());
    contents.members = members;
    let best = readmes
        .into_iter()
        .min_by_key(|member| (member.path.matches('/').count(), rank(&member.path)))?;
    Readme::of(&best.bytes, rank(&best.path).is_some_and(|rank| rank < MARKDOWN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[(&str, &str)]) -> (Option<Readme>, usize) {
        let member = |(path, text): &(&str, &str)| Member {
            path: (*path).to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        let members = files.iter().map(member).collect();
        let mut contents = Contents { members, ..Contents::default() };
        (take(&mut contents), contents.members.len())
    }

    #[test]
    fn the_readme_nearest_to_the_top_is_taken() {
        for (path, is_one) in [
            ("README.md", true),
            ("package/readme.MD", true),
            ("a/Readme", true),
            ("README.rst", true),
            ("a/b/README.md", false),
            ("READMEs.md", false),
            ("read", false),
            ("réadme.md", false),
        ] {
            assert_eq!(wanted(path) != Wanted::No, is_one, "{path}");
        }
        let files = [("docs/README.md", "docs"), ("README.txt", "text"), ("package.json", "{}")];
        let (readme, others) = read(&files);
        assert_eq!(readme, Some(Readme { content: "text".into(), markdown: false }));
        assert_eq!(others, 1);
        let (readme, _) = read(&[("a/README", "none"), ("a/README.md", "# A")]);
        assert_eq!(readme, Some(Readme { content: "# A".into(), markdown: true }));
        assert_eq!(read(&[("x", "")]).0, None);
    }

    #[test]
    fn long_and_odd_texts_are_cut() {
        let text = "ä".repeat(MAX_BYTES);
        let kept = Readme::new(&text, true).unwrap().content;
        assert_eq!(kept.len(), MAX_BYTES);
        assert_eq!(Readme::of(&text.as_bytes()[..5], true).unwrap().content, "ää");
        assert_eq!(Readme::of(b"\xef\xbb\xbfa\0b\xff", false).unwrap().content, "ab\u{fffd}");
        assert_eq!(Readme::new(" \n\0", true), None);
    }
}
