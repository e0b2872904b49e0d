// Code editor with a label, a hint and errors. The text is reported when typing pauses, not at each key, so that
// scripts of thousands of lines can be edited.

import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { names } from "~/lib/names";
import { track } from "~/api/settled";
import { Button } from "./button";
import type { CodeEditorHandle } from "./code-mirror";
import { FieldError } from "./field";
import { Icon } from "./icon";

export type CodeLanguage = "css" | "javascript" | "json";

/** A message about some lines, which are counted from 1. */
export interface CodeMark {
  from: number;
  to: number;
  severity: "warning" | "error";
  message: string;
}

/** State that an editor shows. */
export interface ShownCode {
  label: string;
  value: string;
  isReadOnly: boolean;
  hint: string;
  error: string | undefined;
  /** Must stay the same array until a mark changes. */
  marks: readonly CodeMark[];
}

interface CodeEditorProps {
  /** Name of the API's field, by which errors find the editor. */
  name: string;
  label: string;
  language: CodeLanguage;
  value: string;
  onChange: (text: string) => void;
  isReadOnly?: boolean;
  hint?: string;
  error?: string | undefined;
  /** Warnings about the text, shown below it. They do not prevent saving. */
  warnings?: readonly string[];
  marks?: readonly CodeMark[];
}

const LEAVE = "Tab indents. To leave with the keyboard, press Escape, then Tab.";
const NO_MARKS: readonly CodeMark[] = [];

export function CodeEditor({
  name,
  label,
  language,
  value,
  onChange,
  isReadOnly = false,
  hint = "",
  error,
  warnings = [],
  marks = NO_MARKS,
}: CodeEditorProps) {
  const said = [hint, !isReadOnly && LEAVE].filter(Boolean).join(" ");
  const shown: ShownCode = { label, value, isReadOnly, hint: said, error, marks };
  const { host, state, retry } = useEditor(language, shown, onChange);
  return (
    <div className="flex flex-col gap-1">
      <span className="font-medium">{label}</span>
      {/* Lets an error find its place, as in other fields. Without a DOM name the editor would not be part of the form.
       */}
      <input type="hidden" name={name} />
      {/* Not hidden while it loads, because the editor measures its lines when it is mounted. */}
      <div
        ref={host}
        data-editor=""
        aria-busy={state === "loading" || undefined}
        className={names(
          "rounded-md border font-mono text-sm",
          error ? "border-bad" : "border-edge",
          state === "loading" && "skeleton h-26",
          state === "failed" && "hidden",
        )}
      />
      {state === "failed" && (
        <div className="flex flex-wrap items-center gap-2 rounded-md bg-bad-wash px-3 py-2.5 text-bad">
          The editor could not be loaded. Your text is not lost.
          <Button small onClick={retry}>
            Try again
          </Button>
        </div>
      )}
      {error && <FieldError>{error}</FieldError>}
      {warnings.map((warning) => (
        <p key={warning} className="flex gap-1.5 text-sm text-caution">
          <Icon name="warning" className="mt-0.5 size-4" />
          <span className="min-w-0">{warning}</span>
        </p>
      ))}
      {said && <p className="text-sm text-soft">{said}</p>}
    </div>
  );
}

/** Loads the editor and keeps it up to date. */
function useEditor(language: CodeLanguage, shown: ShownCode, onChange: (text: string) => void) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditorHandle>(undefined);
  const latest = useRef({ shown, onChange });
  const [state, setState] = useState<"loading" | "ready" | "failed">("loading");
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    latest.current = { shown, onChange };
    editor.current?.update(shown);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt loads it again
  useEffect(() => {
    let isCurrent = true;
    setState("loading");
    track(import("./code-mirror")).then(
      ({ mountEditor }) => {
        if (!isCurrent || host.current === null) return;
        const report = (text: string, isLeaving: boolean) => {
          const change = () => latest.current.onChange(text);
          // The clicked button must act on the new text. React would be too late, because it does not see events within
          // a shadow root.
          if (isLeaving) flushSync(change);
          else change();
        };
        editor.current = mountEditor(host.current, language, latest.current.shown, report);
        setState("ready");
      },
      () => isCurrent && setState("failed"),
    );
    return () => {
      isCurrent = false;
      editor.current?.flush();
      editor.current?.destroy();
      editor.current = undefined;
    };
  }, [language, attempt]);
  return { host, state, retry: () => setAttempt((before) => before + 1) };
}
