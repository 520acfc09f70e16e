//! Runs suites, several at once, each against a server of its own.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::suites::{Language, Suite};
use xtask::cluster::Cluster;
use xtask::server::{self, Server, Settings};
use xtask::steps::{self, Outcome};
use xtask::tools;
use xtask::tree;

/// Runs suites that find these programs, each against a server of its own, as
/// many at once as there are cores. The settings are those with GraphiQL.
pub fn run(
    suites: &[&'static Suite],
    engines: &[&str],
    program: &Path,
    programs: &[(&str, PathBuf)],
    settings: &[(&str, &str)],
) -> Outcome {
    prepare(suites, engines)?;
    let on = |engine: &&str| {
        let engine = (*engine).to_owned();
        suites.iter().map(move |suite| (*suite, engine.clone()))
    };
    let runs: VecDeque<(&Suite, String)> = engines.iter().flat_map(on).collect();
    let count = runs.len();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = cores.min(count);
    let (runs, failures) = (Mutex::new(runs), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for number in 0..workers {
            let (runs, failures) = (&runs, &failures);
            scope.spawn(move || {
                // A function, so that nobody waits for the list while one runs.
                let next = || held(runs).pop_front();
                while let Some((suite, engine)) = next() {
                    let place = Place {
                        program,
                        programs,
                        settings,
                        number,
                        alone: workers == 1,
                    };
                    if let Some(label) = place.failure(suite, &engine) {
                        held(failures).push(label);
                    }
                }
            });
        }
    });
    let failures = failures
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let passed = count - failures.len();
    steps::say(&format!("{passed} passed, {} failed", failures.len()));
    if failures.is_empty() {
        return Ok(());
    }
    Err(failures.join(", "))
}

/// Installs what the suites need, once, before several of them run at once.
pub fn prepare(suites: &[&'static Suite], engines: &[&str]) -> Outcome {
    if engines.contains(&"postgres") {
        tools::postgres()?;
    }
    for suite in suites {
        interpreter(suite.runs_on)?;
    }
    Ok(())
}

fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where one of the workers runs its suites.
struct Place<'a> {
    program: &'a Path,
    programs: &'a [(&'a str, PathBuf)],
    settings: &'a [(&'a str, &'a str)],
    number: usize,
    /// What a suite prints is shown as it comes.
    alone: bool,
}

impl Place<'_> {
    /// Runs a suite; its label when it fails.
    fn failure(&self, suite: &Suite, engine: &str) -> Option<String> {
        let label = format!("{} on {engine}", suite.name);
        steps::say(&format!("--- {label}"));
        let begun = Instant::now();
        let outcome = self.run(suite, engine);
        let took = steps::seconds(begun.elapsed());
        let said = fs::read_to_string(self.output()).unwrap_or_default();
        match outcome {
            Ok(()) => {
                steps::say(&format!("{said}--- {label} passed in {took}"));
                None
            }
            Err(error) => {
                steps::say(&format!("{said}--- {label} FAILED in {took}: {error}"));
                Some(label)
            }
        }
    }

    fn run(&self, suite: &Suite, engine: &str) -> Outcome {
        let script = tree::root().join(suite.script);
        if !script.is_file() {
            return Err(format!("{} is missing", suite.script));
        }
        let mut client = interpreter(suite.runs_on)?;
        let cluster = match engine {
            "postgres" => Some(Cluster::start()?),
            _ => None,
        };
        let data = server::fresh_directory(&format!("clients-{}", self.number))?;
        let server = Server::start(
            self.program,
            &Settings {
                data: &data,
                database: cluster.as_ref().map(Cluster::url),
                environment: match suite.graphiql {
                    true => self.settings,
                    false => &[],
                },
                named: suite.named,
            },
        )?;
        client
            .arg(&script)
            .current_dir(tree::root())
            .env("TENON_URL", server.url())
            .env("TENON_TOKEN", server.root_token()?)
            .env("TENON_ROOT_PASSWORD", server.root_password()?)
            .envs(self.programs.iter().map(|(name, value)| (name, value)));
        if !self.alone {
            let failed = |error: std::io::Error| format!("{}: {error}", self.output().display());
            let output = File::create(self.output()).map_err(failed)?;
            client.stderr(output.try_clone().map_err(failed)?);
            client.stdout(output);
        }
        steps::run(&mut client)?;
        server.stop()
    }

    /// What the suite printed.
    fn output(&self) -> PathBuf {
        let directory = tree::target().join("xtask");
        directory.join(format!("clients-{}.txt", self.number))
    }
}

/// A Python that finds what the suites share.
fn python(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("PYTHONPATH", tree::root().join("tests/clients"));
    command
}

/// The program that runs a suite, with the clients it imports installed.
fn interpreter(language: Language) -> Result<Command, String> {
    let (node, modules) = match language {
        Language::Python => return Ok(python(&tools::python()?)),
        Language::Conan1Python => {
            let own = tools::python_with("tests/clients/conan_1", "clients/conan_1")?;
            return Ok(python(&own));
        }
        Language::PythonAndRust => {
            let mut command = python(&tools::python()?);
            command.env("CLIENT", tools::sentry_over_reqwest()?);
            return Ok(command);
        }
        Language::Node => tools::node()?,
        Language::NpmNode => tools::node_with("tests/clients/npm", "clients/npm-node")?,
        Language::GraphqlNode => tools::node_with("tests/clients/graphql", "clients/graphql-node")?,
    };
    let mut command = Command::new(node);
    command.env("NODE_PATH", modules);
    Ok(command)
}
