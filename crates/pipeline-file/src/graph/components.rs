//! Strongly connected parts of a graph, without recursion (Tarjan).

/// The parts in an order in which what is pointed to comes first; members in
/// the order they were found in.
pub(crate) fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search {
        edges,
        index: vec![None; edges.len()],
        low: vec![0; edges.len()],
        stacked: vec![false; edges.len()],
        stack: Vec::new(),
        next: 0,
        found: Vec::new(),
    };
    for node in 0..edges.len() {
        if search.index.get(node) == Some(&None) {
            search.from(node);
        }
    }
    search.found
}

struct Search<'a> {
    edges: &'a [Vec<usize>],
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    stacked: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    found: Vec<Vec<usize>>,
}

// Every index comes from the edges, whose ends are checked where they are made.
#[allow(clippy::indexing_slicing)]
impl Search<'_> {
    fn enter(&mut self, node: usize, calls: &mut Vec<(usize, usize)>) {
        self.index[node] = Some(self.next);
        self.low[node] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.stacked[node] = true;
        calls.push((node, 0));
    }

    fn from(&mut self, start: usize) {
        let mut calls = Vec::new();
        self.enter(start, &mut calls);
        while let Some((node, edge)) = calls.pop() {
            match self.edges[node].get(edge) {
                Some(&next) => {
                    calls.push((node, edge + 1));
                    match self.index[next] {
                        None => self.enter(next, &mut calls),
                        Some(index) if self.stacked[next] => {
                            self.low[node] = self.low[node].min(index);
                        }
                        Some(_) => (),
                    }
                }
                None => self.leave(node, calls.last().map(|(parent, _)| *parent)),
            }
        }
    }

    fn leave(&mut self, node: usize, parent: Option<usize>) {
        if self.index[node] == Some(self.low[node]) {
            let start = self.stack.iter().rposition(|member| *member == node).unwrap_or(0);
            let part = self.stack.split_off(start);
            for member in &part {
                self.stacked[*member] = false;
            }
            self.found.push(part);
        }
        if let Some(parent) = parent {
            self.low[parent] = self.low[parent].min(self.low[node]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn circles_are_one_part_in_the_order_they_were_found() {
        let edges = vec![vec![1], vec![2], vec![1, 3], vec![]];
        assert_eq!(components(&edges), [vec![3], vec![1, 2], vec![0]]);
        let long: Vec<Vec<usize>> = (0..100_000).map(|n| vec![(n + 1) % 100_000]).collect();
        assert_eq!(components(&long).len(), 1);
    }
}
