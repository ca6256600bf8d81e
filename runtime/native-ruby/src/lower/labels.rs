//! What Ruby's traces call a place in code: the method, or the body, that it stands in, and how many blocks are around it.

use super::Lower;
use tree_sitter::Node as Syntax;

impl Lower<'_> {
    /// Ruby's label of a place, with an empty name where no method and no module is around it; none within `rescue` and
    /// `ensure`, which have labels of their own.
    pub(crate) fn label(&self, node: Syntax<'_>) -> Option<String> {
        let name = |node: Syntax<'_>| {
            let name = node.child_by_field_name("name").map(|name| self.source(name)).unwrap_or_default();
            name.rsplit("::").next().unwrap_or_default()
        };
        let mut blocks = 0;
        let mut root = String::new();
        for around in std::iter::successors(node.parent(), Syntax::parent) {
            match around.kind() {
                "rescue" | "ensure" | "rescue_modifier" => return None,
                // The body of `for` is a block.
                "block" | "do_block" | "for" => blocks += 1,
                "method" | "singleton_method" => root = name(around).to_owned(),
                "module" | "class" => root = format!("<{}:{}>", around.kind(), name(around)),
                "singleton_class" => root = "singleton class".to_owned(),
                _ => continue,
            }
            if !root.is_empty() {
                break;
            }
        }
        Some(match blocks {
            0 => root,
            1 => format!("block in {root}"),
            levels => format!("block ({levels} levels) in {root}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::lower::lower_file;

    /// The labels of all warnings in a file, in order.
    fn labels(text: &str) -> Vec<String> {
        let shown = format!("{:?}", lower_file(text).expect("it is lowered"));
        let calls = shown.split("name: \" deprecation_warning\", args: [String(\"").skip(1);
        calls.map(|rest| rest.split('"').next().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn a_place_is_called_as_ruby_calls_it() {
        let warn = "Puppet.deprecation_warning('x')";
        assert_eq!(labels(&format!("[1].each {{ {warn} }}\n{warn}")), ["block in ", ""]);
        assert_eq!(
            labels(&format!("newfunction(:a) do |args|\nargs.each {{ |x| {warn} }}\nend")),
            ["block (2 levels) in "]
        );
        assert_eq!(
            labels(&format!("module A::B\nnewfunction(:a) {{ |x| {warn} }}\nend")),
            ["block in <module:B>"]
        );
        assert_eq!(labels(&format!("class A\ndef run(x)\nx.each {{ {warn} }}\nend\nend")), ["block in run"]);
        assert_eq!(labels(&format!("def self.run\n-> {{ {warn} }}\nend")), ["block in run"]);
        assert_eq!(
            labels(&format!("def run(l)\nfor x in l do {warn} end\n{warn} if l\nend")),
            ["block in run", "run"]
        );
    }

    #[test]
    fn rescue_has_a_label_of_its_own() {
        let warn = "Puppet.deprecation_warning('x')";
        assert!(labels(&format!("def run\nx\nrescue\n{warn}\nend")).is_empty());
        assert!(labels(&format!("def run\nx\nensure\n{warn}\nend")).is_empty());
        assert_eq!(labels(&format!("def run\n{warn}\nrescue\nx\nend")), ["run"]);
    }
}
