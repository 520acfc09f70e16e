//! Unmodified clients against the release server, on both engines.
//!
//! Every suite is a script that finds the server through the environment
//! (`TENON_URL`, `TENON_TOKEN` of the administrator, `TENON_ROOT_PASSWORD`)
//! and fails by its exit status. Each run gets a server of its own, started
//! on an empty directory as a newcomer would: the password is the one that
//! it prints.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cluster::Cluster;
use crate::server::{self, Server, Settings};
use crate::steps::{self, Outcome};
use crate::tools;
use crate::tree;

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
    Node,
}

/// The stock clients of the REST API and of the OAuth provider. A listed
/// script that is missing fails.
const CLIENTS: [Suite; 9] = [
    Suite {
        name: "python-gitlab",
        script: "tests/clients/rest.py",
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
];

/// The pages in a browser.
const BROWSER: [Suite; 1] = [Suite {
    name: "chromium",
    script: "tests/browser/pages.cjs",
    runs_on: Language::Node,
    named: true,
}];

/// The real-client suites.
pub fn clients() -> Outcome {
    tools::packaged_clients()?;
    let programs = [
        ("CHROMIUM", tools::chromium()?),
        ("PYTHON", tools::python()?),
    ];
    run(&CLIENTS, &programs)
}

/// The browser suites.
pub fn browser() -> Outcome {
    let chromium = tools::chromium()?;
    run(&BROWSER, &[("CHROMIUM", chromium)])
}

fn run(suites: &[Suite], environment: &[(&str, PathBuf)]) -> Outcome {
    let program = server::build()?;
    let mut failures = Vec::new();
    for suite in suites {
        for engine in ["sqlite", "postgres"] {
            let label = format!("{} on {engine}", suite.name);
            steps::say(&format!("--- {label}"));
            if let Err(error) = run_one(suite, engine, &program, environment) {
                steps::say(&format!("--- {label} FAILED: {error}"));
                failures.push(label);
            }
        }
    }
    let passed = suites.len() * 2 - failures.len();
    steps::say(&format!("{passed} passed, {} failed", failures.len()));
    if failures.is_empty() {
        return Ok(());
    }
    Err(failures.join(", "))
}

fn run_one(
    suite: &Suite,
    engine: &str,
    program: &Path,
    environment: &[(&str, PathBuf)],
) -> Outcome {
    let script = tree::root().join(suite.script);
    if !script.is_file() {
        return Err(format!("{} is missing", suite.script));
    }
    let mut client = interpreter(suite.runs_on)?;
    let cluster = match engine {
        "postgres" => {
            tools::postgres()?;
            Some(Cluster::start()?)
        }
        _ => None,
    };
    let data = server::fresh_directory("clients")?;
    let server = Server::start(
        program,
        &Settings {
            data: &data,
            database: cluster.as_ref().map(Cluster::url),
            environment: &[],
            named: suite.named,
        },
    )?;
    client
        .arg(&script)
        .current_dir(tree::root())
        .env("TENON_URL", server.url())
        .env("TENON_TOKEN", server.root_token()?)
        .env("TENON_ROOT_PASSWORD", server.root_password()?)
        .envs(environment.iter().map(|(name, value)| (name, value)));
    steps::run(&mut client)?;
    server.stop()
}

/// The program that runs a suite, with the clients it imports installed.
fn interpreter(language: Language) -> Result<Command, String> {
    match language {
        Language::Python => Ok(Command::new(tools::python()?)),
        Language::Node => {
            let (node, modules) = tools::node()?;
            let mut command = Command::new(node);
            command.env("NODE_PATH", modules);
            Ok(command)
        }
    }
}
