//! The rooms put together: migrations, routes, jobs and the application.

use crate::options::Options;
use crate::{Outcome, admin, home, system, told};
use graphql::explorer::Files;
use identity::gate::IdentityGate;
use kernel::app::{App, Config, Parts};
use kernel::blobs::Blobs;
use kernel::graph::{self, Graph};
use kernel::http::Routes;
use kernel::http::serve::{Server, Table};
use kernel::jobs::{Registry, RegistryBuilder};
use kernel::mail::Mailer;
use kernel::outbound::{Outbound, Policy};
use kernel::secrets::Secrets;
use kernel::settings::Settings;
use kernel::telemetry::Metrics;
use kernel::trust::Trust;
use spaces::pages::code_front::CodeFronts;
use spaces::pages::panels::{HeadMenus, Panels};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use store::{Migration, Plugs, Store};

macro_rules! migrations {
    ($($number:literal $name:literal,)*) => {
        &[$(Migration {
            number: $number,
            name: $name,
            sql: include_str!(concat!("../../../migrations/", $name, ".sql")),
        }),*]
    };
}

/// Every migration, in order.
pub fn migrations() -> &'static [Migration] {
    migrations! {
        1 "0001_kernel",
        2 "0002_identity",
        3 "0003_spaces",
        4 "0004_packages",
        5 "0005_oauth",
        6 "0006_two_factor",
        7 "0007_webauthn_keys",
        8 "0008_spam",
        9 "0009_package_cleanup_policy",
        10 "0010_package_formats",
        12 "0012_npm",
        14 "0014_package_file_extracts",
        18 "0018_package_file_channels",
        20 "0020_nuget",
        22 "0022_conan",
        24 "0024_graphql_allowed",
        26 "0026_cleanup",
        28 "0028_package_lookups",
        30 "0030_planning",
        40 "0040_error_tracking",
        41 "0041_error_issues",
        42 "0042_alerts",
        43 "0043_error_counts",
        44 "0044_alert_talk",
        45 "0045_planning_more",
        46 "0046_on_call",
        47 "0047_confirmed_addresses",
        50 "0050_unique_names",
        51 "0051_notes_naming_issues",
        52 "0052_search",
        53 "0053_uploads",
        55 "0055_preferences",
        56 "0056_package_pages",
        57 "0057_resolved_threads",
        59 "0059_where_threads_begin",
        62 "0062_activity",
        63 "0063_notifications",
        64 "0064_sent_notifications",
        65 "0065_epics",
        66 "0066_boards",
        67 "0067_epics_in_texts",
        68 "0068_incoming_mail",
        69 "0069_health_status",
        70 "0070_incoming_tries",
        71 "0071_activity_pages",
        73 "0073_repositories",
        74 "0074_protected_refs",
        75 "0075_ssh_keys",
        76 "0076_lfs",
        78 "0078_releases",
        79 "0079_forks",
        80 "0080_push_rules",
        81 "0081_commit_statuses",
        82 "0082_wikis",
        83 "0083_signatures",
        84 "0084_snippets",
        85 "0085_search_snippets",
        86 "0086_repository_size_limits",
        87 "0087_remote_mirrors",
        88 "0088_ci_variables",
        89 "0089_pipelines",
        90 "0090_ci_project_settings",
        91 "0091_runners",
        92 "0092_runner_jobs",
        93 "0093_environments",
        94 "0094_protected_environments",
        97 "0097_trace_lines",
        98 "0098_pipeline_schedules",
        99 "0099_pipeline_triggers",
        100 "0100_ci_settings",
        101 "0101_external_jobs",
        102 "0102_package_builds",
        103 "0103_latest_artifacts",
        104 "0104_schedule_inputs",
        105 "0105_found_addresses",
        106 "0106_trace_sizes",
        107 "0107_dependencies",
        108 "0108_dependency_exports",
        109 "0109_advisories",
        110 "0110_trace_pieces",
    }
}

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
    g.finish().unwrap_or_else(|error| panic!("{error}"))
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
    jobs.build()
}

/// What rooms ask of the rooms above them.
pub fn plugs() -> store::Result<Plugs> {
    let mut plugs = Plugs::default();
    let mut users = identity::hooks::Hooks::default();
    spaces::hooks::plug_into_identity(&mut users);
    users.pending_todos = Some(planning::hooks::pending_todos);
    users.handing_over.push(packages::jobs::hand_over);
    users.handing_over.push(planning::hooks::hand_over);
    users.handing_over.push(releases::hooks::hand_over);
    users.handing_over.push(snippets::hooks::hand_over);
    users.user_destroying.push(planning::hooks::user_destroying);
    users.user_destroying.push(monitoring::on_call::user_destroying);
    users.user_destroying.push(snippets::hooks::user_destroying);
    users.settings.push(spaces::uploads::limits::PART);
    users.settings.push(packages::forwarding::PART);
    users.settings.push(planning::access::switches::PART);
    users.settings.push(monitoring::errors::limits::PART);
    users.settings.push(monitoring::alerts::limits::PART);
    users.settings.push(search::limits::PART);
    users.settings.push(repositories::receive::limits::PART);
    users.settings.push(repositories::lfs::settings::PART);
    users.settings.push(repositories::storages::PART);
    users.settings.push(repositories::size_limit::PART);
    users.settings.push(repositories::edits::signing::PART);
    users.settings.push(code::limits::PART);
    users.settings.push(delivery::pipelines::settings::PART);
    users.settings.push(delivery::runners::settings::PART);
    users.settings.push(delivery::dependencies::switches::PART);
    users.job_of_token = Some(delivery::runners::of_token);
    plugs.plug(users)?;
    plugs.plug(planning::hooks::Hooks {
        issue_closed: vec![monitoring::alerts::rules::incidents::issue_closed],
        named_alerts: Some(monitoring::alerts::graph::named),
        milestones_replaced: vec![releases::hooks::milestones_replaced],
    })?;
    plugs.plug(planning::targets::TargetKinds::with([
        monitoring::alerts::graph::KIND,
        snippets::talk::KIND,
    ]))?;
    plugs.plug(repositories::hooks::Hooks {
        pushed: vec![planning::rules::pushed::pushed, delivery::pipelines::pushed],
        deploy_key_pushes: Some(ssh::rules::deploy::may_push),
        contents: vec![wikis::hooks::CONTENTS, snippets::hooks::CONTENTS],
    })?;
    plugs.plug(code::hooks::Hooks {
        releases_of_tags: Some(releases::hooks::of_tags),
        last_pipelines: Some(delivery::pipelines::of_commits),
    })?;
    plugs.plug(packages::source::Repositories::default())?;
    plugs.plug(delivery::pipelines::OF_PACKAGES)?;
    plugs.plug(delivery::queue::Bell::default())?;
    plugs.plug(spaces::access::JobsEnter(delivery::job_tokens::may_enter))?;
    plugs.plug(search::sources())?;
    plugs.plug(kernel::markup::RecentTexts::default())?;
    plugs.plug(Panels(vec![
        monitoring::alerts::pages::panels::alerts,
        monitoring::errors::pages::panels::errors,
        planning::pages::panels::issues,
        packages::pages::panels::packages,
        snippets::pages::panels::snippets,
        activity::panels::calendar,
        activity::panels::activity,
    ]))?;
    plugs.plug(HeadMenus(vec![planning::pages::notifications::menu]))?;
    plugs.plug(CodeFronts(vec![code::pages::home::front]))?;
    plugs.plug(spaces::hooks::Hooks {
        contents: vec![
            spaces::uploads::CONTENTS,
            packages::jobs::CONTENTS,
            planning::hooks::CONTENTS,
            monitoring::errors::jobs::CONTENTS,
            monitoring::alerts::jobs::CONTENTS,
            snippets::hooks::OF_PROJECTS,
            delivery::runners::CONTENTS,
        ],
        project_destroying: vec![
            packages::jobs::project_destroying,
            planning::hooks::project_destroying,
            delivery::runners::project_destroying,
        ],
        group_destroying: vec![planning::hooks::group_destroying],
        project_created: vec![repositories::push_rules::project_created],
        project_moved: vec![planning::hooks::project_moved],
        initialize: Some(repositories::edits::initialize_new),
        fork_code: Some(repositories::forks::copy),
        code_about: Some(code::about::read),
        blobs_unnamed: Some(packages::jobs::release_soon),
        packages_size: Some(packages::jobs::sizes),
        open_issues: Some(planning::hooks::open_issues),
        issues_of: Some(planning::hooks::issues_of),
        has_epics: Some(planning::access::switches::has_epics),
        repository_sizes: Some(repositories::store::sizes),
        large_file_sizes: Some(repositories::lfs::sizes),
        code_storages: Some(repositories::storages::of_projects),
        code_lies_in: Some(repositories::storages::projects_in),
        default_branch: Some(repositories::rules::heads::set_default_branch),
        ci_settings: Some(delivery::pipelines::ci_settings::HOOKS),
    })?;
    Ok(plugs)
}

/// Fails for a store that was opened without what a room asks for.
fn check_plugs(store: &Store) -> store::Result<()> {
    store.plugged::<identity::hooks::Hooks>()?;
    store.plugged::<spaces::hooks::Hooks>()?;
    store.plugged::<planning::hooks::Hooks>()?;
    store.plugged::<planning::targets::TargetKinds>()?;
    store.plugged::<repositories::hooks::Hooks>()?;
    store.plugged::<code::hooks::Hooks>()?;
    store.plugged::<packages::source::Repositories>()?;
    store.plugged::<packages::builds::Hooks>()?;
    store.plugged::<delivery::queue::Bell>()?;
    store.plugged::<spaces::access::JobsEnter>()?;
    store.plugged::<kernel::search::Sources>()?;
    store.plugged::<kernel::markup::RecentTexts>()?;
    store.plugged::<Panels>()?;
    store.plugged::<HeadMenus>()?;
    store.plugged::<CodeFronts>()?;
    Ok(())
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
            version: system::VERSION,
        },
        store,
    };
    let app = App::new(parts);
    let server = Server::over(app.clone(), Box::new(IdentityGate::new()), table);
    Ok((app, server))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_without_what_rooms_ask_for_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut config = store::Config::sqlite(&folder.path().join("test.db"));
        let bare = Store::open(config.clone(), &[]).expect("it opens");
        let refused = check_plugs(&bare).map_err(|error| error.to_string());
        let said = "nothing is plugged in as identity::hooks::Hooks";
        assert_eq!(refused, Err(said.to_owned()));

        config.plugs = plugs().expect("nothing is plugged in twice");
        let whole = Store::open(config, &[]).expect("it opens");
        assert_eq!(check_plugs(&whole), Ok(()));
    }
}
