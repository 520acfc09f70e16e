//! The rooms put together: migrations, routes, jobs and the application.

mod migrations;
mod plugs;

use crate::options::Options;
use crate::{Outcome, admin, home, system, told};
use delivery::environments::graph::{EnvironmentView, EnvironmentsByName};
use graphql::explorer::Files;
use identity::gate::IdentityGate;
use imports::settings::Providers;
use kernel::app::{App, Config, Parts};
use kernel::blobs::Blobs;
use kernel::graph::{self, Graph};
use kernel::http::Routes;
use kernel::http::serve::{Server, Table};
use kernel::jobs::{Registry, RegistryBuilder};
use kernel::mail::Mailer;
use kernel::outbound::{Outbound, Policy};
use kernel::own_address::OwnAddress;
use kernel::secrets::Secrets;
use kernel::settings::Settings;
use kernel::telemetry::Metrics;
use kernel::trust::Trust;
use monitoring::alerts::graph::AlertView;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use store::{Migration, Store};

pub use migrations::migrations;
use plugs::check_plugs;
pub use plugs::plugs;

/// Every route of the program.
pub fn routes() -> Routes {
    routes_with(&Files::default())
}

/// The same, with the explorer's files from there.
fn routes_with(explorer: &Files) -> Routes {
    let mut routes = Routes::new();
    system::routes(&mut routes);
    home::routes(&mut routes);
    admin::routes(&mut routes);
    identity::routes(&mut routes);
    spaces::routes(&mut routes);
    planning::routes(&mut routes);
    packages::routes(&mut routes);
    monitoring::routes(&mut routes);
    search::routes(&mut routes);
    activity::routes(&mut routes);
    incoming::routes(&mut routes);
    repositories::routes(&mut routes);
    code::routes(&mut routes);
    ssh::routes(&mut routes);
    signatures::routes(&mut routes);
    releases::routes(&mut routes);
    wikis::routes(&mut routes);
    snippets::routes(&mut routes);
    delivery::routes(&mut routes);
    reviews::routes(&mut routes);
    imports::routes(&mut routes);
    graphql::transport::routes(&mut routes, graph());
    graphql::explorer::routes(&mut routes, explorer);
    graphql::rest::routes(&mut routes);
    routes
}

/// The same, compiled for matching. Those without files of an explorer are
/// compiled once for all servers of a process.
fn compiled(explorer_dir: Option<&Path>) -> Outcome<Arc<Table>> {
    static PLAIN: LazyLock<Outcome<Arc<Table>>> = LazyLock::new(|| compile(&Files::default()));
    match explorer_dir {
        Some(folder) => {
            let files = Files::read(folder).map_err(|error| format!("explorer_dir: {error}"))?;
            compile(&files)
        }
        None => PLAIN.clone(),
    }
}

fn compile(explorer: &Files) -> Outcome<Arc<Table>> {
    let table = Table::new(routes_with(explorer)).map_err(|error| error.to_string())?;
    Ok(Arc::new(table))
}

/// Every type and field of GraphQL.
///
/// # Panics
///
/// When what the rooms registered does not fit together, with every reason:
/// no build that starts once fails so later.
pub fn graph() -> graph::Table {
    let mut g = Graph::new();
    graphql::root::graph(&mut g, system::BUILD);
    identity::graph::graph(&mut g);
    spaces::graph::graph(&mut g);
    planning::graph::graph(&mut g);
    code::graph::graph(&mut g);
    packages::graph::graph(&mut g);
    monitoring::graph(&mut g);
    releases::graph::graph(&mut g);
    snippets::graph::graph(&mut g);
    delivery::graph(&mut g);
    reviews::graph::graph(&mut g);
    environments_of_alerts(&mut g);
    g.finish().unwrap_or_else(|error| panic!("{error}"))
}

/// Alerts name environments, and neither room knows the other.
fn environments_of_alerts(g: &mut Graph) {
    let environment = graph::object::<EnvironmentView>("Environment");
    g.on::<AlertView>("AlertManagementAlert")
        .load::<EnvironmentsByName, _>("environment", environment, |it| {
            Some((it.alert.project_id, it.alert.environment_name.clone()?))
        })
        .describe("The project's environment of the name that was sent.");
}

/// Every kind of job.
pub fn jobs() -> Registry {
    let mut jobs = RegistryBuilder::default();
    kernel::blobs_sweep::jobs(&mut jobs);
    kernel::search::fill::jobs(&mut jobs);
    identity::jobs(&mut jobs);
    spaces::jobs(&mut jobs);
    planning::jobs(&mut jobs);
    packages::jobs(&mut jobs);
    monitoring::jobs(&mut jobs);
    activity::jobs(&mut jobs);
    incoming::jobs(&mut jobs);
    repositories::jobs(&mut jobs);
    releases::jobs(&mut jobs);
    delivery::jobs(&mut jobs);
    reviews::jobs(&mut jobs);
    imports::jobs(&mut jobs);
    jobs.build()
}

/// Refuses to go on where no instance is: administration works on one that is
/// there, and a new one in a wrong directory helps nobody. Blocks.
pub fn need_instance(options: &Options) -> Outcome {
    match missing(options)? {
        None => Ok(()),
        Some(missing) => Err(format!(
            "{missing}; name the place of one with --data or --database-url, or start one there \
             with tenon serve"
        )),
    }
}

/// Like [`need_instance`], for commands that may begin one where somebody said
/// its place. Answers whether they do.
pub fn may_begin_instance(options: &Options) -> Outcome<bool> {
    match missing(options)? {
        None => Ok(false),
        Some(_) if options.is_placed => Ok(true),
        Some(missing) => Err(format!(
            "{missing}; to begin one say where, as with --data {}",
            options.data.display()
        )),
    }
}

/// What an instance has that is not there, as a sentence.
fn missing(options: &Options) -> Outcome<Option<String>> {
    let config =
        store::Config::from_url(&options.database_url).map_err(|error| error.to_string())?;
    let data = std::path::absolute(&options.data).unwrap_or_else(|_| options.data.clone());
    if !Store::is_migrated(&config).map_err(|error| error.to_string())? {
        let place = match options.database_url.strip_prefix("sqlite:") {
            Some(file) => std::path::absolute(file).unwrap_or_else(|_| file.into()),
            None => return Ok(Some("the database holds no instance of tenon".into())),
        };
        return Ok(Some(format!("there is no instance at {}", place.display())));
    }
    // Whoever has the keys elsewhere needs no directory.
    if options.keys.is_none() && !data.is_dir() {
        let text = format!("there is no data directory {} with the keys", data.display());
        return Ok(Some(text));
    }
    Ok(None)
}

/// Makes the data directory and opens the database, migrating it. Blocks.
pub fn open_store(options: &Options) -> Outcome<Store> {
    open_store_with(options, migrations())
}

/// Like [`open_store`], with these migrations.
pub fn open_store_with(options: &Options, migrations: &[Migration]) -> Outcome<Store> {
    // Only the program's own user may read it: it holds keys and digests.
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&options.data)
        .map_err(|error| {
            let data = options.data.display();
            format!("the data directory {data} cannot be used: {error}; name another with --data")
        })?;
    let mut config =
        store::Config::from_url(&options.database_url).map_err(|error| error.to_string())?;
    let clock = options.clock.clone();
    config.clock = Arc::new(move || clock.now());
    config.group_size = options.group_size;
    config.plugs = plugs().map_err(|error| error.to_string())?;
    Store::open(config, migrations).map_err(|error| error.to_string())
}

/// Opens the blob store.
pub fn open_blobs(options: &Options) -> Outcome<Blobs> {
    let spool = options.data.join("tmp");
    let opened = Blobs::open_with_spool(&options.blobs_url, &spool);
    let blobs = opened.map_err(|error| format!("blobs_url: {}", told(error)))?;
    options.storages.iter().try_fold(blobs, |blobs, (name, url)| {
        let opened = blobs.with_storage(name, url, &spool);
        opened.map_err(|error| format!("storage: {}", told(error)))
    })
}

/// Opens where mail goes; `memory:` keeps it for a test to read.
fn open_mailer(options: &Options, external_url: &str, trust: &Trust) -> Outcome<Mailer> {
    if options.mail_url == "memory:" {
        return Ok(Mailer::memory());
    }
    let host = external_url.split("://").nth(1).and_then(|rest| rest.split(':').next());
    let host = host.filter(|host| host.parse::<std::net::IpAddr>().is_err());
    let from = match &options.mail_from {
        Some(from) => from.clone(),
        None => format!("tenon <tenon@{}>", host.unwrap_or("localhost")),
    };
    Mailer::open(&options.mail_url, &from, trust).map_err(told)
}

/// The whole application over its own database, ready to serve.
pub async fn assemble(options: Options) -> Outcome<(App, Arc<Server>)> {
    let store = open_store(&options)?;
    assemble_over(options, store)
}

/// Like [`assemble`], for an instance that is there already.
pub async fn assemble_existing(options: Options) -> Outcome<(App, Arc<Server>)> {
    need_instance(&options)?;
    assemble(options).await
}

/// Like [`assemble`], over a database that is open already.
pub fn assemble_over(options: Options, store: Store) -> Outcome<(App, Arc<Server>)> {
    check_plugs(&store).map_err(|error| error.to_string())?;
    let external_url = options
        .external_url
        .clone()
        .unwrap_or_else(|| format!("http://{}", options.listen));
    let own: &OwnAddress = store.plugged().map_err(|error| error.to_string())?;
    own.say(&external_url);
    let providers: &Providers = store.plugged().map_err(|error| error.to_string())?;
    providers.say(options.providers.clone());
    let table = compiled(options.explorer_dir.as_deref())?;
    let trust = match &options.ca_file {
        Some(path) => {
            Trust::with_file(path).map_err(|error| format!("ca_file: {}", told(error)))?
        }
        None => Trust::default(),
    };
    let parts = Parts {
        mailer: open_mailer(&options, &external_url, &trust)?,
        outbound: Outbound::new(Policy::default(), &trust).map_err(told)?,
        metrics: Metrics::new(system::VERSION),
        blobs: open_blobs(&options)?,
        secrets: Secrets::open(&options.data.join("keys"), options.keys.clone()).map_err(told)?,
        clock: options.clock.clone(),
        settings: Settings::default(),
        jobs: jobs(),
        config: Config {
            external_url,
            ssh_port: options.ssh_port,
            data_dir: options.data,
            // Programs read it that run in other folders.
            cache_dir: std::path::absolute(options.cache).map_err(|error| error.to_string())?,
            cache_size: options.cache_size,
            trusted_proxies: options.trusted_proxies,
            connections: options.connections,
            incoming_mail: options.incoming_mail,
            trust,
            version: system::INTERFACE_VERSION,
        },
        store,
    };
    let app = App::new(parts);
    let server = Server::over(app.clone(), Box::new(IdentityGate::new()), table);
    Ok((app, server))
}
