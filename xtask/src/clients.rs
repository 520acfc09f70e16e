//! Unmodified clients against the server, on both engines.
//!
//! Every suite is a script that finds the server through the environment
//! (`TENON_URL`, `TENON_TOKEN` of the administrator, `TENON_ROOT_PASSWORD`)
//! and fails by its exit status. Each run gets a server of its own, started
//! on an empty directory as a newcomer would: the password is the one that
//! it prints. Several run at once, since most clients keep one core busy and
//! wait much; what they print is shown when they end.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use clap::builder::PossibleValuesParser;

use xtask::cluster::Cluster;
use xtask::server::{self, Server, Settings};
use xtask::steps::{self, Outcome};
use xtask::tools;
use xtask::tree;

/// One script and the program that runs it.
struct Suite {
    /// Shown while it runs.
    name: &'static str,
    /// In the checkout.
    script: &'static str,
    runs_on: Language,
    /// Against a server that calls itself `localhost`.
    named: bool,
}

#[derive(Clone, Copy)]
enum Language {
    Python,
    /// With the packages of `tests/clients/conan_1/requirements.txt`.
    Conan1Python,
    /// With the modules of `tests/clients/package.json`.
    Node,
    /// With the modules of `tests/clients/graphql/package.json`.
    GraphqlNode,
    /// With the package managers of `tests/clients/npm/package.json`.
    NpmNode,
}

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
    /// Against this program instead of a release build.
    #[arg(long)]
    program: Option<PathBuf>,
}

/// The stock clients of the REST API, of the OAuth provider, of GraphQL and of
/// package registries. A listed script that is missing fails.
const CLIENTS: &[Suite] = &[
    Suite {
        name: "python-gitlab",
        script: "tests/clients/rest.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "python-gitlab for issues",
        script: "tests/clients/planning.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "@gitbeaker/rest",
        script: "tests/clients/rest.cjs",
        runs_on: Language::Node,
        named: false,
    },
    Suite {
        name: "schemathesis",
        script: "tests/clients/openapi.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "openid-client and oauth4webapi",
        script: "tests/clients/oauth.cjs",
        runs_on: Language::Node,
        named: false,
    },
    Suite {
        name: "Authlib and requests-oauthlib",
        script: "tests/clients/oauth.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "the guide's programs, oidc-client-ts among them",
        script: "tests/clients/examples.cjs",
        runs_on: Language::Node,
        named: false,
    },
    Suite {
        name: "git-credential-oauth",
        script: "tests/clients/git_credential.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "libapache2-mod-auth-openidc",
        script: "tests/clients/apache.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "fido2",
        script: "tests/clients/keys.py",
        runs_on: Language::Python,
        named: true,
    },
    Suite {
        name: "npm, pnpm and yarn",
        script: "tests/clients/npm/managers.cjs",
        runs_on: Language::NpmNode,
        named: false,
    },
    Suite {
        name: "graphql-http",
        script: "tests/clients/graphql/audits.cjs",
        runs_on: Language::GraphqlNode,
        named: false,
    },
    Suite {
        name: "gql and sgqlc",
        script: "tests/clients/graphql/introspected.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "python-gitlab for GraphQL",
        script: "tests/clients/graphql/who_asks.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "@apollo/client and @urql/core",
        script: "tests/clients/graphql/applications.cjs",
        runs_on: Language::GraphqlNode,
        named: false,
    },
    Suite {
        name: "relay-compiler, graphql-codegen and graphql-inspector",
        script: "tests/clients/graphql/compilers.cjs",
        runs_on: Language::GraphqlNode,
        named: false,
    },
    Suite {
        name: "schemathesis for GraphQL",
        script: "tests/clients/graphql/generated.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "curl",
        script: "tests/clients/graphql/curl.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "sentry-sdk and raven of Python",
        script: "tests/clients/errors.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "@sentry/node and raven of npm",
        script: "tests/clients/errors.cjs",
        runs_on: Language::Node,
        named: false,
    },
    Suite {
        name: "@sentry/browser in chromium",
        script: "tests/clients/errors_browser.cjs",
        runs_on: Language::Node,
        named: false,
    },
    Suite {
        name: "Alertmanager, apprise and curl for alerts",
        script: "tests/clients/alerts.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "@gitbeaker/rest for alerts and errors",
        script: "tests/clients/alerts.cjs",
        runs_on: Language::Node,
        named: false,
    },
    Suite {
        name: "composer",
        script: "tests/clients/composer.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "Conan 2",
        script: "tests/clients/conan_2.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "Conan 1",
        script: "tests/clients/conan_1.py",
        runs_on: Language::Conan1Python,
        named: false,
    },
    Suite {
        name: "go",
        script: "tests/clients/golang.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "Helm's library and PyYAML",
        script: "tests/clients/helm.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "build, twine, pip and uv",
        script: "tests/clients/pypi.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "NuGet's protocol 3, as dotnet speaks it",
        script: "tests/clients/nuget_v3.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "nuget 2.8",
        script: "tests/clients/nuget.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "Maven",
        script: "tests/clients/maven.py",
        runs_on: Language::Python,
        named: false,
    },
    Suite {
        name: "Terraform",
        script: "tests/clients/terraform.py",
        runs_on: Language::Python,
        named: false,
    },
];

/// The pages in a browser.
const BROWSER: &[Suite] = &[
    Suite {
        name: "chromium",
        script: "tests/browser/pages.cjs",
        runs_on: Language::Node,
        named: true,
    },
    Suite {
        name: "the GraphQL explorer in chromium",
        script: "tests/browser/explorer.cjs",
        runs_on: Language::Node,
        named: false,
    },
];

/// The real-client suites.
pub fn clients() -> Outcome {
    run(
        &chosen(""),
        &ENGINES,
        &server::checked()?,
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
        None => server::checked()?,
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

/// The browser suites.
pub fn browser() -> Outcome {
    in_browser(&among(BROWSER, ""), &ENGINES, &server::checked()?)
}

fn in_browser(suites: &[&'static Suite], engines: &[&str], program: &Path) -> Outcome {
    let programs = [("CHROMIUM", tools::chromium()?)];
    let (_, explorer) = tools::node_with("tests/browser", "browser/node")?;
    let explorer = explorer.display().to_string();
    let settings = [("TENON_EXPLORER_DIR", &*explorer)];
    run(suites, engines, program, &programs, &settings)
}

/// Runs suites that find these programs, each against servers with these
/// settings, as many at once as there are cores.
fn run(
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
fn prepare(suites: &[&'static Suite], engines: &[&str]) -> Outcome {
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
                environment: self.settings,
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
        Language::Node => tools::node()?,
        Language::NpmNode => tools::node_with("tests/clients/npm", "clients/npm-node")?,
        Language::GraphqlNode => tools::node_with("tests/clients/graphql", "clients/graphql-node")?,
    };
    let mut command = Command::new(node);
    command.env("NODE_PATH", modules);
    Ok(command)
}
