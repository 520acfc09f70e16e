//! An application without rooms, on a database of its own.

use kernel::app::{App, Config, Parts};
use kernel::blobs::Blobs;
use kernel::jobs::RegistryBuilder;
use kernel::mail::Mailer;
use kernel::outbound::{Outbound, Policy};
use kernel::secrets::Secrets;
use kernel::settings::Settings;
use kernel::telemetry::Metrics;
use kernel::time::Clock;
use kernel::trust::Trust;
use store::{Migration, Store};

pub fn app(jobs: impl FnOnce(&mut RegistryBuilder)) -> (App, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let sql = include_str!("../../../../migrations/0001_kernel.sql");
    let migrations = [Migration { number: 1, name: "kernel", sql }];
    let clock = Clock::fixed("2026-01-31T12:00:00Z".parse().unwrap());
    let mut config = store::Config::sqlite(&folder.path().join("tenon.db"));
    let moved = clock.clone();
    config.clock = std::sync::Arc::new(move || moved.now());
    let mut registry = RegistryBuilder::default();
    jobs(&mut registry);
    let app = App::new(Parts {
        store: Store::open(config, &migrations).unwrap(),
        blobs: Blobs::open(folder.path().join("blobs").to_str().unwrap()).unwrap(),
        secrets: Secrets::open(&folder.path().join("keys"), None).unwrap(),
        mailer: Mailer::memory(),
        outbound: Outbound::new(Policy::default(), &Trust::default()).unwrap(),
        metrics: Metrics::new("0"),
        clock,
        settings: Settings::default(),
        jobs: registry.build(),
        config: Config {
            external_url: "https://tenon.example".into(),
            data_dir: folder.path().into(),
            cache_dir: folder.path().join("cache"),
            cache_size: 1 << 30,
            trusted_proxies: vec!["10.0.0.1".parse().unwrap()],
            connections: Default::default(),
            ssh_port: None,
            incoming_mail: Default::default(),
            trust: Default::default(),
            version: "0",
        },
    });
    (app, folder)
}
