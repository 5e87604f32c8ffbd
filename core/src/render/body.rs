//! Lines of a function's body, indented by the blocks that are open.

/// The lines so far.
#[derive(Debug, Default)]
pub(super) struct Body {
    text: String,
    depth: usize,
}

impl Body {
    /// Adds a line.
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str("  ");
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Adds a line that opens a block.
    pub(super) fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
    }

    /// Closes a block.
    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.line("}");
    }

    /// The text, all blocks closed.
    pub(super) fn finish(mut self) -> String {
        while self.depth > 0 {
            self.close();
        }
        self.text
    }
}

/// `expression` without parentheses around the whole of it.
pub(super) fn bare(expression: &str) -> &str {
    let Some(inner) = expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return expression };
    let mut depth = 0_i32;
    for byte in inner.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return expression;
        }
    }
    inner
}
