//! Text of strangers within Markdown of ours: it must not become markup, call
//! people, or command anything, now or when somebody edits the text later.

/// Characters that mean something in the middle of a line.
const SPECIAL: &[char] = &[
    '\\', '`', '*', '_', '[', ']', '<', '>', '#', '@', '!', '|', '~', '$', '&', '%', '^',
];

/// A text on one line that is nothing but text.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.trim().chars().peekable();
    let mut before = None;
    while let Some(c) = chars.next() {
        let is_within = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            // Within a word it means nothing.
            '_' if is_within(before) && is_within(chars.peek().copied()) => plain.push(c),
            c if SPECIAL.contains(&c) => plain.extend(['\\', c]),
            c if c.is_control() => plain.push(' '),
            c => plain.push(c),
        }
        before = Some(c);
    }
    plain
}

/// A text on one line as code.
pub fn code(text: &str) -> String {
    let line: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut longest = 0;
    let mut run = 0;
    for c in line.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    // A space keeps the marks of the text and of the code apart.
    let space = match line.starts_with('`') || line.ends_with('`') {
        true => " ",
        false => "",
    };
    format!("{fence}{space}{line}{space}{fence}")
}

/// Markdown of strangers that stays Markdown: no line of it is a command, and
/// no name in it is called.
pub fn tame(markdown: &str) -> String {
    let lines = markdown.lines().map(|line| {
        let visible: String = line.chars().filter(|c| !c.is_control() || *c == '\t').collect();
        let harmless = visible.replace('@', "&#64;");
        let text = harmless.trim_start();
        match text.strip_prefix('/') {
            Some(rest) => {
                let indent = &harmless[..harmless.len() - text.len()];
                format!("{indent}&#47;{rest}")
            }
            None => harmless,
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_no_markup() {
        assert_eq!(plain("a *b* `c` <b> @all #1"), "a \\*b\\* \\`c\\` \\<b\\> \\@all \\#1");
        assert_eq!(plain("a\r\nBcc: x"), "a  Bcc: x");
        assert_eq!(plain("_my_tool_ a_ b"), "\\_my_tool\\_ a\\_ b");
        let html = kernel::markup::render(&format!("**{}**", plain("x** <img src=y> [z](w)")));
        assert_eq!(html.trim(), "<p><strong>x** &lt;img src=y&gt; [z](w)</strong></p>");
    }

    #[test]
    fn code_ends_where_it_should() {
        assert_eq!(code("up == 0"), "`up == 0`");
        assert_eq!(code("a `` b"), "```a `` b```");
        assert_eq!(code("`x`"), "`` `x` ``");
    }

    #[test]
    fn markdown_stays_and_commands_nothing() {
        let tamed = tame("# Steps\n\n/close\n  /label ~x\n- ask @all\n**bold**");
        assert_eq!(tamed, "# Steps\n\n&#47;close\n  &#47;label ~x\n- ask &#64;all\n**bold**");
    }
}
