//! Check boxes of a description.

use super::prose;

/// How many check boxes there are, and how many are ticked.
pub fn count(text: &str) -> (i64, i64) {
    let boxes = prose::lines(text)
        .filter(|line| !line.is_code)
        .filter_map(|line| ticked(line.text));
    let (mut all, mut done) = (0, 0);
    for is_done in boxes {
        all += 1;
        done += i64::from(is_done);
    }
    (all, done)
}

/// Whether the box of a list item is ticked, if the line is one with a box.
fn ticked(line: &str) -> Option<bool> {
    let line = line.trim_start_matches([' ', '\t', '>']);
    let rest = match line.strip_prefix(['-', '*', '+']) {
        Some(rest) => rest,
        None => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let numbered = (1..10).contains(&digits);
            line[digits..].strip_prefix(['.', ')']).filter(|_| numbered)?
        }
    };
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let mark = rest.strip_prefix('[')?;
    let is_done = mark.starts_with(['x', 'X']);
    let after = mark.strip_prefix([' ', 'x', 'X'])?.strip_prefix(']')?;
    (after.is_empty() || after.starts_with([' ', '\t'])).then_some(is_done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_of_list_items_count() {
        let text =
            "- [ ] a\n* [x] b\n  1. [X] c\n> + [ ] d\n- [ ]e\n[ ] f\n```\n- [ ] g\n```\n- [y] h";
        assert_eq!(count(text), (4, 2));
        assert_eq!(count(""), (0, 0));
    }
}
