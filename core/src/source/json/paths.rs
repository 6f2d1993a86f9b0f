//! The values that are wanted of each record, by dotted paths.
//!
//! `user.id` is the member `id` of the object `user`, or a member that is called `user.id`, which
//! wins where a record has both. `tags.0` is the first element of an array. Of members with the
//! same name the last one counts.

use super::scan::{Fault, Raw, Scan, Value};
use super::text::unescaped;

/// Names of a path beyond which it is read as one name, or as one name for each level, and in no
/// way between.
const MIXED: usize = 6;

/// What was found for a path in one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// Which of the ways to read the path it was found by; a lower one wins.
    rank: u32,
    pub(super) value: Value,
}

impl Found {
    /// Nothing, which reads as a null.
    pub(super) const NOTHING: Self = Self { rank: u32::MAX, value: Value::Null };

    /// Whether there is anything, be it a null.
    pub(super) fn is_there(&self) -> bool {
        self.rank != u32::MAX
    }
}

/// Several paths as one tree.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    nodes: Vec<Node>,
    /// Number of paths.
    count: usize,
}

/// What to do with a value.
#[derive(Debug, Clone, Default)]
struct Node {
    name: Vec<u8>,
    /// The name as the number of an element.
    number: Option<usize>,
    children: Vec<usize>,
    /// The paths that end here: their number, and the rank of the way they came.
    leaves: Vec<(usize, u32)>,
}

impl Paths {
    pub(super) fn new() -> Self {
        Self { nodes: vec![Node::default()], count: 0 }
    }

    /// Number of paths.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Adds a path with several spellings, the likeliest first, and gives its number.
    pub(super) fn add<'p>(&mut self, spellings: impl IntoIterator<Item = &'p str>) -> usize {
        let path = self.count;
        self.count += 1;
        let mut rank = 0;
        for spelling in spellings {
            if spelling.split('.').count() <= MIXED {
                self.add_below(0, spelling, path, &mut rank);
            } else {
                self.end(0, [spelling].into_iter(), path, &mut rank);
                self.end(0, spelling.split('.'), path, &mut rank);
            }
        }
        path
    }

    /// Adds every way to read `rest` below a node, the one with the longest name first.
    fn add_below(&mut self, node: usize, rest: &str, path: usize, rank: &mut u32) {
        self.end(node, [rest].into_iter(), path, rank);
        for (dot, _) in rest.rmatch_indices('.') {
            let child = self.child(node, &rest[..dot]);
            self.add_below(child, &rest[dot + 1..], path, rank);
        }
    }

    /// Ends a path at the node that `names` lead to.
    fn end<'p>(
        &mut self,
        from: usize,
        names: impl Iterator<Item = &'p str>,
        path: usize,
        rank: &mut u32,
    ) {
        let node = names.fold(from, |node, name| self.child(node, name));
        self.nodes[node].leaves.push((path, *rank));
        *rank += 1;
    }

    fn child(&mut self, node: usize, name: &str) -> usize {
        let is_it = |&child: &usize| self.nodes[child].name == name.as_bytes();
        if let Some(child) = self.nodes[node].children.iter().copied().find(is_it) {
            return child;
        }
        let child = self.nodes.len();
        let number = name.parse().ok();
        self.nodes.push(Node { name: name.into(), number, ..Node::default() });
        self.nodes[node].children.push(child);
        child
    }

    /// Takes the record here, and puts what it has into `found`, which has a place for each path.
    #[inline]
    pub(super) fn find(&self, scan: &mut Scan<'_>, found: &mut [Found]) -> Result<(), Fault> {
        self.object(scan, &self.nodes[0], found)
    }

    #[inline]
    fn object(&self, scan: &mut Scan<'_>, node: &Node, found: &mut [Found]) -> Result<(), Fault> {
        scan.members(|scan, name| match self.member(scan.text, node, name) {
            Some(child) => self.value(scan, child, found),
            None => scan.skip(),
        })
    }

    /// The node of a member.
    #[inline]
    fn member(&self, text: &[u8], node: &Node, name: Raw) -> Option<&Node> {
        let raw = &text[name.start..name.end];
        let mut children = node.children.iter().map(|&child| &self.nodes[child]);
        if name.escaped {
            let plain = unescaped(raw)?;
            return children.find(|child| child.name == plain);
        }
        children.find(|child| child.name == raw)
    }

    fn value(&self, scan: &mut Scan<'_>, node: &Node, found: &mut [Found]) -> Result<(), Fault> {
        let sign = scan.next_sign()?;
        let value = match sign {
            b'{' | b'[' if !node.children.is_empty() => {
                let start = scan.at;
                if sign == b'{' {
                    self.object(scan, node, found)?;
                } else {
                    self.array(scan, node, found)?;
                }
                Value::Nested { start, end: scan.at }
            }
            _ => scan.value()?,
        };
        for &(path, rank) in &node.leaves {
            if rank <= found[path].rank {
                found[path] = Found { rank, value };
            }
        }
        Ok(())
    }

    fn array(&self, scan: &mut Scan<'_>, node: &Node, found: &mut [Found]) -> Result<(), Fault> {
        scan.elements(|scan, number| {
            let mut children = node.children.iter().map(|&child| &self.nodes[child]);
            match children.find(|child| child.number == Some(number)) {
                Some(child) => self.value(scan, child, found),
                None => scan.skip(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find<'t>(path: &str, text: &'t str) -> Option<&'t str> {
        let mut paths = Paths::new();
        paths.add([path]);
        let mut found = [Found::NOTHING];
        let mut scan = Scan::new(text.as_bytes(), 0);
        paths.find(&mut scan, &mut found).unwrap();
        assert_eq!(scan.at, text.len(), "all of the record is taken");
        match found[0].value {
            Value::Null => found[0].is_there().then_some("null"),
            Value::String(raw) => Some(&text[raw.start..raw.end]),
            Value::Word { start, end } | Value::Nested { start, end } => Some(&text[start..end]),
        }
    }

    #[test]
    fn a_path_leads_through_objects_and_arrays() {
        let text = r#"{"x":{"id":0},"user":{"tags":[{"id":1},{"id":"two"}],"id":3}}"#;
        assert_eq!(find("user.id", text), Some("3"));
        assert_eq!(find("user.tags.1.id", text), Some("two"));
        assert_eq!(find("user.tags.2.id", text), None);
        assert_eq!(find("user.tags.0", text), Some(r#"{"id":1}"#));
        assert_eq!(find("id", text), None);
        assert_eq!(find("user.id.more", text), None);
        assert_eq!(find("a", r#"{"a":null}"#), Some("null"));
    }

    #[test]
    fn a_member_that_is_called_like_the_path_wins_wherever_it_stands() {
        assert_eq!(find("a.b", r#"{"a.b":1,"a":{"b":2}}"#), Some("1"));
        assert_eq!(find("a.b", r#"{"a":{"b":2},"a.b":1}"#), Some("1"));
        assert_eq!(find("a.b.c", r#"{"a":{"b.c":1,"b":{"c":2}}}"#), Some("1"));
        assert_eq!(find("a.b.c", r#"{"a":{"b.c":1},"a.b":{"c":2}}"#), Some("2"));
        let deep = "a.b.c.d.e.f.g.h";
        assert_eq!(find(deep, r#"{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":1}}}}}}}}"#), Some("1"));
        assert_eq!(find(deep, r#"{"a.b.c.d.e.f.g.h":2}"#), Some("2"));
    }

    #[test]
    fn of_members_with_one_name_the_last_counts_and_names_may_be_escaped() {
        assert_eq!(find("a", r#"{"a":1,"a":2}"#), Some("2"));
        assert_eq!(find("key", r#"{"k\u0065y":1}"#), Some("1"));
        assert_eq!(find("a\"b", r#"{"a\"b":1}"#), Some("1"));
    }
}
