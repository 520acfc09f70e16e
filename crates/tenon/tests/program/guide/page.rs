//! A page: its fenced blocks, and the script that they make.

use super::answers::matches;
use super::{WRITTEN, root};

/// Begins a server.
pub const SERVE: &str = "sh serve";
/// Says that the page goes on with the variables of the guide's start page.
const GOES_ON: &str = "`TOKEN` and `API` are set as on the";
/// A page without this begins with its own.
const VARIABLES: &str = "unset TOKEN API\n";

/// A page of the guide.
pub struct Page {
    /// Below the project's root.
    pub file: String,
    pub blocks: Vec<Block>,
    goes_on: bool,
}

/// A fenced block of a page.
pub struct Block {
    /// What stands behind the fence.
    pub language: String,
    pub text: String,
    pub line: usize,
}

impl Page {
    pub fn read(file: &str) -> Page {
        let source = std::fs::read_to_string(root().join(file)).unwrap();
        Page {
            file: file.to_owned(),
            blocks: blocks(&source),
            goes_on: source.contains(GOES_ON),
        }
    }

    /// The same page, of the server at this address.
    pub fn at(mut self, url: &str) -> Page {
        for block in &mut self.blocks {
            let host = url.trim_start_matches("http://");
            block.text = block.text.replace(WRITTEN, host);
        }
        self
    }

    /// The blocks that are run.
    pub fn commands(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| block.language == "sh")
    }

    /// Its blocks as one script, so that variables last.
    pub fn script(&self, url: &str, token: &str) -> String {
        let mut script = match self.goes_on {
            true => format!("TOKEN={token}\nAPI={url}/api/v4\n"),
            false => VARIABLES.to_owned(),
        };
        for block in self.commands() {
            script.push_str("printf '\\036'\n");
            script.push_str(&block.text);
        }
        script
    }

    /// Compares what is shown with what was printed, as far as the script came.
    pub fn compare(&self, answers: &[&str]) {
        let mut answers = answers.iter();
        let mut last = None;
        for block in &self.blocks {
            let at = format!("{}:{}", self.file, block.line);
            match (block.language.as_str(), last) {
                ("sh", _) => match answers.next() {
                    Some(answer) => last = Some(*answer),
                    None => return,
                },
                ("json", Some(printed)) => {
                    let shown = serde_json::from_str(&block.text)
                        .unwrap_or_else(|error| panic!("{at}: {error}"));
                    let given = serde_json::from_str(printed).unwrap_or_default();
                    assert!(
                        matches("", &shown, &given),
                        "{at}: shown\n{}printed\n{printed}",
                        block.text
                    );
                }
                ("text", Some(printed)) => assert_eq!(lines(&block.text), lines(printed), "{at}"),
                _ => {}
            }
        }
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.trim().lines().map(str::trim_end).collect()
}

/// The fenced blocks, with the line each begins in.
fn blocks(source: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (line, text) in (1..).zip(source.lines()) {
        match (text.strip_prefix("```"), open.take()) {
            (Some(_), Some(block)) => found.push(block),
            (Some(language), None) => {
                let language = language.to_owned();
                open = Some(Block { language, text: String::new(), line });
            }
            (None, Some(mut block)) => {
                block.text.push_str(text);
                block.text.push('\n');
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    found
}
