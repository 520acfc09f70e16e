//! Unmodified clients against the server, on both engines.
//!
//! Every suite is a script that finds the server through the environment
//! (`TENON_URL`, `TENON_TOKEN` of the administrator, `TENON_ROOT_PASSWORD`)
//! and fails by its exit status. Each run gets a server of its own, started
//! on an empty directory as a newcomer would: the password is the one that
//! it prints. Several run at once, since most clients keep one core busy and
//! wait much; what they print is shown when they end.

mod runner;
mod suites;

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;

use self::runner::run;
use self::suites::{BROWSER, CLIENTS, Suite};
use xtask::server;
use xtask::steps::{Outcome, cargo, linting_cargo};
use xtask::tools;

const ENGINES: [&str; 2] = ["sqlite", "postgres"];

/// What `cargo xtask clients` takes.
#[derive(clap::Args)]
pub struct Options {
    /// Run only suites whose name or script holds this text.
    #[arg(default_value = "")]
    suite: String,
    /// On one engine only.
    #[arg(long, value_parser = PossibleValuesParser::new(ENGINES))]
    engine: Option<String>,
    /// Against this program instead of the one that the tests build.
    #[arg(long)]
    program: Option<PathBuf>,
}

/// The real-client suites.
pub fn clients() -> Outcome {
    run(
        &chosen(""),
        &ENGINES,
        &server::checked(linting_cargo)?,
        &programs()?,
        &[],
    )
}

/// Those of the real-client suites that are asked for.
pub fn some(options: &Options) -> Outcome {
    let suites = chosen(&options.suite);
    let pages = match options.suite.is_empty() {
        true => Vec::new(),
        false => among(BROWSER, &options.suite),
    };
    if suites.is_empty() && pages.is_empty() {
        return Err(format!("no suite is called {}", options.suite));
    }
    let engines: Vec<&str> = match &options.engine {
        Some(engine) => vec![engine],
        None => ENGINES.to_vec(),
    };
    let program = match &options.program {
        Some(program) => program.clone(),
        None => server::checked(cargo)?,
    };
    if !suites.is_empty() {
        run(&suites, &engines, &program, &programs()?, &[])?;
    }
    match pages.is_empty() {
        true => Ok(()),
        false => in_browser(&pages, &engines, &program),
    }
}

/// The suites of clients whose name or script holds this text.
fn chosen(text: &str) -> Vec<&'static Suite> {
    among(CLIENTS, text)
}

fn among(suites: &'static [Suite], text: &str) -> Vec<&'static Suite> {
    let named = |suite: &&Suite| suite.name.contains(text) || suite.script.contains(text);
    suites.iter().filter(named).collect()
}

/// Programs that suites start, as variables of their environment.
fn programs() -> Result<[(&'static str, PathBuf); 2], String> {
    tools::packaged_clients()?;
    tools::go_and_composer()?;
    tools::maven()?;
    tools::nuget()?;
    tools::alertmanager()?;
    Ok([
        ("CHROMIUM", tools::chromium()?),
        ("PYTHON", tools::python()?),
    ])
}

/// Installs what all suites need, as far as it can: a suite that misses
/// something tries again and says why.
pub fn install() {
    let explorer = tools::node_with("tests/browser", "browser/node");
    let _ = (programs(), runner::prepare(&chosen(""), &ENGINES), explorer);
}

/// The browser suites.
pub fn browser() -> Outcome {
    in_browser(
        &among(BROWSER, ""),
        &ENGINES,
        &server::checked(linting_cargo)?,
    )
}

fn in_browser(suites: &[&'static Suite], engines: &[&str], program: &Path) -> Outcome {
    let programs = [("CHROMIUM", tools::chromium()?)];
    let (_, explorer) = tools::node_with("tests/browser", "browser/node")?;
    let explorer = explorer.display().to_string();
    let settings = [("TENON_EXPLORER_DIR", &*explorer)];
    run(suites, engines, program, &programs, &settings)
}
