// Completions for `experiment`, which the code of an experiment can use. Its types are in the runtime's muriel.d.ts.

import { type CompletionContext, snippetCompletion } from "@codemirror/autocomplete";
import { javascriptLanguage } from "@codemirror/lang-javascript";

const MEMBERS = [
  snippetCompletion('waitFor("#{selector}", (element) => {\n\t#{}\n})', {
    label: "waitFor",
    type: "method",
    detail: "(selector, found)",
    info: "Calls back once with the first match of the selector, now or later.",
  }),
  snippetCompletion("onCleanup(() => {\n\t#{}\n})", {
    label: "onCleanup",
    type: "method",
    detail: "(undo)",
    info: "Runs when the visitor goes to a page without this experiment, or when the experiment ends.",
  }),
  snippetCompletion('track("#{event}")', {
    label: "track",
    type: "method",
    detail: "(name, properties)",
    info: "Records an event of this name.",
  }),
  { label: "variant", type: "property", info: "The name of the variant that is shown." },
  { label: "experiment_key", type: "property", info: "The experiment's key." },
  { label: "test_id", type: "property", info: "The experiment's id." },
];

export const pageApi = javascriptLanguage.data.of({
  autocomplete: (context: CompletionContext) => {
    const before = context.matchBefore(/\bexperiment\.\w*$/);
    return before && { from: before.from + "experiment.".length, options: MEMBERS, validFor: /^\w*$/ };
  },
});
