//! Every path that a piece of Rust source names, read from its tokens.
//!
//! Tokens rather than lines, so that comments, strings and examples in documentation never count,
//! and `use crate::{a, b::{self, c}}`, inline `crate::a::b()` and paths inside macros all do.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

/// A path as written, for example `crate::keys::KeyColumn`, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    /// The segments; `*` for a glob.
    pub(crate) segments: Vec<String>,
    /// The inline modules it stands in, outermost first.
    pub(crate) inline: Vec<String>,
    /// The line, counted from 1.
    pub(crate) line: usize,
}

/// What a file names.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Its paths of two segments and more, and all that `use` takes in.
    pub(crate) paths: Vec<Mention>,
    /// The modules that it declares, at its own top level.
    pub(crate) children: Vec<String>,
    /// The lines that say `unsafe`.
    pub(crate) unsafe_lines: Vec<usize>,
}

impl Names {
    /// Reads `source`, leaving out items under `#[cfg(test)]`.
    ///
    /// # Panics
    /// If `source` is not Rust.
    pub(crate) fn of(source: &str) -> Self {
        let tokens: TokenStream = source.parse().expect("the file is Rust");
        let mut names = Self::default();
        names.walk(tokens, &mut Vec::new());
        names
    }

    fn walk(&mut self, tokens: TokenStream, inline: &mut Vec<String>) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            if is_cfg_test(&tokens[at..]) {
                at = after_item(&tokens, at + 2);
                continue;
            }
            match &tokens[at] {
                TokenTree::Group(group) => self.walk(group.stream(), inline),
                TokenTree::Ident(ident) if ident == "unsafe" => {
                    self.unsafe_lines.push(ident.span().start().line);
                }
                TokenTree::Ident(ident) if ident == "mod" => {
                    at = self.module(&tokens, at + 1, inline);
                    continue;
                }
                TokenTree::Ident(ident) if ident == "use" => {
                    at = self.tree(&tokens, at + 1, &[], inline);
                    continue;
                }
                TokenTree::Ident(_) if !follows_separator(&tokens, at) => {
                    at = self.path(&tokens, at, inline);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// A module, declared or inline, by its name at `at`; returns the place after it.
    fn module(&mut self, tokens: &[TokenTree], at: usize, inline: &mut Vec<String>) -> usize {
        let Some(TokenTree::Ident(name)) = tokens.get(at) else {
            return at;
        };
        if inline.is_empty() {
            self.children.push(name.to_string());
        }
        let Some(TokenTree::Group(body)) = tokens.get(at + 1) else {
            return at + 1;
        };
        inline.push(name.to_string());
        self.walk(body.stream(), inline);
        inline.pop();
        at + 2
    }

    /// A path in an expression, a type or a macro; returns the place after it.
    fn path(&mut self, tokens: &[TokenTree], mut at: usize, inline: &[String]) -> usize {
        let line = tokens[at].span().start().line;
        let mut segments = vec![tokens[at].to_string()];
        at += 1;
        while is_separator(tokens, at) {
            let Some(TokenTree::Ident(ident)) = tokens.get(at + 2) else {
                break;
            };
            segments.push(ident.to_string());
            at += 3;
        }
        if segments.len() > 1 {
            self.paths.push(Mention { segments, inline: inline.to_vec(), line });
        }
        at
    }

    /// One branch of a `use` tree after `prefix`; returns the place after it.
    fn tree(
        &mut self,
        tokens: &[TokenTree],
        mut at: usize,
        prefix: &[String],
        inline: &[String],
    ) -> usize {
        let mut segments = prefix.to_vec();
        let mut line = tokens.get(at).map_or(0, |token| token.span().start().line);
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Ident(ident) if ident == "as" => {
                    at += 2;
                    continue;
                }
                TokenTree::Ident(ident) => {
                    line = ident.span().start().line;
                    // `a::{self}` names `a`; a leading `self` is the module itself.
                    if ident != "self" || segments.is_empty() {
                        segments.push(ident.to_string());
                    }
                }
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    self.branches(group, &segments, inline);
                    return at + 1;
                }
                TokenTree::Punct(punct) if punct.as_char() == '*' => segments.push("*".into()),
                TokenTree::Punct(punct) if punct.as_char() == ':' => {}
                _ => break,
            }
            at += 1;
        }
        if !segments.is_empty() {
            self.paths.push(Mention { segments, inline: inline.to_vec(), line });
        }
        at
    }

    fn branches(&mut self, group: &Group, prefix: &[String], inline: &[String]) {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = self.tree(&tokens, at, prefix, inline) + 1;
        }
    }
}

/// Whether the tokens begin with `#[cfg(test)]`.
fn is_cfg_test(tokens: &[TokenTree]) -> bool {
    let [TokenTree::Punct(hash), TokenTree::Group(attribute), ..] = tokens else {
        return false;
    };
    hash.as_char() == '#' && attribute.stream().to_string().replace(' ', "") == "cfg(test)"
}

/// The place after the item that starts at `at`: after its body or its semicolon.
fn after_item(tokens: &[TokenTree], at: usize) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    };
    tokens[at..].iter().position(ends).map_or(tokens.len(), |end| at + end + 1)
}

/// Whether `::` stands at `at`.
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    let [TokenTree::Punct(first), TokenTree::Punct(second)] =
        tokens.get(at..at + 2).unwrap_or_default()
    else {
        return false;
    };
    first.as_char() == ':' && first.spacing() == Spacing::Joint && second.as_char() == ':'
}

/// Whether the token at `at` continues something: `Vec<u8>::new` after the `>`. A leading `::`,
/// as in `::arrow::array`, starts a path of its own.
fn follows_separator(tokens: &[TokenTree], at: usize) -> bool {
    if at < 2 || !is_separator(tokens, at - 2) {
        return false;
    }
    let before = at.checked_sub(3).map(|before| &tokens[before]);
    match before {
        Some(TokenTree::Punct(punct)) => punct.as_char() == '>',
        Some(TokenTree::Group(_)) => true,
        _ => false,
    }
}
