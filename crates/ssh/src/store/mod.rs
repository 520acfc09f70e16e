//! `ssh_keys`, `deploy_key_projects`, `ssh_host_keys`.

pub mod deploy;
pub mod hosts;
pub mod keys;
