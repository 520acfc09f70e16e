//! Trailers: `Key: value` in the last paragraph of a message (git-interpret-trailers).

/// Those of a message, in their order.
pub fn of(message: &str) -> Vec<(String, String)> {
    let message = message.trim_end();
    let Some((_, last)) = message.rsplit_once("\n\n") else {
        return Vec::new();
    };
    let mut found: Vec<(String, String)> = Vec::new();
    let mut others = 0;
    // What git says of a copied commit is neither.
    for line in last.lines().filter(|line| !line.starts_with("(cherry picked from commit ")) {
        match (line.starts_with([' ', '\t']), trailer(line), found.last_mut()) {
            (true, _, Some((_, value))) => {
                value.push(' ');
                value.push_str(line.trim());
            }
            (false, Some(trailer), _) => found.push(trailer),
            _ => others += 1,
        }
    }
    // A paragraph of prose may hold a colon: git wants trailers alone, or a quarter of
    // them with one that git itself writes.
    let of_git = |(key, _): &(String, String)| key == "Signed-off-by";
    let is_block = others == 0 || (found.iter().any(of_git) && found.len() * 3 >= others);
    match is_block {
        true => found,
        false => Vec::new(),
    }
}

fn trailer(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once(':')?;
    let is_key = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    is_key.then(|| (key.to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_paragraph_has_them() {
        let pairs = |message: &str| {
            let pairs = of(message).into_iter().map(|(key, value)| format!("{key}={value}"));
            pairs.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(pairs("Title\n\nText\n\nA-b: 1\nC: 2\n  3\n"), "A-b=1 C=2 3");
        assert_eq!(pairs("Title: of it"), "");
        assert_eq!(pairs("Title\n\nSome prose: with a colon\nand more of it"), "");
        assert_eq!(pairs("T\n\nnot one\nSigned-off-by: Ada <a@b.c>"), "Signed-off-by=Ada <a@b.c>");
        assert_eq!(pairs("T\n\nhttp://x y: z"), "http=//x y: z");
    }
}
