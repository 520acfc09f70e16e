//! git's own program for HTTP behind nginx, as its manual sets it up.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::peer::Peer;
use xtask::{server, tools};

/// Requests that it answers at once.
const WORKERS: &str = "16";

/// Serves the repositories of a folder to everybody.
pub struct Backend {
    nginx: Peer,
    gateway: Child,
}

impl Backend {
    pub fn start(repositories: &Path) -> Result<Backend, String> {
        let port = server::free_port()?;
        let gateway = Command::new(tools::fcgiwrap()?)
            .args(["-c", WORKERS, "-s", &format!("tcp:127.0.0.1:{port}")])
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("fcgiwrap: {error}"))?;
        let programs = super::git::run(repositories, &["--exec-path"])?;
        let nginx = Peer::nginx_before(&location(&programs, repositories, port))?;
        Ok(Backend { nginx, gateway })
    }

    pub fn url(&self) -> &str {
        self.nginx.url()
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        // Asked so, it ends those that it started.
        let id = self.gateway.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.gateway.wait();
    }
}

fn location(programs: &str, repositories: &Path, port: u16) -> String {
    let fixed = [
        ("SCRIPT_FILENAME", format!("{programs}/git-http-backend")),
        ("GIT_PROJECT_ROOT", repositories.display().to_string()),
        ("GIT_HTTP_EXPORT_ALL", "1".to_owned()),
        ("PATH_INFO", "$uri".to_owned()),
        ("QUERY_STRING", "$query_string".to_owned()),
        ("REQUEST_METHOD", "$request_method".to_owned()),
        ("CONTENT_TYPE", "$content_type".to_owned()),
        ("CONTENT_LENGTH", "$content_length".to_owned()),
        ("GIT_PROTOCOL", "$http_git_protocol".to_owned()),
        ("HTTP_CONTENT_ENCODING", "$http_content_encoding".to_owned()),
    ];
    let parameters = fixed.map(|(name, value)| format!("fastcgi_param {name} \"{value}\";"));
    format!(
        "client_max_body_size 0; location / {{ fastcgi_pass 127.0.0.1:{port}; \
         fastcgi_buffering off; {} }}",
        parameters.join(" ")
    )
}
