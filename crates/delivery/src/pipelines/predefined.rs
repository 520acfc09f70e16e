//! What this server itself tells rules and jobs: of itself, the project, the commit and
//! the pipeline (contract 8.4). Names stand beside those of other products, which files
//! of users ask for.

use super::model::Source;
use super::requests::Told;
use jiff::Timestamp;
use kernel::app::App;
use pipeline_file::environments::name_slug;
use pipeline_file::{Level, Variable};
use repositories::objects::Commit;
use spaces::model::Project;

/// Bytes of the message of a commit that jobs are given.
const MOST_MESSAGE: usize = 100_000;
/// The id of no commit.
pub const NO_COMMIT: &str = "0000000000000000000000000000000000000000";

/// What is known of a pipeline before it is there.
#[derive(Debug, Clone)]
pub struct Facts {
    pub project: Project,
    pub source: Source,
    /// The name of a branch or tag, or `refs/merge-requests/…`.
    pub on_ref: String,
    pub tag: bool,
    pub before_sha: String,
    pub protected: bool,
    pub commit: Commit,
    pub created_at: Timestamp,
    pub config_path: String,
    /// Nothing is to be deployed now.
    pub is_frozen: bool,
    /// Of merge requests.
    pub told: Told,
}

impl Facts {
    /// Those of the server, the project, the commit and the pipeline.
    pub fn variables(&self, app: &App) -> Vec<Variable> {
        let mut all = Pairs::default();
        server(app, &mut all);
        project(app, &self.project, &self.config_path, &mut all);
        self.commit(&mut all);
        all.add("CI_PIPELINE_SOURCE", self.source.as_str());
        all.add(
            "CI_PIPELINE_CREATED_AT",
            self.created_at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        );
        if self.is_frozen {
            all.add("CI_DEPLOY_FREEZE", "true");
        }
        self.told.tell(&mut all);
        all.0
    }

    /// The branch or tag: of a merge request its source branch.
    fn ref_name(&self) -> &str {
        let request = self.told.request.as_ref();
        request.map_or(self.on_ref.as_str(), |one| one.source_branch.as_str())
    }

    fn commit(&self, all: &mut Pairs) {
        let commit = &self.commit;
        let sha = commit.id.to_string();
        let message = cut(&commit.message, MOST_MESSAGE);
        let (title, description) = message.split_once('\n').unwrap_or((message, ""));
        all.add("CI_COMMIT_SHORT_SHA", &sha[..8]);
        all.add("CI_COMMIT_SHA", sha);
        all.add("CI_COMMIT_BEFORE_SHA", self.before_sha.as_str());
        all.add("CI_COMMIT_REF_NAME", self.ref_name());
        all.add("CI_COMMIT_REF_SLUG", name_slug(self.ref_name()));
        match (self.tag, self.on_ref.starts_with("refs/")) {
            (true, _) => all.add("CI_COMMIT_TAG", self.on_ref.as_str()),
            (false, false) => all.add("CI_COMMIT_BRANCH", self.on_ref.as_str()),
            (false, true) => {}
        }
        all.add("CI_COMMIT_REF_PROTECTED", self.protected.to_string());
        all.add("CI_COMMIT_TITLE", title);
        all.add("CI_COMMIT_DESCRIPTION", description.trim());
        all.add("CI_COMMIT_MESSAGE", message);
        if message.len() < commit.message.len() {
            all.add("CI_COMMIT_MESSAGE_IS_TRUNCATED", "true");
        }
        let author = &commit.author;
        all.add("CI_COMMIT_AUTHOR", format!("{} <{}>", author.name, author.email));
        let at = commit.committer.local_time();
        all.add("CI_COMMIT_TIMESTAMP", at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string());
    }
}

/// Variables as they are told; values hold no NUL, which no process takes.
#[derive(Default)]
pub(super) struct Pairs(pub Vec<Variable>);

impl Pairs {
    pub fn add(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into().replace('\0', "");
        self.0
            .push(Variable { raw: true, ..Variable::new(Level::Predefined, name, value) });
    }
}

fn server(app: &App, all: &mut Pairs) {
    let url = app.base_url();
    let (protocol, rest) = url.split_once("://").unwrap_or(("http", url));
    let place = rest.split('/').next().unwrap_or_default();
    let host = app.host();
    let port = place.strip_prefix(host).and_then(|rest| rest.strip_prefix(':'));
    for name in ["CI", "GITLAB_CI"] {
        all.add(name, "true");
    }
    all.add("CI_SERVER", "yes");
    all.add("CI_SERVER_URL", url);
    all.add("CI_SERVER_FQDN", place);
    all.add("CI_SERVER_HOST", host);
    all.add("CI_SERVER_PORT", port.unwrap_or(if protocol == "https" { "443" } else { "80" }));
    all.add("CI_SERVER_PROTOCOL", protocol);
    all.add("CI_SERVER_NAME", "tenon");
    version(app.config().version, all);
    all.add("CI_SERVER_SHELL_SSH_HOST", host);
    let ssh = app.config().ssh_port.unwrap_or(22).to_string();
    all.add("CI_SERVER_SHELL_SSH_PORT", ssh);
    all.add("CI_API_V4_URL", format!("{url}/api/v4"));
    all.add("CI_API_GRAPHQL_URL", format!("{url}/api/graphql"));
}

/// A version and its three numbers, which what is behind a hyphen is no part of.
fn version(version: &str, all: &mut Pairs) {
    all.add("CI_SERVER_VERSION", version);
    let mut numbers = version.split('-').next().unwrap_or_default().split('.');
    for name in ["MAJOR", "MINOR", "PATCH"] {
        all.add(&format!("CI_SERVER_VERSION_{name}"), numbers.next().unwrap_or("0"));
    }
}

fn project(app: &App, project: &Project, config_path: &str, all: &mut Pairs) {
    let path = project.full_path.as_str();
    let namespace = project.namespace_full_path.as_str();
    let visibility = spaces::model::Visibility::of(project.visibility);
    all.add("CI_PROJECT_ID", project.id.to_string());
    all.add("CI_PROJECT_NAME", project.path.as_str());
    all.add("CI_PROJECT_TITLE", project.name.as_str());
    all.add("CI_PROJECT_DESCRIPTION", project.description.clone().unwrap_or_default());
    all.add("CI_PROJECT_PATH", path);
    all.add("CI_PROJECT_PATH_SLUG", name_slug(path));
    all.add("CI_PROJECT_NAMESPACE", namespace);
    all.add("CI_PROJECT_NAMESPACE_SLUG", name_slug(namespace));
    all.add("CI_PROJECT_NAMESPACE_ID", project.namespace_id.to_string());
    all.add("CI_PROJECT_ROOT_NAMESPACE", namespace.split('/').next().unwrap_or_default());
    all.add("CI_PROJECT_URL", project.web_url(app.base_url()));
    all.add("CI_PROJECT_VISIBILITY", visibility.as_str());
    if let Some(branch) = &project.default_branch {
        all.add("CI_DEFAULT_BRANCH", branch.as_str());
    }
    all.add("CI_CONFIG_PATH", config_path);
}

/// The beginning of a text, in so many bytes.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_told_whole_and_in_numbers() {
        let mut all = Pairs::default();
        version("17.11.0-tenon", &mut all);
        let values: Vec<&str> = all.0.iter().map(|one| one.value.as_str()).collect();
        assert_eq!(values, ["17.11.0-tenon", "17", "11", "0"]);
    }
}
