// Code editor, with CodeMirror. It is a separate chunk, which is loaded when an editor is shown. It is in a shadow
// root, where its styles are constructed sheets: the policy forbids its <style> elements.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { css } from "@codemirror/lang-css";
import { javascript } from "@codemirror/lang-javascript";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, type Extension, Transaction } from "@codemirror/state";
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { pageApi } from "./code-completions";
import type { CodeLanguage, CodeMark, ShownCode } from "./code-editor";
import { look } from "./code-theme";

/** Delay after the last key, so that typing in a long text costs only the editor's own work. */
const REPORT_AFTER_MS = 300;

export interface CodeEditorHandle {
  update: (shown: ShownCode) => void;
  /** Reports the typed text at once. */
  flush: (isLeaving?: boolean) => void;
  destroy: () => void;
}

/**
 * Shows an editor in a host element. `report` gets the whole text: at the first key, when typing pauses, and when the
 * editor loses the focus, after which other code may need it at once.
 */
export function mountEditor(
  host: HTMLElement,
  language: CodeLanguage,
  shown: ShownCode,
  report: (text: string, isLeaving: boolean) => void,
): CodeEditorHandle {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const description = document.createElement("p");
  description.id = "description";
  // Used by `aria-describedby`, which cannot refer to elements outside the shadow root.
  description.hidden = true;
  const parent = document.createElement("div");
  root.replaceChildren(parent, description);

  let before: ShownCode | undefined;
  // Texts that were reported and have not come back as `value` yet. They come back late, when other text may have been
  // typed.
  let reported: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPending = false;
  const flush = (isLeaving = false) => {
    clearTimeout(timer);
    timer = undefined;
    if (!isPending) return;
    isPending = false;
    const text = view.state.doc.toString();
    reported.push(text);
    report(text, isLeaving);
  };
  const typed = () => {
    isPending = true;
    if (timer === undefined) flush();
    clearTimeout(timer);
    timer = setTimeout(() => flush(), REPORT_AFTER_MS);
  };

  const access = new Compartment();
  const view = new EditorView({
    root,
    parent,
    state: EditorState.create({
      doc: shown.value,
      extensions: [
        basics(language),
        access.of(accessOf(shown)),
        EditorView.updateListener.of((update) => {
          const isTyped = update.transactions.some((one) => one.docChanged && !one.annotation(Transaction.remote));
          if (isTyped) typed();
        }),
        EditorView.domEventHandlers({ blur: () => flush(true) }),
      ],
    }),
  });

  const replace = (text: string) => {
    reported = [];
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: text },
      annotations: [Transaction.remote.of(true), Transaction.addToHistory.of(false)],
    });
  };
  const update = (next: ShownCode) => {
    description.textContent = [next.error, next.hint, ...next.marks.map((mark) => mark.message)]
      .filter(Boolean)
      .join(" ");
    if (next.label !== before?.label || next.isReadOnly !== before.isReadOnly || next.error !== before.error)
      view.dispatch({ effects: access.reconfigure(accessOf(next)) });
    if (next.value !== before?.value) {
      const own = reported.indexOf(next.value);
      if (own >= 0) reported = reported.slice(own + 1);
      else if (next.value !== view.state.doc.toString()) replace(next.value);
    }
    if (next.marks !== before?.marks) {
      const marks = next.marks.map((mark) => diagnosticOf(view.state, mark));
      view.dispatch(setDiagnostics(view.state, marks));
    }
    before = next;
  };
  update(shown);
  return {
    update,
    flush,
    destroy: () => {
      clearTimeout(timer);
      view.destroy();
    },
  };
}

function basics(language: CodeLanguage): Extension {
  return [
    lineNumbers(),
    // Shows invisible characters, and those that change the reading direction.
    highlightSpecialChars(),
    history(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    language === "json" ? EditorView.lineWrapping : autocompletion(),
    lintGutter(),
    language === "css" ? css() : javascript(),
    language === "javascript" ? pageApi : [],
    // With `indentWithTab`, Escape lets the next Tab leave the editor.
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
    look,
  ];
}

function accessOf({ label, isReadOnly, error }: ShownCode): Extension {
  return [
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of({
      "aria-label": label,
      "aria-describedby": "description",
      "aria-readonly": String(isReadOnly),
      "aria-invalid": String(Boolean(error)),
      spellcheck: "false",
      // The element is focusable without it. Accessibility checks look for the attribute.
      tabindex: "0",
    }),
  ];
}

/** Position of a mark in the current text. Lines that no longer exist count as the last one. */
function diagnosticOf({ doc }: EditorState, { from, to, severity, message }: CodeMark): Diagnostic {
  const line = (number: number) => doc.line(Math.min(Math.max(number, 1), doc.lines));
  const begin = line(from);
  return { from: begin.from + (/^\s*/.exec(begin.text)?.[0].length ?? 0), to: line(to).to, severity, message };
}
