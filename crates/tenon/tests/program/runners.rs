//! `tenon runner` and a runner that others wrote, over built servers: jobs are done once,
//! also where a server is killed.

use crate::bucket::Bucket;
use crate::place::{Place, Server, program, until};
use serde_json::{Value, json};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use testkit::{Client, run};

/// A runner that is killed when dropped.
struct Runner {
    child: Child,
    folder: tempfile::TempDir,
}

impl Runner {
    fn begin(server: &str, token: &str, jobs: &str) -> Runner {
        let folder = tempfile::tempdir().expect("a folder");
        let told = std::fs::File::create(folder.path().join("told")).expect("a file");
        let child = Command::new(program())
            .args(["runner", "--url", server, "--jobs", jobs])
            .arg("--folder")
            .arg(folder.path().join("here"))
            .env("TENON_RUNNER_TOKEN", token)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stderr(told)
            .spawn()
            .expect("the program can be started");
        Runner { child, folder }
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        Command::new("kill")
            .args([&format!("-{name}"), &pid])
            .status()
            .expect("kill runs");
    }

    /// Asks it to end; its code.
    fn stop(mut self) -> Option<i32> {
        self.signal("TERM");
        self.child.wait().expect("it ends").code()
    }

    /// What it said.
    fn told(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("told")).expect("it says something")
    }

    /// What jobs left in its folder.
    fn left(&self) -> Vec<std::path::PathBuf> {
        testkit::files_below(&self.folder.path().join("here/jobs"))
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A project with this pipeline file; its path below `/api/v4`, and the id of a pipeline.
async fn begun(client: &Client, files: &[(&str, &str)]) -> (String, i64) {
    let body = json!({"name": "anvil", "path": "anvil"});
    let id = client.post("/projects").json(&body).await.is(201).id();
    let actions = files
        .iter()
        .map(|(path, text)| json!({"action": "create", "file_path": path, "content": text}));
    let body = json!({"branch": "main", "commit_message": "Begin [skip ci]",
        "actions": actions.collect::<Vec<_>>()});
    client
        .post(format!("/projects/{id}/repository/commits"))
        .json(&body)
        .await
        .is(201);
    let project = format!("/projects/{id}");
    let begin = json!({"ref": "main"});
    let made = client.post(format!("{project}/pipeline")).json(&begin).await.is(201).id();
    (project, made)
}

async fn token(client: &Client) -> String {
    let body = json!({"runner_type": "instance_type"});
    let made = client.post("/user/runners").json(&body).await.is(201).json();
    made["token"].as_str().expect("a token").to_owned()
}

async fn is_over(client: &Client, project: &str, pipeline: i64) -> bool {
    let shown = client.get(format!("{project}/pipelines/{pipeline}")).await.is(200).json();
    !["created", "pending", "running", "canceling"]
        .contains(&shown["status"].as_str().unwrap_or_default())
}

async fn jobs(client: &Client, project: &str, pipeline: i64) -> Vec<Value> {
    let path = format!("{project}/pipelines/{pipeline}/jobs?per_page=100&include_retried=true");
    client.get(path).await.is(200).json().as_array().cloned().expect("jobs")
}

async fn log(client: &Client, project: &str, job: &Value) -> String {
    client.get(format!("{project}/jobs/{}/trace", job["id"])).await.is(200).text()
}

fn named<'j>(jobs: &'j [Value], name: &str) -> &'j Value {
    jobs.iter()
        .find(|job| job["name"] == name)
        .unwrap_or_else(|| panic!("no job {name}"))
}

const FILE: &str = r#"
stages: [build, test]
variables: {COLOUR: "blue", TEXT: {value: "a 'b' $COLOUR"}}
compile:
  stage: build
  before_script: ["echo before"]
  script:
    - test "$COLOUR" = blue
    - echo "text is $TEXT on $CI_COMMIT_BRANCH"
    - mkdir -p out && cp anvil.txt out/a.txt
    - echo "LEVEL=7" > build.env
  after_script: ["echo after a $CI_JOB_STATUS"]
  artifacts: {paths: [out/], reports: {dotenv: build.env}}
  cache: {key: deps, paths: [out/]}
unit:
  stage: test
  script:
    - grep iron out/a.txt
    - echo "level $LEVEL"
    - git log --oneline | head -1
    - test ! -e build.env
breaks:
  stage: test
  allow_failure: true
  script: ["exit 3", "echo never"]
  after_script: ["echo after a $CI_JOB_STATUS"]
slow:
  stage: test
  allow_failure: true
  timeout: 10 minutes
  script: ["sleep 600"]
"#;

#[test]
fn a_runner_does_a_whole_pipeline() {
    run(async {
        for place in Place::both() {
            whole_pipeline(place).await;
        }
    });
}

async fn whole_pipeline(place: Place) {
    let server = place.serve();
    let client = server.client(&place.token());
    let (project, pipeline) =
        begun(&client, &[(".gitlab-ci.yml", FILE), ("anvil.txt", "iron\n")]).await;
    let runner = Runner::begin(&server.url, &token(&client).await, "3");
    until("a long job runs", async || {
        let all = jobs(&client, &project, pipeline).await;
        named(&all, "slow")["status"] == "running"
    })
    .await;
    let all = jobs(&client, &project, pipeline).await;
    let slow = format!("{project}/jobs/{}/cancel", named(&all, "slow")["id"]);
    client.post(slow).await.is(201);
    until("the pipeline ends", async || is_over(&client, &project, pipeline).await).await;

    let all = jobs(&client, &project, pipeline).await;
    let statuses =
        ["compile", "unit", "breaks", "slow"].map(|name| named(&all, name)["status"].clone());
    let compile = log(&client, &project, named(&all, "compile")).await;
    assert_eq!(statuses, ["success", "success", "failed", "canceled"], "{compile}");
    for text in ["before", "text is a 'b' blue on main", "after a success", "Job succeeded"] {
        assert!(compile.contains(text), "{text} in {compile}");
    }
    let unit = log(&client, &project, named(&all, "unit")).await;
    assert!(unit.contains("iron") && unit.contains("level 7"), "{unit}");
    let breaks = named(&all, "breaks");
    let text = log(&client, &project, breaks).await;
    assert!(text.contains("after a failed") && text.contains("exit code 3"), "{text}");
    assert!(!text.contains("never\n"), "{text}");
    assert_eq!(breaks["failure_reason"], "script_failure");
    let about = format!("job {} (breaks)", breaks["id"]);
    for text in ["ready for jobs of http", &about, "is over"] {
        assert!(runner.told().contains(text), "{text} in {}", runner.told());
    }
    until("nothing is left", async || runner.left().is_empty()).await;
    // Its question is held open for the best part of a minute otherwise.
    let began = std::time::Instant::now();
    assert_eq!(server.terminate().0, Some(0));
    assert!(began.elapsed().as_secs() < 15, "it waits for a runner: {:?}", began.elapsed());
    assert_eq!(runner.stop(), Some(0));
}

/// Lines of each job of the storm, in three parts with pauses between.
const PARTS: &str = "for part in 1 2 3; do seq -f \"line $part-%g\" 1 200; sleep 0.2; done";

/// Fifty jobs, eight runners over two nodes of which one is killed: each job is handed out
/// once, none is lost, and no log lacks a line.
#[test]
fn jobs_of_two_nodes_are_done_once_though_one_is_killed() {
    run(async {
        if let Some(place) = Place::postgres() {
            storm(place.over(Bucket::open().await)).await;
        }
    });
}

async fn storm(place: Place) {
    let front = Front::open().await;
    let place = place.with("TENON_EXTERNAL_URL", &front.url);
    let (one, two) = (place.serve(), place.serve());
    front.leads_to([&one, &two]);
    let client = two.client(&place.token());
    let file: String = (1..=50).map(|n| format!("job-{n}: {{script: ['{PARTS}']}}\n")).collect();
    let file = file.replace("['", "[\"").replace("']", "\"]");
    let (project, pipeline) = begun(&client, &[(".gitlab-ci.yml", &escaped(&file))]).await;
    let token = token(&client).await;
    let runners: Vec<Runner> = (0..8).map(|_| Runner::begin(&front.url, &token, "1")).collect();
    until("some jobs are done", async || done(&client, &project, pipeline).await >= 8).await;
    one.kill();
    over_after_all(&client, &project, pipeline).await;

    let all = jobs(&client, &project, pipeline).await;
    assert_eq!(all.len(), 50, "none was tried again");
    let wanted: Vec<String> = (1..=3)
        .flat_map(|part| (1..=200).map(move |n| format!("line {part}-{n}")))
        .collect();
    for job in &all {
        let text = log(&client, &project, job).await;
        assert_eq!(job["status"], "success", "{text}");
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("line ")).collect();
        assert_eq!(lines, wanted, "{}", job["name"]);
    }
    for runner in runners {
        assert_eq!(runner.stop(), Some(0));
    }
    assert_eq!(two.terminate().0, Some(0));
}

/// Waits for the end. A job whose runner never heard that it has it, since the server was
/// killed with the answer, is given to another after some minutes.
async fn over_after_all(client: &Client, project: &str, pipeline: i64) {
    let limit = std::time::Instant::now() + std::time::Duration::from_secs(300);
    while !is_over(client, project, pipeline).await {
        if std::time::Instant::now() > limit {
            let all = jobs(client, project, pipeline).await;
            let open: Vec<_> = all.iter().filter(|job| job["status"] != "success").collect();
            panic!("in vain: {open:#?}");
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

fn escaped(file: &str) -> String {
    file.replace(PARTS, &PARTS.replace('"', "\\\""))
}

async fn done(client: &Client, project: &str, pipeline: i64) -> usize {
    let all = jobs(client, project, pipeline).await;
    all.iter().filter(|job| job["status"] == "success").count()
}

/// One address before servers, as a balancer is: a connection goes to the first of them that
/// takes it, in turn.
struct Front {
    url: String,
    targets: Arc<Mutex<Vec<String>>>,
}

impl Front {
    async fn open() -> Front {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("an address");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let front = Front { url, targets: Arc::default() };
        let targets = front.targets.clone();
        tokio::spawn(async move {
            let mut turn = 0;
            while let Ok((from, _)) = listener.accept().await {
                turn += 1;
                let mut order = targets.lock().expect("no panic").clone();
                let first = turn % order.len().max(1);
                order.rotate_left(first);
                tokio::spawn(lead(from, order));
            }
        });
        front
    }

    /// Servers that it leads to.
    fn leads_to(&self, servers: [&Server; 2]) {
        let address = |one: &Server| one.url.trim_start_matches("http://").to_owned();
        *self.targets.lock().expect("no panic") = servers.map(address).to_vec();
    }
}

async fn lead(mut from: tokio::net::TcpStream, order: Vec<String>) {
    for target in order {
        if let Ok(mut to) = tokio::net::TcpStream::connect(target).await {
            // It ends where one of them does.
            let _ = tokio::io::copy_bidirectional(&mut from, &mut to).await;
            return;
        }
    }
}
