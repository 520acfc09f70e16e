//! Where a file or folder stands, from the root of its repository.

use crate::pages::spot::Spot;
use askama::Template;
use askama::filters::HtmlSafe;
use repositories::objects::Path;

/// Steps that are shown: the first, and the last ones.
const MOST: usize = 14;

/// A path, each part of which leads to its folder.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/path.html")]
pub struct PathSteps {
    root: (String, String),
    /// Some behind the first are left out.
    has_gap: bool,
    steps: Vec<(String, String)>,
    last: String,
}

impl HtmlSafe for PathSteps {}

impl PathSteps {
    /// The path of a spot in the project of this name and address.
    pub fn of(project: &str, project_url: &str, spot: &Spot) -> PathSteps {
        let url = |path: &Path| spot.url(project_url, "tree", path);
        let path = spot.path.as_str();
        let ends: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
        let left_out = ends.len().saturating_sub(MOST);
        let step = |end: &usize| {
            let above = Path::read(&path[..*end]).unwrap_or_default();
            (above.name().to_owned(), url(&above))
        };
        PathSteps {
            root: (project.to_owned(), url(&Path::default())),
            has_gap: left_out > 0,
            steps: ends[left_out..].iter().map(step).collect(),
            last: spot.path.name().to_owned(),
        }
    }
}
