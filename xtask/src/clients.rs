//! Unmodified clients against the server.
//!
//! Every suite is a script that finds the server through the environment
//! (`TENON_URL`, `TENON_TOKEN` of the administrator, `TENON_ROOT_PASSWORD`)
//! and fails by its exit status; `TENON_FULL=1` asks for all it can try. Each
//! run gets a server of its own, started on an empty directory as a newcomer
//! would: the password is the one that it prints. Several run at once, since
//! most clients keep one core busy and wait much; what they print is shown when
//! they end.

mod runner;
mod suites;

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;

use self::runner::run;
use self::suites::{BROWSER, CLIENTS, Suite};
use crate::shared::{Depth, Shared};
use xtask::server;
use xtask::steps::Outcome;
use xtask::tools;

/// The databases that the server runs on.
pub const ENGINES: [&str; 2] = ["sqlite", "postgres"];

/// A suite and the engine that it runs on.
type Run = (&'static Suite, &'static str);

/// What `cargo xtask clients` takes.
#[derive(clap::Args)]
pub struct Options {
    /// Run only suites whose name or script holds this text.
    #[arg(default_value = "")]
    suite: String,
    /// On one engine only.
    #[arg(long, value_parser = PossibleValuesParser::new(ENGINES))]
    engine: Option<String>,
    /// Try all they can.
    #[arg(long)]
    full: bool,
    /// Against this program instead of the one that the tests build.
    #[arg(long)]
    program: Option<PathBuf>,
}

/// The real-client suites.
pub fn clients(shared: &Shared) -> Outcome {
    let program = server::checked()?;
    run(shared, &on_engines(shared, CLIENTS), &program, &programs()?, &[])
}

/// The browser suites.
pub fn browser(shared: &Shared) -> Outcome {
    let program = server::checked()?;
    in_browser(shared, &on_engines(shared, BROWSER), &program)
}

fn on_engines(shared: &Shared, suites: &'static [Suite]) -> Vec<Run> {
    let runs = suites.iter().flat_map(|suite| {
        shared.engines(suite.name).into_iter().map(move |engine| (suite, engine))
    });
    runs.collect()
}

/// Those of the real-client suites that are asked for.
pub fn some(options: &Options) -> Outcome {
    let depth = match options.full {
        true => Depth::Full,
        false => Depth::Usual,
    };
    let shared = Shared::new(depth);
    let runs = |suites| among(suites, &options.suite, options.engine.as_deref());
    let (clients, pages) = match options.suite.is_empty() {
        true => (runs(CLIENTS), Vec::new()),
        false => (runs(CLIENTS), runs(BROWSER)),
    };
    if clients.is_empty() && pages.is_empty() {
        return Err(format!("no suite is called {}", options.suite));
    }
    let program = match &options.program {
        Some(program) => program.clone(),
        None => server::checked()?,
    };
    if !clients.is_empty() {
        run(&shared, &clients, &program, &programs()?, &[])?;
    }
    match pages.is_empty() {
        true => Ok(()),
        false => in_browser(&shared, &pages, &program),
    }
}

/// The suites whose name or script holds this text, on this engine or on both.
fn among(suites: &'static [Suite], text: &str, engine: Option<&str>) -> Vec<Run> {
    let named = |suite: &&Suite| suite.name.contains(text) || suite.script.contains(text);
    let chosen = |one: &&&str| engine.is_none_or(|engine| **one == engine);
    let engines = ENGINES.iter().filter(chosen);
    let runs = engines.flat_map(|engine| {
        let suites = suites.iter().filter(named);
        suites.map(|suite| (suite, *engine))
    });
    runs.collect()
}

/// Programs that suites start, as variables of their environment.
fn programs() -> Result<[(&'static str, PathBuf); 2], String> {
    tools::packaged_clients()?;
    tools::go_and_composer()?;
    tools::maven()?;
    tools::nuget()?;
    tools::alertmanager()?;
    Ok([("CHROMIUM", tools::chromium()?), ("PYTHON", tools::python()?)])
}

/// Installs what all suites need, as far as it can: a suite that misses
/// something tries again and says why.
pub fn install() {
    let explorer = tools::node_with("tests/browser", "browser/node");
    let _ = (programs(), runner::prepare(CLIENTS), explorer);
}

fn in_browser(shared: &Shared, runs: &[Run], program: &Path) -> Outcome {
    let programs = [("CHROMIUM", tools::chromium()?)];
    let (_, explorer) = tools::node_with("tests/browser", "browser/node")?;
    let explorer = explorer.display().to_string();
    let settings = [("TENON_EXPLORER_DIR", &*explorer)];
    run(shared, runs, program, &programs, &settings)
}
