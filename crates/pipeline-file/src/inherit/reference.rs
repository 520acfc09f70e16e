//! `!reference [job, key]`: a copy of what stands elsewhere.

use super::Budget;
use crate::message::{Message, Place, quoted_list};
use crate::yaml::{Map, Node, Value};

/// Lists, maps and references that may lie in each other.
const DEEPEST: usize = 200;

/// Replaces all references by what they point to.
pub(crate) fn resolve(root: Map, budget: &mut Budget) -> Result<Map, Message> {
    let mut work = Work { root: &root, budget, chain: Vec::new(), depth: 0 };
    let mut done = Map::with_capacity(root.len());
    for (key, node) in &root {
        done.insert(key.clone(), work.node(node)?);
    }
    Ok(done)
}

struct Work<'a> {
    root: &'a Map,
    budget: &'a mut Budget,
    /// The references that are being followed.
    chain: Vec<Vec<String>>,
    depth: usize,
}

impl Work<'_> {
    fn node(&mut self, node: &Node) -> Result<Node, Message> {
        if self.depth >= DEEPEST {
            return Err(Message::at(node.at, "The parsed YAML is too big"));
        }
        self.depth += 1;
        let value = match &node.value {
            Value::List(items) => {
                Value::List(items.iter().map(|item| self.node(item)).collect::<Result<_, _>>()?)
            }
            Value::Map(map) => {
                let pair = |(key, node): (&String, &Node)| Ok((key.clone(), self.node(node)?));
                Value::Map(map.iter().map(pair).collect::<Result<_, Message>>()?)
            }
            Value::Reference(path) => self.follow(path, node.at)?,
            value => value.clone(),
        };
        self.depth -= 1;
        Ok(Node::new(value, node.at))
    }

    fn follow(&mut self, path: &[String], at: Place) -> Result<Value, Message> {
        let wrong =
            |what: &str| Message::at(at, format!("!reference {} {what}", quoted_list(path)));
        if self.chain.iter().any(|above| above == path) {
            return Err(wrong("is part of a circular chain"));
        }
        let root = self.root;
        let (first, rest) = path.split_first().ok_or_else(|| wrong("is not valid"))?;
        let mut target = root.get(first);
        for key in rest {
            target = target.and_then(|node| node.map()?.get(key));
        }
        let target = target.ok_or_else(|| wrong("could not be found"))?;
        self.budget.spend(target.size(), at)?;
        self.chain.push(path.to_vec());
        let node = self.node(target)?;
        self.chain.pop();
        Ok(node.value)
    }
}

#[cfg(test)]
mod tests {
    use super::super::extend;
    use super::*;
    use crate::limits::Limits;
    use crate::yaml::parse;

    fn merged(text: &str) -> Result<Map, Message> {
        let limits = Limits::default();
        let node = parse(text, 0, &limits).unwrap().nodes.remove(0);
        let mut budget = Budget::new(&limits);
        resolve(extend(node.map().unwrap().clone(), &mut budget)?, &mut budget)
    }

    #[test]
    fn bases_are_merged_left_to_right_and_then_the_job() {
        let text = "
.a: {image: x, variables: {A: 1, B: 1}, script: [one, two], tags: [t]}
.b: {variables: {B: 2}}
j: {extends: [.a, .b], script: [three], variables: {C: 3}, tags: null}
k: {extends: j}
";
        let map = merged(text).unwrap();
        let job = map["k"].map().unwrap();
        let variables = job["variables"].map().unwrap();
        assert_eq!(variables["B"].value, Value::Int(2));
        assert_eq!(variables.len(), 3);
        assert_eq!(job["script"].list().unwrap().len(), 1);
        assert!(job["tags"].is_null());
        assert!(job.contains_key("extends"));
    }

    #[test]
    fn what_cannot_be_extended_is_said() {
        let mut deep = String::from("a0: {script: e}\n");
        for n in 1..14 {
            deep += &format!("a{n}: {{extends: a{}}}\n", n - 1);
        }
        for (text, wanted) in [
            ("a: {extends: .x}", "a: unknown keys in `extends` (.x)"),
            (
                "a: {extends: [.x, .y]}\n.x: 1\n.y: {}",
                "a: invalid base hashes in `extends` (.x)",
            ),
            (
                "a: {extends: b}\nb: {extends: a}",
                "a: circular dependency detected in `extends`",
            ),
            ("a: {extends: a}", "a: circular dependency detected in `extends`"),
            (&deep, "a12: nesting too deep in `extends`"),
            ("a: {extends: 1}", "jobs:a extends should be an array of strings or a string"),
        ] {
            assert_eq!(merged(text).unwrap_err().text, wanted);
        }
    }

    #[test]
    fn references_are_followed_and_circles_refused() {
        let text = ".s: {script: [a, !reference [.t, script]]}\n.t: {script: [b]}\n\
                    j: {script: [!reference [.s, script]]}";
        let map = merged(text).unwrap();
        let script = map["j"].map().unwrap()["script"].list().unwrap();
        assert_eq!(script[0].list().unwrap()[1].list().unwrap()[0].text(), Some("b"));
        for (text, wanted) in [
            ("a: {x: !reference [b, c]}", "!reference [\"b\", \"c\"] could not be found"),
            (
                "a: {x: !reference [b, x]}\nb: {x: !reference [a, x]}",
                "!reference [\"b\", \"x\"] is part of a circular chain",
            ),
        ] {
            assert_eq!(merged(text).unwrap_err().text, wanted);
        }
        let mut bomb = String::from("a0: {x: [y, y, y, y]}\n");
        for n in 1..40 {
            let reference = format!("!reference [a{}, x]", n - 1);
            bomb += &format!("a{n}: {{x: [{reference}, {reference}]}}\n");
        }
        assert_eq!(merged(&bomb).unwrap_err().text, "The parsed YAML is too big");
    }
}
