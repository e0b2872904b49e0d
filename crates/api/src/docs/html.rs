//! HTML builder: markup is a compile-time constant, and all other text is escaped.

/// HTML of a page, or of a part of one.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Appends markup unchanged.
    pub(super) fn tag(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Appends escaped text, for elements and quoted attributes.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for letter in text.chars() {
            match letter {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                _ => self.0.push(letter),
            }
        }
        self
    }

    /// Appends escaped text as code.
    pub(super) fn code(&mut self, text: &str) -> &mut Self {
        self.tag("<code>").text(text).tag("</code>")
    }

    /// Appends escaped prose; text between backticks becomes code.
    pub(super) fn prose(&mut self, text: &str) -> &mut Self {
        let mut parts = text.split('`');
        if let Some(first) = parts.next() {
            self.text(first);
        }
        while let Some(code) = parts.next() {
            match parts.next() {
                Some(after) => self.code(code).text(after),
                // An unpaired backtick is shown as it is.
                None => self.text("`").text(code),
            };
        }
        self
    }

    /// Wraps markup that another library made from text of this program.
    pub(super) fn trusted(markup: String) -> Self {
        Self(markup)
    }

    /// Appends HTML that was built separately.
    pub(super) fn piece(&mut self, piece: &Html) -> &mut Self {
        self.0.push_str(&piece.0);
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}

/// Converts a name to an HTML id: letters, digits, `-` and `_` are kept, other characters
/// become `-`.
pub(super) fn id(name: &str) -> String {
    let safe = |letter: char| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' };
    name.chars().map(safe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_escaped_and_marks_code() {
        for (text, expect) in [
            ("plain", "plain"),
            ("a `b` c", "a <code>b</code> c"),
            ("`<b>` & \"c\"", "<code>&lt;b&gt;</code> &amp; &quot;c&quot;"),
            ("one ` alone", "one ` alone"),
            ("`a` and ` alone", "<code>a</code> and ` alone"),
        ] {
            let mut html = Html::default();
            html.prose(text);
            assert_eq!(html.into_string(), expect);
        }
    }

    #[test]
    fn ids_hold_nothing_else() {
        assert_eq!(id("createGoal"), "createGoal");
        assert_eq!(id("\"><script>"), "---script-");
    }
}
