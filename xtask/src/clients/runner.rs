//! Runs suites, several at once, each against a server of its own.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::Run;
use super::suites::{Language, Suite};
use crate::shared::Shared;
use xtask::costs;
use xtask::server::{self, Server, Settings};
use xtask::slots;
use xtask::steps::{self, Outcome};
use xtask::tools;
use xtask::tree;

/// Runs suites that find these programs, each against a server of its own, as
/// many at once as places are free. The settings are those with GraphiQL.
pub fn run(
    shared: &Shared, runs: &[Run], program: &Path, programs: &[(&str, PathBuf)],
    settings: &[(&str, &str)],
) -> Outcome {
    tools::postgres()?;
    prepare(runs.iter().map(|(suite, _)| *suite))?;
    let (count, step) = (runs.len(), costs::step());
    let workers = slots::cores().min(count);
    let runs = Mutex::new(VecDeque::from(runs.to_vec()));
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                costs::enter(step);
                let place = Place {
                    shared,
                    program,
                    programs,
                    settings,
                    number: shared.number(),
                    alone: workers == 1,
                };
                // A function, so that nobody waits for the list while one runs.
                let next = || held(&runs).pop_front();
                while let Some((suite, engine)) = next() {
                    let _slot = shared.slots.take();
                    if let Some(label) = place.failure(suite, engine) {
                        held(&failures).push(label);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    let passed = count - failures.len();
    steps::say(&format!("{passed} passed, {} failed", failures.len()));
    if failures.is_empty() {
        return Ok(());
    }
    Err(failures.join(", "))
}

/// Installs what the suites need, once, before several of them run at once.
pub fn prepare<'s>(suites: impl IntoIterator<Item = &'s Suite>) -> Outcome {
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
    shared: &'a Shared,
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
        // That of the suite before it is not shown as its own.
        let _ = fs::remove_file(self.output());
        let (begun, before) = (Instant::now(), costs::spent());
        let outcome = self.run(suite, engine);
        let took = format!(
            "{}, {:.0} s of a core",
            steps::seconds(begun.elapsed()),
            (costs::spent() - before).as_secs_f64()
        );
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
        let database = match engine {
            "postgres" => {
                let name = format!("clients_{}", self.shared.number());
                Some(self.shared.cluster()?.database(&name)?)
            }
            _ => None,
        };
        let data = server::fresh_directory(&format!("clients-{}", self.number))?;
        let smtp = server::free_port()?.to_string();
        let mail_url = format!("smtp://127.0.0.1:{smtp}");
        let mail = [("TENON_MAIL_URL", mail_url.as_str())];
        let providers = Providers::at(server::free_port()?);
        let where_they_are = providers.environment();
        let server = Server::start(
            self.program,
            &Settings {
                data: &data,
                database: database.as_deref(),
                environment: match suite {
                    Suite { graphiql: true, .. } => self.settings,
                    Suite { mailed: true, .. } => &mail,
                    Suite { by_ssh: true, .. } => &[("TENON_SSH_LISTEN", "127.0.0.1:0")],
                    Suite { with_providers: true, .. } => &where_they_are,
                    _ => &[],
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
            .env("TENON_MAIL", data.join("mail"))
            .env("SMTP_PORT", smtp)
            .env("UPSTREAM_PORT", providers.port.to_string())
            .env("TENON_FULL", if self.shared.is_full() { "1" } else { "" })
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

/// Where a server looks for the public providers that projects are imported from.
struct Providers {
    port: u16,
    /// Of git.
    root: String,
    provider_a: String,
    provider_b_cloud: String,
}

impl Providers {
    /// All of them at one port of this machine.
    fn at(port: u16) -> Providers {
        let root = format!("http://127.0.0.1:{port}");
        Providers {
            port,
            provider_a: format!("{root}/api/v3"),
            provider_b_cloud: format!("{root}/2.0"),
            root,
        }
    }

    fn environment(&self) -> [(&str, &str); 4] {
        [
            ("TENON_PROVIDER_A_API_URL", self.provider_a.as_str()),
            ("TENON_PROVIDER_A_GIT_URL", self.root.as_str()),
            ("TENON_PROVIDER_B_CLOUD_API_URL", self.provider_b_cloud.as_str()),
            ("TENON_PROVIDER_B_CLOUD_GIT_URL", self.root.as_str()),
        ]
    }
}

/// A suite that waits for ever would hold up all others without a word: it is ended
/// after this many seconds, several times what the longest one takes.
const SUITE_LIMIT: &str = "1800";

/// A program that is ended at the limit, with all that it started.
fn limited(program: &Path) -> Command {
    let mut command = costs::counted("timeout");
    command.args(["--kill-after=10", SUITE_LIMIT]).arg(program);
    command
}

/// A Python that finds what the suites share.
fn python(program: &Path) -> Command {
    let mut command = limited(program);
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
        Language::ConfiguredPython => {
            let own = tools::python_with("tests/clients/configured", "clients/configured")?;
            return Ok(python(&own));
        }
        Language::GlabPython => {
            let own = "tests/clients/glab_discussion";
            return Ok(python(&tools::python_of_any_age(own, "clients/glab_discussion")?));
        }
        Language::PythonAndRust(program) => {
            let mut command = python(&tools::python()?);
            command.env("CLIENT", tools::program(program)?);
            return Ok(command);
        }
        Language::PythonAndNode(folder) => {
            let packages = format!("tests/clients/{folder}");
            let (node, modules) = tools::node_with(&packages, &format!("clients/{folder}-node"))?;
            let mut command = python(&tools::python()?);
            command.env("NODE", node).env("NODE_PATH", modules);
            return Ok(command);
        }
        Language::Node => tools::node()?,
        Language::NodeAndCargo => {
            let (node, modules) = tools::node()?;
            let mut command = limited(&node);
            command.env("NODE_PATH", modules);
            command.env("CARGO_TOOLS", tools::cargo_cyclonedx()?);
            return Ok(command);
        }
        Language::NpmNode => tools::node_with("tests/clients/npm", "clients/npm-node")?,
        Language::ReleaseNode => {
            tools::node_with("tests/clients/semantic_release", "clients/release-node")?
        }
        Language::ReviewNode => tools::node_with("tests/clients/danger", "clients/danger-node")?,
        Language::UpdateNode => {
            tools::node_with("tests/clients/renovate", "clients/renovate-node")?
        }
        Language::GraphqlNode => tools::node_with("tests/clients/graphql", "clients/graphql-node")?,
    };
    let mut command = limited(&node);
    command.env("NODE_PATH", modules);
    Ok(command)
}
