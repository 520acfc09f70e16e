//! `tenon runner`: does the jobs of pipelines (crate `runner`).

use crate::Outcome;
use runner::{Executor, Options, Stop};
use std::path::PathBuf;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use url::Url;

#[derive(Clone, Copy, clap::ValueEnum)]
enum Kind {
    /// A shell of this machine
    Shell,
    /// Containers of Docker
    Docker,
    /// Containers of Podman
    Podman,
}

#[derive(clap::Args)]
pub struct Arguments {
    /// The address of the server
    #[arg(long, env = "TENON_RUNNER_URL")]
    url: Url,
    /// The token of the runner, which the server shows when one is made
    #[arg(
        long,
        env = "TENON_RUNNER_TOKEN",
        hide_env_values = true,
        required_unless_present = "token_file"
    )]
    token: Option<String>,
    /// A file with the token
    #[arg(long, value_name = "FILE", conflicts_with = "token")]
    token_file: Option<PathBuf>,
    /// In what jobs run
    #[arg(long, value_enum, default_value = "shell")]
    executor: Kind,
    /// The image of jobs that name none
    #[arg(long, default_value = "docker.io/library/alpine:3")]
    image: String,
    /// Where jobs and caches are
    #[arg(long, default_value = "./runner", value_name = "DIR")]
    folder: PathBuf,
    /// Jobs at a time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
}

impl Arguments {
    fn token(&self) -> Outcome<String> {
        match (&self.token, &self.token_file) {
            (Some(token), _) => Ok(token.clone()),
            (None, Some(file)) => std::fs::read_to_string(file)
                .map(|text| text.trim().to_owned())
                .map_err(|error| format!("{}: {error}", file.display())),
            (None, None) => Err("there is no token".to_owned()),
        }
    }

    fn executor(&self) -> Executor {
        let engine = match self.executor {
            Kind::Shell => return Executor::Shell,
            Kind::Docker => "docker",
            Kind::Podman => "podman",
        };
        Executor::Container { engine: engine.to_owned(), image: self.image.clone() }
    }
}

/// Does jobs until it is told to stop: by a first signal when those that run are done, by a
/// second at once.
pub async fn run(arguments: Arguments, say: fn(&str)) -> Outcome<()> {
    let options = Options {
        token: arguments.token()?,
        executor: arguments.executor(),
        url: arguments.url,
        folder: arguments.folder,
        jobs: arguments.jobs,
        say,
    };
    let (sender, stop) = watch::channel(Stop::Not);
    let (mut interrupt, mut terminate) =
        (heard(SignalKind::interrupt())?, heard(SignalKind::terminate())?);
    tokio::spawn(async move {
        for next in [Stop::Drain, Stop::Now] {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            tracing::info!(?next, "told to stop");
            sender.send_replace(next);
        }
        std::future::pending::<()>().await;
    });
    runner::run(options, stop).await.map_err(|error| error.to_string())
}

fn heard(kind: SignalKind) -> Outcome<Signal> {
    signal(kind).map_err(|error| format!("signals: {error}"))
}
