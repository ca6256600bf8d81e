//! Exits at the end: `return x if c` before the rest of a method, and `next unless c` before the rest of a block, become
//! branches of an `if`, so that leaving costs no more than a branch. What is left otherwise (from within a loop, a `begin` with
//! `rescue`, a block of the method) goes through all that is around it.

use crate::tree::{Case, Expr};

/// How many exits of one body become branches: each nests what is behind it deeper.
const MOST: usize = 16;

/// What a body is left with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// A block's `next`.
    Next,
    /// A method's `return`.
    Return,
}

/// A body whose exits at its end are branches, and do the same.
pub(super) fn as_branches(body: Expr, exit: Exit) -> Expr {
    last(body, exit, MOST)
}

/// An expression with which the body ends.
fn last(node: Expr, exit: Exit, most: usize) -> Expr {
    match node {
        Expr::Next(value) if exit == Exit::Next => *value,
        Expr::Return(value) if exit == Exit::Return => *value,
        Expr::Sequence(nodes) => sequence(nodes.into_vec(), exit, most),
        Expr::If(parts) => {
            let (condition, then, other) = *parts;
            Expr::If(Box::new((condition, last(then, exit, most), last(other, exit, most))))
        }
        Expr::Case(case) => {
            let Case { subject, branches, otherwise } = *case;
            let branches = branches.into_iter().map(|(when, then)| (when, last(then, exit, most)));
            let (branches, otherwise) = (branches.collect(), last(otherwise, exit, most));
            Expr::Case(Box::new(Case { subject, branches, otherwise }))
        }
        node => node,
    }
}

fn sequence(mut nodes: Vec<Expr>, exit: Exit, most: usize) -> Expr {
    let is_guard = |node: &Expr| match node {
        Expr::If(parts) => leaves(&parts.1, exit) || leaves(&parts.2, exit),
        _ => false,
    };
    let guard = nodes.iter().position(is_guard).filter(|place| place + 1 < nodes.len() && most > 0);
    let Some(place) = guard else {
        if let Some(node) = nodes.pop() {
            nodes.push(last(node, exit, most));
        }
        return one(nodes);
    };
    let rest = nodes.split_off(place + 1);
    if let Some(Expr::If(parts)) = nodes.pop() {
        let (condition, then, other) = *parts;
        let behind = |node: Expr| {
            let mut all = if matches!(node, Expr::Nil) { Vec::new() } else { vec![node] };
            all.extend(rest);
            sequence(all, exit, most - 1)
        };
        let (then, other) = if leaves(&then, exit) {
            (last(then, exit, most), behind(other))
        } else {
            (behind(then), last(other, exit, most))
        };
        nodes.push(Expr::If(Box::new((condition, then, other))));
    }
    one(nodes)
}

/// Whether a node leaves the body in any case.
fn leaves(node: &Expr, exit: Exit) -> bool {
    match node {
        Expr::Next(_) => exit == Exit::Next,
        Expr::Return(_) => exit == Exit::Return,
        Expr::Sequence(nodes) => nodes.last().is_some_and(|node| leaves(node, exit)),
        Expr::If(parts) => leaves(&parts.1, exit) && leaves(&parts.2, exit),
        _ => false,
    }
}

/// Nodes that follow each other.
fn one(mut nodes: Vec<Expr>) -> Expr {
    match nodes.len() {
        1 => nodes.remove(0),
        _ => Expr::Sequence(nodes.into()),
    }
}

#[cfg(test)]
mod tests {
    use crate::lower::lower_file;

    /// The body of the first method of a file, as `inspect` writes it.
    fn body(text: &str) -> String {
        let program = lower_file(text).unwrap();
        format!("{:?}", program.methods[0].body)
    }

    #[test]
    fn exits_at_the_end_are_branches() {
        let guarded = body("def a(x)\n  return 1 if x\n  return 2 unless y(x)\n  z(x)\nend");
        let branches = body("def a(x)\n  x ? 1 :\n    y(x) ?\n    z(x) : 2\nend");
        assert_eq!(guarded, branches);
        let mixed =
            body("def a(x)\n  x.each { |i| next if i; b(i) }\n  if x then return b(1) else c end\n  d\nend");
        assert!(!mixed.contains("Return") && !mixed.contains("Next"), "{mixed}");
    }

    #[test]
    fn others_are_not() {
        for text in [
            "def a(x)\n  x.each { |i| return i }\n  1\nend",
            "def a(x)\n  while x\n    return 1\n  end\nend",
            "def a(x)\n  begin\n    return 1 if x\n    2\n  rescue ArgumentError\n    3\n  end\nend",
        ] {
            assert!(body(text).contains("Return"), "{text}");
        }
        // Each nests what is behind it.
        let many = format!("def a(x)\n{}  2\nend", "  return 1 if x\n".repeat(40));
        assert_eq!(body(&many).matches("Return").count(), 40 - super::MOST);
    }
}
