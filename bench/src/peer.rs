//! Other servers, to be measured beside ours.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use xtask::{server, tools, tree};

/// A running server that is not ours. Ended when dropped: a script that has
/// started a program of its own ends it when its standard input closes.
pub struct Peer {
    child: Child,
    url: String,
    said: Value,
}

impl Peer {
    /// oidc-provider of npm with so many codes and refresh tokens ready.
    pub fn oidc_provider(codes: u64, chains: usize) -> Result<Peer, String> {
        Peer::node("oidc_provider.mjs", &[codes.to_string(), chains.to_string()])
    }

    /// graphql-yoga of npm with one user, whose token is `bench`.
    pub fn graphql_yoga() -> Result<Peer, String> {
        Peer::node("graphql_yoga.mjs", &[])
    }

    /// verdaccio of npm, which lets everybody publish.
    pub fn verdaccio() -> Result<Peer, String> {
        let storage = server::fresh_directory("bench-verdaccio")?;
        Peer::node("verdaccio.mjs", &[storage.display().to_string()])
    }

    /// devpi-server of PyPI with these files in an index `root/bench`.
    pub fn devpi(files: &Path) -> Result<Peer, String> {
        Peer::python("devpi.py", files)
    }

    /// pypiserver of PyPI with these files.
    pub fn pypiserver(files: &Path) -> Result<Peer, String> {
        Peer::python("pypiserver_peer.py", files)
    }

    /// bugsink of PyPI with one project, whose key it says. It has a place of
    /// its own, since what it asks for does not go with the others.
    pub fn bugsink() -> Result<Peer, String> {
        let python = tools::python_with("tests/bench/bugsink", "clients/bench-bugsink")?;
        Peer::script(python, "bugsink/peer.py", Path::new("none"), &[])
    }

    /// alerta-server of PyPI on this PostgreSQL, with a place of its own too.
    pub fn alerta(database: &str) -> Result<Peer, String> {
        let python = tools::python_with("tests/bench/alerta", "clients/bench-alerta")?;
        let environment = [("DATABASE_URL", database)];
        Peer::script(python, "alerta/peer.py", Path::new("none"), &environment)
    }

    /// A repository of provider A with so many issues, pull requests and comments, made up as
    /// it is asked for.
    pub fn provider_a(counts: [u64; 3]) -> Result<Peer, String> {
        let python = tools::on_path(&["python3"]).ok_or("python3 is not on PATH")?;
        let port = server::free_port()?;
        let mut command = Command::new(python);
        command.arg(tree::root().join("tests/doubles/many.py"));
        for (name, count) in ["--issues", "--pulls", "--comments"].into_iter().zip(counts) {
            command.args([name, &count.to_string()]);
        }
        command.args(["--port", &port.to_string()]);
        Peer::start(command, format!("http://127.0.0.1:{port}"))
    }

    /// nginx, which serves the files of a directory.
    pub fn nginx(files: &Path) -> Result<Peer, String> {
        Peer::nginx_before(&format!("root {};", files.display()))
    }

    /// nginx before something that its configuration names.
    pub fn nginx_before(what: &str) -> Result<Peer, String> {
        let program = tools::nginx()?;
        let directory = server::fresh_directory("bench-nginx")?;
        let port = server::free_port()?;
        let configuration = directory.join("nginx.conf");
        let text = nginx_configuration(&directory, what, port);
        std::fs::write(&configuration, text).map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.arg("-c").arg(&configuration).stdin(Stdio::null()).stderr(Stdio::null());
        let child = command
            .spawn()
            .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        let peer = Peer {
            child,
            url: format!("http://127.0.0.1:{port}"),
            said: Value::Null,
        };
        for _ in 0..100 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(peer);
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        Err("nginx does not listen".to_owned())
    }

    /// A script of tests/bench with the packages of its requirements.txt,
    /// which takes a port and a directory of files.
    fn python(name: &str, files: &Path) -> Result<Peer, String> {
        let python = tools::python_with("tests/bench", "clients/bench-venv")?;
        Peer::script(python, name, files, &[])
    }

    fn script(
        python: PathBuf, name: &str, files: &Path, environment: &[(&str, &str)],
    ) -> Result<Peer, String> {
        let port = server::free_port()?;
        let directory = format!("bench-{}", name.replace('/', "-"));
        let directory = server::fresh_directory(&directory)?;
        let mut command = Command::new(python);
        command
            .arg(tree::root().join("tests/bench").join(name))
            .arg(port.to_string())
            .args([files, directory.as_path()])
            .envs(environment.iter().copied());
        Peer::start(command, format!("http://127.0.0.1:{port}"))
    }

    /// A script of tests/bench, which takes a port and these arguments.
    fn node(name: &str, arguments: &[String]) -> Result<Peer, String> {
        let (node, modules) = tools::node_with("tests/bench", "clients/bench")?;
        // A module finds what it imports beside itself.
        let script = modules.with_file_name(name);
        let source = tree::root().join("tests/bench").join(name);
        std::fs::copy(&source, &script)
            .map_err(|error| format!("{}: {error}", source.display()))?;
        let port = server::free_port()?;
        let mut command = Command::new(node);
        command
            .arg(script)
            .arg(port.to_string())
            .args(arguments)
            .env("NODE_ENV", "production");
        Peer::start(command, format!("http://127.0.0.1:{port}"))
    }

    /// Starts it and reads the line of JSON that says it listens.
    fn start(mut command: Command, url: String) -> Result<Peer, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        let output = child.stdout.take().ok_or("it has no standard output")?;
        let mut peer = Peer { child, url, said: Value::Null };
        peer.said = BufReader::new(output)
            .lines()
            .map_while(Result::ok)
            .find_map(|line| serde_json::from_str(&line).ok())
            .ok_or("it ended before it listened")?;
        Ok(peer)
    }

    /// `http://HOST:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What it said when it started.
    pub fn said(&self) -> &Value {
        &self.said
    }
}

impl Peer {
    /// Whether it ends within so many twentieths of a second.
    fn ends(&mut self, twentieths: u32) -> bool {
        for _ in 0..twentieths {
            if let Ok(Some(_)) = self.child.try_wait() {
                return true;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        false
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let listened = self.child.stdin.take().is_some();
        if listened && self.ends(20) {
            return;
        }
        // nginx asked so ends its workers, which would outlive it otherwise.
        let id = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status();
        if asked.is_ok() && self.ends(100) {
            return;
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// As nginx is set up to serve files, with no limit on a connection's life.
fn nginx_configuration(directory: &Path, what: &str, port: u16) -> String {
    let directory = directory.display();
    format!(
        "daemon off;\nworker_processes auto;\npid {directory}/nginx.pid;\nerror_log stderr;\n\
         events {{ worker_connections 512; }}\n\
         http {{\n  access_log off;\n  sendfile on;\n  tcp_nopush on;\n  keepalive_requests 100000000;\n  \
         client_body_temp_path {directory}/body;\n  proxy_temp_path {directory}/proxy;\n  \
         fastcgi_temp_path {directory}/fastcgi;\n  uwsgi_temp_path {directory}/uwsgi;\n  \
         scgi_temp_path {directory}/scgi;\n  \
         server {{ listen 127.0.0.1:{port}; {what} }}\n}}\n"
    )
}
