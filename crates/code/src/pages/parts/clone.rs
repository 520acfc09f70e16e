//! How code is taken away: addresses for git, and archives.

use crate::archive;
use crate::pages::spot::encoded;
use askama::Template;
use askama::filters::HtmlSafe;
use spaces::model::Project;

/// Endings of archives that are offered.
const OFFERED: [&str; 4] = ["zip", "tar.gz", "tar.bz2", "tar"];

/// A menu with the addresses of a repository, and the archives of a ref.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/clone.html")]
pub struct CloneBox {
    http: String,
    ssh: String,
    archives: Vec<(&'static str, String)>,
}

impl HtmlSafe for CloneBox {}

impl CloneBox {
    /// Of what is no code, at this path.
    pub fn at(base_url: &str, path: &str) -> CloneBox {
        CloneBox {
            http: format!("{base_url}/{path}.git"),
            ssh: String::new(),
            archives: Vec::new(),
        }
    }

    /// With an address for git over SSH.
    pub fn with_ssh(self, url: &str) -> CloneBox {
        CloneBox { ssh: url.to_owned(), ..self }
    }

    /// Of a project, with the archives of a ref, if there is one.
    pub fn of(base_url: &str, project: &Project, name: Option<&str>) -> CloneBox {
        let url = format!("/{}", project.full_path);
        let archive = |name: &str, ending: &'static str| {
            let file = archive::name(&[&project.path, name]);
            (ending, format!("{url}/-/archive/{}/{}.{ending}", encoded(name), encoded(&file)))
        };
        CloneBox {
            archives: match name {
                Some(name) => OFFERED.map(|ending| archive(name, ending)).into(),
                None => Vec::new(),
            },
            ..CloneBox::at(base_url, &project.full_path)
        }
    }
}
