//! A pipeline as a picture: its stages as columns, what a job needs as lines. Drawn here,
//! so that it is there without a script; its jobs are links.

use super::parts::picture;
use crate::pipelines::entity::DetailedStatus;
use crate::pipelines::model::Job;
use crate::pipelines::status::Status;
use askama::Template;
use askama::filters::HtmlSafe;
use kernel::html::ui::icon;
use pipeline_file::PlannedJob;
use std::collections::HashMap;

/// Jobs that are drawn; of larger pipelines the first.
const MOST: usize = 400;
/// Lines that are drawn.
const MOST_LINES: usize = 2_000;
/// Letters of a name that a box has room for.
const LETTERS: usize = 22;

const WIDTH: i64 = 204;
const HEIGHT: i64 = 36;
const BESIDE: i64 = 56;
const BELOW: i64 = 10;
/// Room for the names of stages.
const HEAD: i64 = 32;

/// A job as it is drawn.
#[derive(Debug, Clone)]
pub struct Drawn {
    pub name: String,
    pub stage: String,
    pub status: Option<Status>,
    pub url: Option<String>,
    /// Names of those that it needs.
    pub needs: Vec<String>,
}

impl Drawn {
    pub fn of(job: &Job, needs: Vec<String>, url: String) -> Drawn {
        Drawn {
            name: job.name.clone(),
            stage: job.stage.clone(),
            status: Some(job.status),
            url: Some(url),
            needs,
        }
    }

    /// One that would be.
    pub fn planned(job: &PlannedJob) -> Drawn {
        let needs = job.needs.iter().flatten().map(|need| need.name.clone());
        Drawn {
            name: job.name.clone(),
            stage: job.stage.clone(),
            status: None,
            url: None,
            needs: needs.collect(),
        }
    }
}

struct Stage {
    name: String,
    x: i64,
}

struct Node {
    x: i64,
    y: i64,
    /// What fits into its box.
    short: String,
    /// What it is, said.
    text: String,
    group: String,
    picture: &'static str,
    url: Option<String>,
}

/// The picture.
#[derive(Template)]
#[template(path = "ui/ci_graph.html")]
pub struct Graph {
    width: i64,
    height: i64,
    stages: Vec<Stage>,
    nodes: Vec<Node>,
    lines: Vec<String>,
    /// Jobs that are not drawn.
    left_out: usize,
}

impl HtmlSafe for Graph {}

impl Graph {
    /// Jobs by their stages, in the order in which they are given.
    pub fn of(jobs: Vec<Drawn>) -> Graph {
        let left_out = jobs.len().saturating_sub(MOST);
        let mut graph = Graph {
            width: 0,
            height: 0,
            stages: Vec::new(),
            nodes: Vec::new(),
            lines: Vec::new(),
            left_out,
        };
        let (mut places, mut filled) = (HashMap::new(), Vec::<i64>::new());
        let jobs = &jobs[..jobs.len().min(MOST)];
        for job in jobs {
            let column = graph.column(&job.stage);
            if filled.len() <= column {
                filled.push(0);
            }
            let x = column as i64 * (WIDTH + BESIDE);
            let y = HEAD + filled[column] * (HEIGHT + BELOW);
            filled[column] += 1;
            places.insert(job.name.as_str(), (x, y));
            graph.nodes.push(Node::of(job, (x, y)));
        }
        for job in jobs {
            graph.connect(job, &places);
        }
        let columns = graph.stages.len() as i64;
        let rows = filled.iter().copied().max().unwrap_or(0);
        graph.width = (columns * (WIDTH + BESIDE) - BESIDE).max(0) + 4;
        graph.height = HEAD + rows * (HEIGHT + BELOW) + 2;
        graph
    }

    fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn column(&mut self, name: &str) -> usize {
        let known = self.stages.iter().position(|stage| stage.name == name);
        known.unwrap_or_else(|| {
            let x = self.stages.len() as i64 * (WIDTH + BESIDE);
            self.stages.push(Stage { name: name.to_owned(), x });
            self.stages.len() - 1
        })
    }

    fn connect(&mut self, job: &Drawn, places: &HashMap<&str, (i64, i64)>) {
        let Some((to_x, to_y)) = places.get(job.name.as_str()) else {
            return;
        };
        for (x, y) in job.needs.iter().filter_map(|name| places.get(name.as_str())) {
            if self.lines.len() >= MOST_LINES {
                return;
            }
            let (from_x, from_y, to_y) = (x + 2 + WIDTH, y + HEIGHT / 2, to_y + HEIGHT / 2);
            let to_x = to_x + 2;
            // Within a stage the line goes around the box.
            let bend = ((to_x - from_x) / 2).max(BESIDE / 2);
            let (one, other) = (from_x + bend, to_x - bend);
            self.lines
                .push(format!("M{from_x} {from_y}C{one} {from_y} {other} {to_y} {to_x} {to_y}"));
        }
    }
}

impl Node {
    fn of(job: &Drawn, (x, y): (i64, i64)) -> Node {
        let is_long = job.name.chars().count() > LETTERS;
        let mut short: String = job.name.chars().take(LETTERS).collect();
        if is_long {
            short.pop();
            short.push('…');
        }
        let words = job.status.map(|status| DetailedStatus::of(status, String::new()));
        let text = match &words {
            Some(words) => format!("{}: {}", job.name, words.label),
            None => job.name.clone(),
        };
        Node {
            x: x + 2,
            y,
            short,
            text,
            group: words.map_or_else(|| "created".to_owned(), |words| words.group),
            picture: icon(job.status.map_or("gear", picture)).line(),
            url: job.url.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(name: &str, stage: &str, needs: &[&str]) -> Drawn {
        Drawn {
            name: name.into(),
            stage: stage.into(),
            status: Some(Status::Success),
            url: Some(format!("/jobs/{name}")),
            needs: needs.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn stages_are_columns_and_needs_are_lines() {
        let graph = Graph::of(vec![
            job("a", "build", &[]),
            job("b", "build", &["a"]),
            job("c <i>", "test", &["a", "gone"]),
        ]);
        let places: Vec<_> = graph.nodes.iter().map(|node| (node.x, node.y)).collect();
        assert_eq!(places, [(2, 32), (2, 78), (262, 32)]);
        assert_eq!(graph.lines.len(), 2);
        assert_eq!(graph.lines[1], "M206 50C234 50 234 50 262 50");
        let html = graph.to_string();
        assert!(html.contains("href=\"/jobs/a\"") && html.contains("a: passed"), "{html}");
        assert!(!html.contains("<i>"), "{html}");
    }

    #[test]
    fn a_picture_has_an_end() {
        let jobs: Vec<Drawn> = (0..MOST + 10)
            .map(|at| job(&format!("a very long name of a job {at}"), "build", &[]))
            .collect();
        let graph = Graph::of(jobs);
        assert_eq!((graph.nodes.len(), graph.left_out), (MOST, 10));
        assert_eq!(graph.nodes[0].short.chars().count(), LETTERS);
        assert!(Graph::of(Vec::new()).is_empty());
    }
}
