//! What was found in code.

use super::Asked;
use crate::kinds::CodeKind;
use askama::Template;
use askama::filters::HtmlSafe;
use code::pages::parts::FoundFile;
use code::pages::parts::commit_rows::CommitRow;
use code::pages::parts::older::Older;
use code::search::places::Searched;
use code::search::{self, CodeQuery, FoundCommit, MOST_REPOSITORIES, Part};
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui;

/// Results of a page.
const ROWS: usize = 20;

/// Files or commits, a page of them.
#[derive(Template)]
#[template(path = "code_results.html")]
pub struct CodeResults {
    files: Vec<FoundFile>,
    commits: Vec<Row>,
    older: Older,
    /// There are more repositories than were searched.
    is_part: bool,
}

impl HtmlSafe for CodeResults {}

/// A commit and its project.
struct Row {
    commit: CommitRow,
    project: String,
    project_url: String,
}

impl CodeResults {
    /// Searches some repositories; `url` is the address of the search.
    pub async fn read(
        app: &App, kind: CodeKind, searched: &[Searched], asked: &Asked, url: String,
    ) -> Result<CodeResults> {
        let at = &asked.part;
        let part = Part { skip: at.skip(ROWS), most: ROWS + 1 };
        let (mut files, mut commits) = (Vec::new(), Vec::new());
        let has_more = match kind {
            CodeKind::Blobs => {
                let query = CodeQuery::parse(&asked.q)?;
                let mut found = search::files(app, searched, &query, part).await?;
                let has_more = Older::cut(&mut found, ROWS);
                let numbered = found.iter().enumerate();
                files.extend(numbered.map(|(number, one)| FoundFile::of(number, &query, one)));
                has_more
            }
            CodeKind::Commits => {
                let text = search::message(&asked.q)?;
                let mut found = search::commits(app, searched, &text, part).await?;
                let has_more = Older::cut(&mut found, ROWS);
                commits.extend(found.iter().map(|one| Row::of(app, one)));
                has_more
            }
        };
        Ok(CodeResults {
            files,
            commits,
            older: Older::of(at, has_more, &url),
            is_part: i64::try_from(searched.len()).is_ok_and(|count| count >= MOST_REPOSITORIES),
        })
    }

    fn is_empty(&self) -> bool {
        self.files.is_empty() && self.commits.is_empty()
    }
}

impl Row {
    fn of(app: &App, found: &FoundCommit<'_>) -> Row {
        let project_url = found.searched.project_url();
        Row {
            commit: CommitRow::of(&found.commit, &project_url, app.now()),
            project: found.searched.project.full_path.clone(),
            project_url,
        }
    }
}
