//! What is kept in a repository: the code of a project, or something of a room above.

use crate::formats::ref_name::RefName;
use crate::model::{Holder, Repository};
use spaces::model::Project;

/// The branch of repositories whose holder names none.
const USUAL_BRANCH: &str = "main";

/// What a repository is for.
#[derive(Debug, Clone)]
pub enum Place {
    /// The code of a project, with all that guards it.
    Code(Box<Project>),
    /// A wiki or a snippet: a room above says who may do what.
    Content(Content),
}

/// Something of a room above that is kept in a repository.
#[derive(Debug, Clone)]
pub struct Content {
    pub holder: Holder,
    /// Its address without `.git`: `acme/anvil.wiki`, `snippets/7`.
    pub path: String,
}

impl Place {
    /// The code of this project.
    pub fn code(project: &Project) -> Place {
        Place::Code(Box::new(project.clone()))
    }

    /// Whose it is.
    pub fn holder(&self) -> Holder {
        match self {
            Place::Code(project) => Holder::Code(project.id),
            Place::Content(content) => content.holder,
        }
    }

    /// The address of the repository without `.git`.
    pub fn path(&self) -> &str {
        match self {
            Place::Code(project) => &project.full_path,
            Place::Content(content) => &content.path,
        }
    }

    /// The branch that is wished for as the default one.
    pub fn default_branch(&self) -> Option<&str> {
        match self {
            Place::Code(project) => project.default_branch.as_deref(),
            Place::Content(_) => None,
        }
    }

    /// The ref that HEAD stands for, or will.
    pub fn head(&self, repository: Option<&Repository>) -> RefName {
        let wished = || RefName::branch(self.default_branch()?).ok();
        let usual = || RefName::branch(USUAL_BRANCH).expect("it is a good name");
        match repository {
            Some(repository) => repository.head.clone(),
            None => wished().unwrap_or_else(usual),
        }
    }
}
