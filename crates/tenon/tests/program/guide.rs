//! The guide is true: the shell blocks of every page run in order against a
//! fresh server, and answers shown below a block are those it gives.
//!
//! In a page, ```` ```sh ```` is run with bash, and a ```` ```json ```` or
//! ```` ```text ```` block after it is what the last `sh` block printed. JSON
//! may leave out fields; ids, times, dates and tokens may be any. Blocks in
//! other languages are for reading. A block that names a file, as in
//! ```` ```js tests/clients/examples/web-app.mjs ````, shows the whole file:
//! the suites of `tests/clients` run it with the clients it uses.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use testkit::postgres::Database;

/// The address the pages use; the test's own takes its place.
const WRITTEN: &str = "http://127.0.0.1:8080";
/// The programs that pages show.
const PROGRAMS: &str = "tests/clients/examples";
/// Stands before the output of each block.
const MARK: char = '\u{1e}';

macro_rules! pages {
    ($($name:ident: $file:literal,)*) => {
        $(#[test]
        fn $name() {
            run($file);
        })*

        const PAGES: &[&str] = &[$($file),*];
    };
}

pages! {
    the_start_page: "README.md",
    administration: "administration.md",
    alerts: "alerts.md",
    on_call: "on-call.md",
    error_tracking: "error-tracking.md",
    graphql: "graphql.md",
    groups_and_projects: "groups-and-projects.md",
    issues: "issues.md",
    limits_and_outages: "limits.md",
    maven_packages: "packages-maven.md",
    terraform_modules: "packages-terraform.md",
    packages: "packages.md",
    packages_of_composer: "packages-composer.md",
    packages_of_conan: "packages-conan.md",
    packages_of_go: "packages-go.md",
    packages_of_helm: "packages-helm.md",
    packages_of_npm: "packages-npm.md",
    packages_of_nuget: "packages-nuget.md",
    packages_of_python: "packages-python.md",
    the_rest_interface: "rest.md",
    search: "search.md",
    sign_up_and_spam: "sign-up-and-spam.md",
    sign_in_with_tenon: "sign-in-with-tenon.md",
    two_factor_authentication: "two-factor.md",
    users_and_tokens: "users-and-tokens.md",
}

/// Generic packages by curl, on the other engine.
#[test]
fn packages_on_postgres() {
    if let Some(database) = Database::create("guide_empty", |_| Ok(())) {
        run_on("packages.md", Some(database));
    }
}

#[test]
fn every_page_is_run() {
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(PAGES.contains(&name.as_str()), "{name} is not run");
    }
}

#[test]
fn programs_are_shown_as_they_are_run() {
    let mut shown = Vec::new();
    for page in PAGES {
        let source = std::fs::read_to_string(folder().join(page)).unwrap();
        for block in blocks(&source) {
            let Some((_, file)) = block.language.split_once(' ') else {
                continue;
            };
            let program = std::fs::read_to_string(root().join(file)).unwrap();
            assert_eq!(block.text, program, "{page}:{}: {file}", block.line);
            shown.push(file.to_owned());
        }
    }
    for entry in std::fs::read_dir(root().join(PROGRAMS)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let file = format!("{PROGRAMS}/{name}");
        assert!(shown.contains(&file), "no page shows {file}");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder() -> PathBuf {
    root().join("docs/guide")
}

/// A fenced block of a page.
struct Block {
    language: String,
    text: String,
    line: usize,
}

/// A running server in a directory of its own, killed when dropped.
struct Server {
    child: Child,
    url: String,
    directory: tempfile::TempDir,
    database: Option<Database>,
}

impl Server {
    /// On this PostgreSQL database, or on SQLite.
    fn start(database: Option<Database>) -> Server {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut child = command("tenon", directory.path(), database.as_ref())
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let errors = child.stderr.take().expect("standard error is piped");
        let mut lines = BufReader::new(errors).lines();
        let url = loop {
            let line = lines.next().expect("it serves").expect("text");
            if let Some(url) = line.strip_prefix("listening on ") {
                break url.to_owned();
            }
        };
        std::thread::spawn(move || lines.for_each(drop));
        Server { child, url, directory, database }
    }

    /// A token of the administrator, as the start page makes it.
    fn token(&self) -> String {
        let made = self
            .command("tenon")
            .args("token create --user root --name guide --scopes api,sudo".split(' '))
            .output()
            .expect("the program can be started");
        assert!(made.status.success(), "{}", text(&made.stderr));
        text(&made.stdout).trim().to_owned()
    }

    fn command(&self, program: &str) -> Command {
        command(program, self.directory.path(), self.database.as_ref())
    }

    fn bash(&self, script: &str) -> Output {
        self.command("bash")
            .args(["-c", script])
            .env("TOKEN", self.token())
            .env("API", format!("{}/api/v4", self.url))
            .output()
            .expect("bash can be started")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program in `directory`, with this build's `tenon` first in its path.
fn command(program: &str, directory: &Path, database: Option<&Database>) -> Command {
    let built = Path::new(env!("CARGO_BIN_EXE_tenon"));
    let mut path = built.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut command = match program {
        "tenon" => Command::new(built),
        other => Command::new(other),
    };
    command
        .current_dir(directory)
        .env("PATH", path)
        .env("HOME", directory)
        .env("TENON_ROOT_PASSWORD", "correct horse battery")
        .stdin(Stdio::null());
    if let Some(database) = database {
        command.env("TENON_DATABASE_URL", database.url());
    }
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn run(page: &str) {
    run_on(page, None);
}

fn run_on(page: &str, database: Option<Database>) {
    let source = std::fs::read_to_string(folder().join(page)).unwrap();
    let server = Server::start(database);
    let blocks = blocks(&source.replace(WRITTEN, &server.url));

    let output = server.bash(&script(&blocks));

    let printed = text(&output.stdout);
    let answers: Vec<&str> = printed.split(MARK).skip(1).collect();
    compare(page, &blocks, &answers);
    let last = blocks.iter().filter(|block| block.language == "sh");
    let line = last.clone().nth(answers.len().saturating_sub(1));
    assert!(
        output.status.success(),
        "{page}:{}: a command failed\n{printed}\n{}",
        line.map_or(0, |block| block.line),
        text(&output.stderr)
    );
}

/// The fenced blocks, with the line each begins in.
fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in (1..).zip(page.lines()) {
        match (line.strip_prefix("```"), open.take()) {
            (Some(_), Some(block)) => found.push(block),
            (Some(language), None) => {
                open = Some(Block {
                    language: language.to_owned(),
                    text: String::new(),
                    line: number,
                });
            }
            (None, Some(mut block)) => {
                block.text.push_str(line);
                block.text.push('\n');
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    found
}

/// All shell blocks as one script, so that variables last.
fn script(blocks: &[Block]) -> String {
    let mut script = String::from("set -euo pipefail\n");
    for block in blocks.iter().filter(|block| block.language == "sh") {
        script.push_str("printf '\\036'\n");
        script.push_str(&block.text);
    }
    script
}

/// Compares what is shown with what was printed, as far as the script came.
fn compare(page: &str, blocks: &[Block], answers: &[&str]) {
    let mut answers = answers.iter();
    let mut last = None;
    for block in blocks {
        match (block.language.as_str(), last) {
            ("sh", _) => match answers.next() {
                Some(answer) => last = Some(*answer),
                None => return,
            },
            ("json", Some(printed)) => {
                let shown: Value = serde_json::from_str(&block.text)
                    .unwrap_or_else(|error| panic!("{page}:{}: {error}", block.line));
                let given = serde_json::from_str(printed).unwrap_or(Value::Null);
                assert!(
                    matches("", &shown, &given),
                    "{page}:{}: shown\n{}printed\n{printed}",
                    block.line,
                    block.text
                );
            }
            ("text", Some(printed)) => {
                assert_eq!(lines(&block.text), lines(printed), "{page}:{}", block.line);
            }
            _ => {}
        }
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.trim().lines().map(str::trim_end).collect()
}

/// Whether every field shown is given, and both agree on what does not
/// differ from run to run.
fn matches(key: &str, shown: &Value, given: &Value) -> bool {
    match (shown, given) {
        (Value::Object(shown), Value::Object(given)) => shown
            .iter()
            .all(|(key, value)| given.get(key).is_some_and(|other| matches(key, value, other))),
        (Value::Array(shown), Value::Array(given)) => {
            let mut pairs = shown.iter().zip(given);
            shown.len() == given.len() && pairs.all(|(a, b)| matches(key, a, b))
        }
        (Value::String(shown), Value::String(given)) => {
            shown == given || (varies(shown) && shape(shown) == shape(given))
        }
        (Value::Number(_), Value::Number(_)) if key == "id" || key.ends_with("_id") => true,
        (shown, given) => shown == given,
    }
}

/// Whether a text is a time, a date or a token.
fn varies(text: &str) -> bool {
    let dated = shape(text).starts_with("0000-00-00");
    dated || text.starts_with("svpat-")
}

/// A text with every digit as 0, and of a token its prefix.
fn shape(text: &str) -> String {
    match text.strip_prefix("svpat-") {
        Some(_) => "svpat-".to_owned(),
        None => text.replace(|c: char| c.is_ascii_digit(), "0"),
    }
}
