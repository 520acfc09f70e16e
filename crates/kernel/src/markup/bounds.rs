//! What rendering one text, and all texts at the same time, may take.

use crate::error::{Error, Result};
use std::sync::OnceLock;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// Cells of tables that are in no row of the text: the parser completes rows.
const MAX_COMPLETED: usize = 5_000;
/// References to footnotes, each of which leads there and back.
const MAX_FOOTNOTES: usize = 1_000;
/// Characters with a meaning: each may become a node of the tree, which takes
/// some three hundred bytes.
const MAX_MARKS: usize = 200_000;
/// Bytes of HTML: so many whatever the text, so many for each of its bytes,
/// and so many at most.
const OUTPUT: usize = 512 * 1024;
const OUTPUT_PER_BYTE: usize = 8;
const MAX_OUTPUT: usize = 4 * 1024 * 1024;
/// How long a text waits for its turn.
const WAIT: Duration = Duration::from_secs(2);

/// Whether a text means to take much, as far as that is seen before it is
/// parsed.
pub(super) fn is_dear(markdown: &str) -> bool {
    let footnotes = || markdown.matches("[^").count();
    let marks = || markdown.bytes().filter(|byte| is_mark(*byte)).count();
    completed_cells(markdown) > MAX_COMPLETED
        || footnotes() > MAX_FOOTNOTES
        || (markdown.len() > MAX_MARKS && marks() > MAX_MARKS)
}

fn is_mark(byte: u8) -> bool {
    byte == b'\n' || (byte.is_ascii_punctuation() && !matches!(byte, b',' | b';' | b'"' | b'\''))
}

/// Bytes that may become of a text.
pub(super) fn most(markdown: &str) -> usize {
    let most = OUTPUT.saturating_add(markdown.len().saturating_mul(OUTPUT_PER_BYTE));
    most.min(MAX_OUTPUT.max(markdown.len().saturating_mul(2)))
}

/// Whether what became of a text is in proportion to it.
pub(super) fn is_bounded(html: &str, markdown: &str) -> bool {
    html.len() <= most(markdown)
}

/// What becomes of a text, given up as soon as it is out of proportion.
pub(super) struct Bounded {
    pub text: String,
    most: usize,
}

impl Bounded {
    pub fn of(markdown: &str) -> Bounded {
        Bounded { text: String::new(), most: most(markdown) }
    }
}

impl std::fmt::Write for Bounded {
    fn write_str(&mut self, part: &str) -> std::fmt::Result {
        if part.len() > self.most.saturating_sub(self.text.len()) {
            return Err(std::fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

/// How many cells the parser would add to the rows of tables, counted too high
/// rather than too low: every line of dashes and bars may begin a table that
/// goes on to the next empty line.
fn completed_cells(markdown: &str) -> usize {
    let (mut columns, mut completed) = (0_usize, 0_usize);
    for line in markdown.lines() {
        let line = line.trim_matches(|c| matches!(c, ' ' | '\t' | '>'));
        if line.is_empty() {
            columns = 0;
            continue;
        }
        let bars = line.bytes().filter(|byte| *byte == b'|').count();
        if line.contains('-') && line.bytes().all(|byte| b"|-: \t".contains(&byte)) {
            columns = columns.max(bars + 1);
        } else {
            completed = completed.saturating_add(columns.saturating_sub(bars + 1));
        }
    }
    completed
}

/// Waits for the right to render, on whatever thread that is then done. Taken
/// before a transaction, so that none is held by who waits.
pub async fn turn() -> Result<SemaphorePermit<'static>> {
    static TURNS: OnceLock<Semaphore> = OnceLock::new();
    let turns = TURNS.get_or_init(|| {
        let cores = std::thread::available_parallelism().map_or(2, |cores| cores.get());
        // Half of the cores are left to whoever asks for no text.
        Semaphore::new((cores / 2).max(1))
    });
    let Ok(turn) = timeout(WAIT, turns.acquire()).await else {
        let busy = "Too many texts are being rendered. Try again later.";
        return Err(Error::Unavailable(busy.into()));
    };
    turn.map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::super::{Link, Rendering, render};
    use super::{MAX_OUTPUT, most};
    use proptest::prelude::*;

    /// What markup is made of: short to write, long to show.
    const UNITS: &[&str] = &[
        "x",
        " ",
        "\n",
        "&",
        "<",
        "\"",
        "\u{e9}",
        "*a* ",
        "`b` ",
        "# c\n",
        "> ",
        "- ",
        "- [ ] d\n",
        "1. ",
        "|a|b|\n|-|-|\n",
        "|c|d|\n",
        ":tada: ",
        "[e](f) ",
        "[g][h]",
        "[^1]",
        "\n[^1]: i\n",
        "![j](k) ",
        "![](/uploads/0123456789abcdef0123456789abcdef/a.mp4)",
        "#1 ",
        "https://a.b ",
        "<b>",
        "</b>",
        "```rust\n",
        "```js\n",
        "```\n",
        "fn f(a: u8) {} ",
        "1 a \"b\" ",
        "{\"a\":1}",
        "~~l~~ ",
        "\n\n",
    ];

    /// A text as a page shows it that has everything: forms, uploads, long names.
    fn shown(text: &str) -> String {
        let find = |text: &str| -> Vec<Link> {
            let link = |(at, _)| Link {
                range: at..at + 2,
                text: "#1".into(),
                url: format!("/{}/-/issues/1", "n".repeat(255)),
                title: "t\"".repeat(127),
            };
            text.match_indices("#1").map(link).collect()
        };
        let (id, uploads, tasks) = ("n123456789-", "/-/project/123456", "n123456789-boxes");
        Rendering {
            find: &find,
            lowered: 2,
            id,
            uploads,
            tasks,
            ..Rendering::default()
        }
        .html(text)
    }

    fn stays_in_proportion(text: &str) {
        let html = shown(text);
        // As it is, a text grows fivefold.
        let limit = most(text).max(text.len() * 5 + 200);
        assert!(html.len() <= limit, "{} became {}: {text:?}", text.len(), html.len());
    }

    #[test]
    fn no_text_of_any_size_becomes_a_page_many_times_as_large() {
        for unit in UNITS {
            for size in [1_000, 40_000] {
                stays_in_proportion(&unit.repeat(size / unit.len()));
            }
        }
        let greatest = "&".repeat(1_000_000);
        assert!(shown(&greatest).len() <= MAX_OUTPUT.max(5 * greatest.len() + 200));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn no_mixture_grows_out_of_proportion(
            units in prop::collection::vec(prop::sample::select(UNITS), 1..12),
        ) {
            let unit = units.concat();
            stays_in_proportion(&unit.repeat(12_000 / unit.len()));
        }
    }

    #[test]
    fn what_grows_out_of_proportion_is_shown_as_it_is() {
        let dear = [
            format!("{}\n{}\n{}", "|a".repeat(5000), "|-".repeat(5000), "|x|\n".repeat(100)),
            format!("> {}\n> {}\n{}", "|a".repeat(999), "|-".repeat(999), "> |x|\n".repeat(100)),
            format!("{}\n\n[^a]: x", "[^a]".repeat(50_000)),
            "*a*\n".repeat(100_000),
            "x\n\n".repeat(300_000),
        ];
        for text in dear {
            let html = render(&text);
            assert!(html.contains("shown as it is"), "{}", &text[..20]);
            assert!(html.len() <= text.len() * 2 + 200);
        }
    }

    #[test]
    fn what_people_write_is_rendered() {
        let table = format!("|a|b|c|\n|-|-|-|\n{}", "|1|2|3|\n".repeat(2000));
        let short = format!("|a|b|c|\n|-|-|-|\n{}", "|1|\n".repeat(1000));
        let notes: String = (0..300).map(|n| format!("a[^{n}]\n\n[^{n}]: x\n\n")).collect();
        let prose = "Some **words**, and a [link](https://example.com).\n\n".repeat(5000);
        for text in [table, short, notes, prose, "- [x] done\n".repeat(2000)] {
            assert!(!render(&text).contains("shown as it is"), "{}", &text[..20]);
        }
    }
}
