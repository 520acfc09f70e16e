//! Marks of parts in a line: `section_start:1700000000:name[collapsed=true]`, a carriage
//! return, and what clears the line.

const START: &[u8] = b"section_start:";
const END: &[u8] = b"section_end:";
/// What programs write behind the carriage return of a mark.
const CLEAR: &[u8] = b"\x1b[0K";
/// Bytes of a name.
const LONGEST: usize = 128;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark<'l> {
    Start { at: u64, name: &'l [u8], collapsed: bool },
    End { at: u64, name: &'l [u8] },
}

/// The marks of a line, each with the text behind it; text before the first has none.
pub fn marks(line: &[u8]) -> impl Iterator<Item = (Option<Mark<'_>>, Option<&[u8]>)> {
    let mut rest = line;
    let mut is_first = true;
    std::iter::from_fn(move || {
        if rest.is_empty() && !is_first {
            return None;
        }
        let mark = match read(rest) {
            Some((mark, after)) => {
                rest = after;
                Some(mark)
            }
            None if is_first => None,
            None => return None,
        };
        is_first = false;
        let until = next(rest);
        let (text, after) = rest.split_at(until);
        rest = after;
        Some((mark, (!text.is_empty()).then_some(text)))
    })
}

/// Where the next mark of a text begins, or its end.
fn next(text: &[u8]) -> usize {
    let mut from = 0;
    while let Some(at) = text[from..].iter().position(|byte| *byte == b's') {
        if read(&text[from + at..]).is_some() {
            return from + at;
        }
        from += at + 1;
    }
    text.len()
}

/// The mark that a text begins with, and what follows it.
fn read(text: &[u8]) -> Option<(Mark<'_>, &[u8])> {
    let (is_start, rest) = match text.strip_prefix(START) {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix(END)?),
    };
    let digits = rest.iter().take(12).take_while(|byte| byte.is_ascii_digit()).count();
    let at = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
    let rest = rest[digits..].strip_prefix(b":")?;
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-".contains(*byte);
    let length = rest.iter().take(LONGEST).take_while(is_name).count();
    let (name, rest) = rest.split_at(length);
    if name.is_empty() {
        return None;
    }
    let (options, rest) = options(rest);
    let rest = rest.strip_prefix(b"\r")?;
    let rest = rest.strip_prefix(CLEAR).unwrap_or(rest);
    let mark = match is_start {
        true => Mark::Start { at, name, collapsed: options == b"collapsed=true" },
        false => Mark::End { at, name },
    };
    Some((mark, rest))
}

/// What stands in brackets, if something does.
fn options(text: &[u8]) -> (&[u8], &[u8]) {
    let closed = || {
        let inner = text.strip_prefix(b"[")?;
        let end = inner.iter().take(LONGEST).position(|byte| *byte == b']')?;
        Some((&inner[..end], &inner[end + 1..]))
    };
    closed().unwrap_or((&text[..0], text))
}
