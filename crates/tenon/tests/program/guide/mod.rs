//! The guide is true: the shell blocks of README.md and of every page of the
//! guide run as they stand, each page on an empty server and all of them on one
//! server in any order, and answers shown below a block are those it gives.
//!
//! In a page, ```` ```sh ```` is run with bash, and a ```` ```json ```` or
//! ```` ```text ```` block after it is what the last `sh` block printed. JSON
//! may leave out fields; ids, times, dates and tokens may be any. The one block
//! ```` ```sh serve ```` starts a server. Blocks in other languages are for
//! reading. A block that names a file, as in
//! ```` ```js tests/clients/examples/web-app.mjs ````, shows the whole file:
//! the suites of `tests/clients` run it with the clients it uses.
//!
//! So that pages do not get into each other's way, each makes groups, projects
//! and users of its own, and sets settings back that it changed.

mod answers;
mod page;

use crate::place::{Place, Server};
use page::Page;
use serde_json::{Map, Value};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testkit::run;

/// Where the pages' server is; the test's own takes its place.
const WRITTEN: &str = "127.0.0.1:8080";
/// The programs that pages show.
const PROGRAMS: &str = "tests/clients/examples";
/// Stands before the output of each block.
const MARK: char = '\u{1e}';
/// What pages may change of the server as a whole.
const OF_THE_SERVER: &[&str] = &[
    "/application/settings",
    "/application/plan_limits",
    "/application/graphql_queries",
];

macro_rules! pages {
    ($($name:ident: $file:literal,)*) => {
        $(#[test]
        fn $name() {
            in_one_go(Place::sqlite(), &[$file]);
        })*

        const PAGES: &[&str] = &[$($file),*];
    };
}

pages! {
    first_steps: "README.md",
    the_start_page: "docs/guide/README.md",
    administration: "docs/guide/administration.md",
    alerts: "docs/guide/alerts.md",
    on_call: "docs/guide/on-call.md",
    error_tracking: "docs/guide/error-tracking.md",
    graphql: "docs/guide/graphql.md",
    repositories: "docs/guide/repositories.md",
    protected_branches: "docs/guide/protected-branches.md",
    reading_code: "docs/guide/code.md",
    merge_requests: "docs/guide/merge-requests.md",
    mirrors: "docs/guide/mirrors.md",
    imports: "docs/guide/imports.md",
    files_of_projects: "docs/guide/project-files.md",
    releases: "docs/guide/releases.md",
    wikis: "docs/guide/wikis.md",
    signing: "docs/guide/signing.md",
    snippets: "docs/guide/snippets.md",
    ci_variables: "docs/guide/ci-variables.md",
    pipelines: "docs/guide/pipelines.md",
    runners: "docs/guide/runners.md",
    schedules: "docs/guide/schedules.md",
    environments: "docs/guide/environments.md",
    dependencies: "docs/guide/dependencies.md",
    exports_of_dependencies: "docs/guide/dependency-exports.md",
    advisories_and_policies: "docs/guide/advisories.md",
    git_over_ssh: "docs/guide/ssh.md",
    groups_and_projects: "docs/guide/groups-and-projects.md",
    home_and_preferences: "docs/guide/home.md",
    issues: "docs/guide/issues.md",
    epics: "docs/guide/epics.md",
    boards: "docs/guide/boards.md",
    limits_and_outages: "docs/guide/limits.md",
    maven_packages: "docs/guide/packages-maven.md",
    terraform_modules: "docs/guide/packages-terraform.md",
    packages: "docs/guide/packages.md",
    packages_of_composer: "docs/guide/packages-composer.md",
    packages_of_conan: "docs/guide/packages-conan.md",
    packages_of_go: "docs/guide/packages-go.md",
    packages_of_helm: "docs/guide/packages-helm.md",
    packages_of_npm: "docs/guide/packages-npm.md",
    packages_of_nuget: "docs/guide/packages-nuget.md",
    packages_of_python: "docs/guide/packages-python.md",
    the_rest_interface: "docs/guide/rest.md",
    search: "docs/guide/search.md",
    storages_and_moves: "docs/guide/storage-moves.md",
    sign_up_and_spam: "docs/guide/sign-up-and-spam.md",
    sign_in_with_tenon: "docs/guide/sign-in-with-tenon.md",
    two_factor_authentication: "docs/guide/two-factor.md",
    users_and_tokens: "docs/guide/users-and-tokens.md",
    writing: "docs/guide/writing.md",
    activity: "docs/guide/activity.md",
    notifications: "docs/guide/notifications.md",
    answers_by_mail: "docs/guide/answers-by-mail.md",
}

#[test]
fn all_pages_forward() {
    in_one_go(Place::sqlite(), PAGES);
}

#[test]
fn all_pages_backward() {
    let order: Vec<&str> = PAGES.iter().rev().copied().collect();
    in_one_go(Place::sqlite(), &order);
}

#[test]
fn all_pages_shuffled() {
    in_one_go(Place::sqlite(), &shuffled("SQLite"));
}

#[test]
fn all_pages_shuffled_on_postgres() {
    if let Some(place) = Place::postgres() {
        in_one_go(place, &shuffled("PostgreSQL"));
    }
}

#[test]
fn every_page_is_run() {
    for entry in std::fs::read_dir(root().join("docs/guide")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let file = format!("docs/guide/{name}");
        assert!(PAGES.contains(&file.as_str()), "{file} is not run");
    }
}

#[test]
fn programs_are_shown_as_they_are_run() {
    let mut shown = Vec::new();
    for file in PAGES {
        for block in Page::read(file).blocks {
            let Some((_, program)) = block.language.split_once(' ') else {
                continue;
            };
            if block.language != page::SERVE {
                let source = std::fs::read_to_string(root().join(program)).unwrap();
                assert_eq!(block.text, source, "{file}:{}: {program}", block.line);
                shown.push(program.to_owned());
            }
        }
    }
    for entry in std::fs::read_dir(root().join(PROGRAMS)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let file = format!("{PROGRAMS}/{name}");
        assert!(shown.contains(&file), "no page shows {file}");
    }
}

/// Who starts a server for the first time sees what README.md shows.
#[test]
fn a_server_starts_as_it_is_written() {
    let blocks = Page::read("README.md").blocks;
    let start = blocks.iter().position(|block| block.language == page::SERVE).unwrap();
    let place = Place::sqlite();
    // The program is there already.
    let mut child = place
        .shell(&format!("cargo() {{ :; }}\n{}", blocks[start].text))
        .env("TENON_LISTEN", "127.0.0.1:0")
        .env_remove("TENON_ROOT_PASSWORD")
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("bash can be started");
    let mut said = Vec::new();
    for line in BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok) {
        let is_ready = line.starts_with("listening on ");
        said.push(line);
        if is_ready {
            break;
        }
    }
    let group = format!("-{}", child.id());
    Command::new("kill").args(["-KILL", "--", &group]).status().expect("kill runs");
    child.wait().expect("it ends");

    // The last words are the password and the address.
    let fixed = |line: &str| line.rsplit_once(' ').map(|(head, _)| head.to_owned());
    let shown: Vec<_> = blocks[start + 1].text.lines().map(fixed).collect();
    let said: Vec<_> = said.iter().map(|line| fixed(line)).collect();
    assert_eq!(said, shown);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All pages in an order of this commit.
fn shuffled(salt: &str) -> Vec<&'static str> {
    let told = Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root()).output();
    let commit = told.map(|output| text(&output.stdout)).unwrap_or_default();
    let number = |page: &&str| {
        let mut hasher = DefaultHasher::new();
        (commit.trim(), salt, page).hash(&mut hasher);
        hasher.finish()
    };
    let mut order = PAGES.to_vec();
    order.sort_by_key(number);
    order
}

/// Runs the pages one after another in one shell, on one new server, which they
/// leave with the settings it had. It has the storage that the page about them names.
fn in_one_go(place: Place, files: &[&str]) {
    let archive = format!("archive=file://{}/archive", place.path().display());
    let place = place.with("TENON_STORAGES", &archive);
    run(walk(&place, files));
}

#[expect(
    clippy::print_stdout,
    reason = "what fails is shown with what it printed"
)]
async fn walk(place: &Place, files: &[&str]) {
    println!("in this order: {files:?}");
    let server = place.serve();
    let scopes = "token create --user root --name guide --scopes api,sudo";
    let token = place.succeeds(&scopes.split(' ').collect::<Vec<_>>());
    let pages: Vec<Page> = files.iter().map(|file| Page::read(file).at(&server.url)).collect();
    let before = settings(&server, &token).await;

    let mut script = String::from("set -euo pipefail\n");
    for page in &pages {
        script.push_str(&page.script(&server.url, &token));
    }
    let file = place.path().join("all.sh");
    std::fs::write(&file, script).expect("written");
    let output = place.shell("source all.sh").output().expect("bash can be started");

    let printed = text(&output.stdout);
    let mut answers = printed.split(MARK).skip(1);
    for page in &pages {
        let mut of_page: Vec<&str> = answers.by_ref().take(page.commands().count()).collect();
        let is_last = answers.clone().next().is_none();
        if is_last && !output.status.success() {
            let failed = of_page.pop().unwrap_or_default();
            page.compare(&of_page);
            let line = page.commands().nth(of_page.len()).map_or(0, |block| block.line);
            let said = text(&output.stderr);
            panic!("{}:{line}: a command failed\n{failed}\n{said}", page.file);
        }
        page.compare(&of_page);
    }
    let after = settings(&server, &token).await;
    let changed: Vec<_> =
        after.iter().filter(|(key, value)| before.get(*key) != Some(value)).collect();
    assert!(changed.is_empty(), "a page left settings changed: {changed:?}");
}

/// What the server as a whole is set to.
async fn settings(server: &Server, token: &str) -> Map<String, Value> {
    let client = server.client(token);
    let mut found = Map::new();
    for path in OF_THE_SERVER {
        match client.get(path).await.is(200).json() {
            Value::Object(fields) => found.extend(fields),
            list => {
                found.insert((*path).to_owned(), list);
            }
        }
    }
    // When they were changed last.
    found.remove("updated_at");
    found
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
