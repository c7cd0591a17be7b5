use manywire_shape::{Int, Literal, Node, NodeId};

use super::object::{text, units};
use super::{Reader, Result};
use crate::json::{Step, member, text_member};

impl<'l> Reader<'l> {
    /// What a schema lists: values, or alternatives. None if it lists nothing.
    pub(super) fn choice(&mut self, schema: &'l Literal, hint: &str) -> Result<Option<NodeId>> {
        if let Some(value) = member(schema, "const") {
            return self.values(std::slice::from_ref(value), schema, hint).map(Some);
        }
        if let Some(values) = self.listed(schema, "enum")? {
            return self.values(values, schema, hint).map(Some);
        }
        // Beside properties, alternatives say which of them go together.
        if member(schema, "properties").is_some() {
            return Ok(None);
        }
        for keyword in ["oneOf", "anyOf"] {
            if let Some(branches) = self.listed(schema, keyword)? {
                return self.alternatives(keyword, branches, schema, hint).map(Some);
            }
        }
        // An `allOf` of one schema is how drafts before 2019-09 put keywords beside a reference.
        match self.listed(schema, "allOf")? {
            Some([only]) => self
                .within_both("allOf", Step::Index(0), |reader| reader.place(only, hint))
                .map(Some),
            _ => Ok(None),
        }
    }

    /// One of several constants: names where they are text, else what their types hold.
    fn values(&mut self, values: &[Literal], schema: &Literal, hint: &str) -> Result<NodeId> {
        let names: Vec<&str> = values.iter().filter_map(text).collect();
        let mut branches = Vec::new();
        if !names.is_empty() {
            let doc = text_member(schema, "description").unwrap_or_default();
            branches.push(self.builder.add(Node::Enum(units(hint, doc, &names))));
        }
        for value in values {
            branches.push(match value {
                Literal::String(_) => continue,
                Literal::Null => self.builder.add(Node::Null),
                Literal::Boolean(_) => self.builder.add(Node::Bool),
                Literal::Number(text) if text.parse::<i64>().is_ok() => {
                    self.builder.add(Node::Int(Int::signed(64)))
                }
                Literal::Number(text) if text.parse::<u64>().is_ok() => {
                    self.builder.add(Node::Int(Int::unsigned(64)))
                }
                Literal::Number(_) => self.builder.add(Node::F64),
                Literal::Array(_) | Literal::Object(_) => self.builder.add(Node::Any),
            });
        }
        if branches.is_empty() {
            return Err(self.fault("expected values to choose from, found none"));
        }
        Ok(self.builder.union(&branches))
    }

    fn alternatives(
        &mut self,
        keyword: &str,
        branches: &'l [Literal],
        schema: &'l Literal,
        hint: &str,
    ) -> Result<NodeId> {
        if branches.is_empty() {
            return Err(self.bad_argument(keyword, "alternatives", &Literal::Array(Vec::new())));
        }
        let is_null = |branch: &Literal| text_member(branch, "type") == Some("null");
        let typed: Vec<(usize, &'l Literal)> =
            branches.iter().enumerate().filter(|(_, branch)| !is_null(branch)).collect();
        let mut nodes = Vec::new();
        if let Some(sum) = self.tagged(keyword, &typed, schema, hint)? {
            nodes.push(sum);
        } else {
            for (at, branch) in &typed {
                nodes.push(
                    self.within_both(keyword, Step::Index(*at), |reader| {
                        reader.place(branch, hint)
                    })?,
                );
            }
        }
        if typed.len() < branches.len() {
            nodes.push(self.builder.add(Node::Null));
        }
        Ok(self.builder.union(&nodes))
    }
}
