// Editor theme. It uses the tokens, which also apply within the shadow root and follow the theme of the page.

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const view = EditorView.theme({
  "&": { backgroundColor: "var(--panel)", color: "var(--ink)", fontSize: "inherit", borderRadius: "5px" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "2px" },
  ".cm-scroller": {
    borderRadius: "5px",
    fontFamily: "inherit",
    lineHeight: "1.5",
    minHeight: "6rem",
    maxHeight: "26rem",
    overflow: "auto",
  },
  ".cm-content": { caretColor: "var(--ink)", padding: "6px 0" },
  ".cm-content ::selection, .cm-content::selection": { backgroundColor: "var(--accent-wash)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--soft)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { paddingLeft: "8px" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-wash)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--bad-wash)" },
  ".cm-specialChar": { color: "var(--bad)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--edge)",
    borderRadius: "6px",
    boxShadow: "var(--float)",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent-wash)", color: "var(--ink)" },
  ".cm-completionDetail": { color: "var(--soft)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-diagnostic": { padding: "4px 10px" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--caution)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  // Replaces the images of the library, which are `data:` addresses.
  ".cm-lintRange": { backgroundImage: "none", textDecoration: "underline wavy 1px", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { textDecorationColor: "var(--caution)" },
  ".cm-lintRange-error": { textDecorationColor: "var(--bad)" },
  ".cm-lint-marker": {
    content: "none",
    width: "0.6em",
    height: "0.6em",
    borderRadius: "50%",
    margin: "0.35em 0 0 0.2em",
  },
  ".cm-lint-marker-warning": { content: "none", backgroundColor: "var(--caution)" },
  ".cm-lint-marker-error": { content: "none", backgroundColor: "var(--bad)" },
  ".cm-panel": { backgroundColor: "var(--sunken)", color: "var(--ink)" },
  // On phones, browsers zoom into smaller text.
  "@media (pointer: coarse)": { "&": { fontSize: "1rem" } },
});

const words = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.definitionKeyword], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.color], color: "var(--caution)" },
  { tag: [tags.comment, tags.meta], color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.tagName, tags.className, tags.labelName], color: "var(--accent)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

export const look: Extension = [view, syntaxHighlighting(words)];
