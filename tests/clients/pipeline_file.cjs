// Compares what gitlab-ci-local makes of pipeline files with what the crate makes
// of them: node pipeline_file.cjs CLIENT PROGRAM [--record]
//
// CLIENT is the client's executable, PROGRAM the example `plan` of the crate. With
// --record what the client says is written beside the files, for the crate's tests.

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const [client, program, flag] = process.argv.slice(2);
const folder = path.join(__dirname, "../../crates/pipeline-file/tests/oracle");

// What the client does otherwise, and why the crate does not follow.
const differences = {
  "only_except": "its list ignores only and except",
  "workflow_rules": "its list ignores the rules of the workflow",
  "manual_gates": "it prints what may fail of manual jobs from the key alone",
  "review_apps": "it prints what may fail of manual jobs from the key alone",
  "go_service": "it prints what may fail of manual jobs from the key alone",
  "environments": "it prints what may fail of manual jobs from the key alone",
  "hidden_and_null": "its schema refuses a key without value, which drops the base's",
  "stages_and_edges": "its schema refuses a stage that is named twice",
  "needs_graph": "its list names optional needs that are not there",
  "optional_need": "its list names optional needs that are not there",
};

function repository(name) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "pipeline-file-"));
  fs.cpSync(path.join(folder, "parts"), path.join(root, "parts"), { recursive: true });
  fs.copyFileSync(path.join(folder, name), path.join(root, ".gitlab-ci.yml"));
  const git = (...words) => execFileSync("git", ["-C", root, ...words], { stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", "https://example.test/group/project.git");
  git("add", "--all");
  git("-c", "user.name=A", "-c", "user.email=a@example.test", "commit", "--quiet", "-m", "x");
  return root;
}

function run(file, words, cwd) {
  try {
    return { text: execFileSync(file, words, { cwd, stdio: "pipe", encoding: "utf8" }) };
  } catch (error) {
    return { error: `${error.stdout}${error.stderr}` };
  }
}

// Names of instances as the crate writes them, without the client's own notation.
const named = (name) => name
  .replace(/: \[(\d+\/\d+)\]$/, " $1")
  .replace(/\[(.*)\]$/, (_, values) => `[${values.split(",").join(", ")}]`);

function said(root) {
  const list = run(client, ["--list-json", "--no-color"], root);
  if (list.error !== undefined) {
    return { error: true };
  }
  // Warnings may come before the list.
  const jobs = JSON.parse(list.text.slice(list.text.search(/^\[/m))).filter((job) => job.when !== "never");
  return {
    jobs: jobs.map(({ name, stage, when, allow_failure, needs }) => ({
      name: named(name),
      stage,
      when,
      allow_failure,
      needs: needs ? [...new Set(needs.map((need) => need.job))].sort() : null,
    })),
    preview: run(client, ["--preview", "--no-color"], root).text,
  };
}

function made(root) {
  const plan = JSON.parse(run(program, [path.join(root, ".gitlab-ci.yml")]).text);
  if (plan.errors) {
    return { error: true };
  }
  return {
    jobs: (plan.jobs || []).map(({ name, stage, when, allow_failure, needs }) => ({
      name, stage, when, allow_failure, needs,
    })),
  };
}

const group = (name) => name.replace(/(: \[.*\]| \d+\/\d+)$/, "");

function compare(theirs, ours) {
  if (theirs.error || ours.error) {
    return theirs.error === ours.error ? [] : [`client fails: ${!!theirs.error}, crate fails: ${!!ours.error}`];
  }
  const found = [];
  const mine = new Map(ours.jobs.map((job) => [job.name, job]));
  for (const job of theirs.jobs) {
    const own = mine.get(job.name);
    mine.delete(job.name);
    if (!own) {
      found.push(`${job.name}: only the client has it`);
      continue;
    }
    for (const key of ["stage", "when"]) {
      if (job[key] !== own[key]) found.push(`${job.name}: ${key} ${job[key]} / ${own[key]}`);
    }
    if (JSON.stringify(job.allow_failure) !== JSON.stringify(own.allow_failure)) {
      found.push(`${job.name}: allow_failure ${JSON.stringify(job.allow_failure)} / ${JSON.stringify(own.allow_failure)}`);
    }
    const needs = own.needs && [...new Set(own.needs.map((need) => group(need.job)))].sort();
    if (JSON.stringify(job.needs) !== JSON.stringify(needs)) {
      found.push(`${job.name}: needs ${JSON.stringify(job.needs)} / ${JSON.stringify(needs)}`);
    }
  }
  for (const name of mine.keys()) found.push(`${name}: only the crate has it`);
  return found;
}

const record = {};
let unexpected = 0;
for (const name of fs.readdirSync(folder).filter((name) => name.endsWith(".yml")).sort()) {
  const stem = name.replace(/\.yml$/, "");
  const root = repository(name);
  const theirs = said(root);
  record[stem] = theirs;
  const found = compare(theirs, made(root));
  fs.rmSync(root, { recursive: true });
  if (found.length === 0) continue;
  const reason = differences[stem];
  if (!reason) unexpected += 1;
  console.log(`${stem} (${reason || "unexpected"}):\n  ${found.join("\n  ")}`);
}
if (flag === "--record") {
  fs.writeFileSync(path.join(folder, "expected.json"), `${JSON.stringify(record, null, 1)}\n`);
}
console.log(`${Object.keys(record).length} files, ${unexpected} with differences nobody expects`);
process.exitCode = unexpected ? 1 : 0;
