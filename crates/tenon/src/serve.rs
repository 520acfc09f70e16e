//! `tenon serve`: run until told to stop, then finish what is under way.

use crate::options::Options;
use crate::{Outcome, accounts, told, wiring};
use kernel::app::App;
use kernel::room;
use kernel::telemetry::{Format, init_logs};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// How long requests and jobs under way may take once told to stop.
const DRAIN: Duration = Duration::from_secs(30);

/// How long what is counted in memory may take to be written at the end.
const LAST_WRITES: Duration = Duration::from_secs(5);

/// Sends log lines to standard error.
pub fn log(options: &Options) -> Outcome {
    let format = if options.log_json { Format::Json } else { Format::Human };
    init_logs(format, &options.log)
        .map_err(|error| format!("log is {:?}: {}", options.log, told(error)))
}

/// Serves until SIGTERM or SIGINT; a second signal ends the wait for what is
/// under way. `say` gets the lines for whoever started the program.
pub async fn serve(mut options: Options, say: impl Fn(&str)) -> Outcome {
    let mut signals = Signals::new().map_err(|error| format!("cannot start: {error}"))?;
    options.connections = kernel::process::fitting(options.connections);
    room::make(&options.data);
    let store = wiring::open_store(&options)?;
    let _lock = store.serve_lock().map_err(|error| match error {
        store::Error::InUse => format!(
            "another server uses {}; stop it first, or give this one its own --data",
            options.database_url
        ),
        error => error.to_string(),
    })?;
    let (listener, address) = listen(&options.listen).await?;
    options.external_url.get_or_insert_with(|| reachable(address));
    let ssh_listener = match &options.ssh_listen {
        Some(on) => Some(listen(on).await?),
        None => None,
    };
    options.ssh_port =
        options.ssh_port.or(ssh_listener.as_ref().map(|(_, address)| address.port()));
    let (workers, data) = (options.workers, options.data.clone());
    let given = options.root_password.take();
    let (app, server) = wiring::assemble_over(options, store)?;
    accounts::complete(&app, given, &say).await?;

    room::keep(&data);
    let (stop, stopped) = watch::channel(false);
    let jobs = tokio::spawn(kernel::jobs::work(app.clone(), workers, until(stopped.clone())));
    let sessions = match ssh_listener {
        Some((listener, address)) => {
            let server = ssh::server::Server::new(app.clone()).await.map_err(told)?;
            say(&format!("listening for SSH on {address}"));
            Some(tokio::spawn(server.serve(listener, until(stopped.clone()))))
        }
        None => None,
    };
    let requests = tokio::spawn(server.serve(listener, until(stopped)));
    if !git_is_there(&app).await {
        say(repositories::git::MISSING);
    }
    say(&format!("listening on http://{address}"));

    signals.next().await;
    tracing::info!("stopping");
    stop.send_replace(true);
    app.plugged::<delivery::queue::Bell>().map_err(told)?.close();
    let drained = async {
        let _ = tokio::join!(requests, jobs);
        if let Some(sessions) = sessions {
            let _ = sessions.await;
        }
    };
    tokio::select! {
        _ = tokio::time::timeout(DRAIN, drained) => {}
        _ = signals.next() => {}
    }
    let last = packages::downloads::flush(&app);
    if tokio::time::timeout(LAST_WRITES, last).await.is_err() {
        tracing::warn!("the last downloads were not counted");
    }
    Ok(())
}

async fn git_is_there(app: &App) -> bool {
    app.kept::<repositories::git::Git>().is_there().await
}

async fn listen(on: &str) -> Outcome<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(on)
        .await
        .map_err(|error| format!("cannot listen on {on}: {error}"))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    Ok((listener, address))
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

async fn until(mut stopped: watch::Receiver<bool>) {
    // An error means that the sender is gone: stop as well.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// The address a browser on this machine can use.
fn reachable(address: SocketAddr) -> String {
    match address.ip().is_unspecified() {
        true => format!("http://localhost:{}", address.port()),
        false => format!("http://{address}"),
    }
}
