// What the server says about what was typed, before it is saved: the warnings of a change, and what is wrong with it, each with its field.
// It is asked when typing pauses, by the preview of a change, which changes nothing.

import { capital } from "~/lib/capital";
import { useEffect, useMemo, useState } from "react";
import { failureFrom } from "~/api/failure";
import { send } from "~/api/query";
import type { CodeMark } from "~/ui/code-editor";
import { type Changes, useExperiment } from "../../experiment/open";

const ASK_AFTER_MS = 600;

interface Warning {
  field: string;
  message: string;
  /** Lines of code, counted from 1. */
  lines: [from: number, to: number] | undefined;
}

interface Found {
  /** What was asked about. */
  body: string;
  warnings: Warning[];
  errors: readonly { field: string; message: string }[];
}

export interface Findings {
  /** Everything that is wrong, as it is now. */
  errors: readonly { field: string; message: string }[];
  /** What is wrong with a field. */
  errorOf: (field: string) => string | undefined;
  /** Warnings about a field itself. */
  warningsOf: (field: string) => string[];
  /** Those of them that name lines; the same array until something else is found. */
  marksOf: (field: string) => readonly CodeMark[];
  /** How many there are about a field and what is in it. */
  countOf: (field: string) => number;
}

/** `changes` is the body of the update that would be sent. */
export function useFindings(changes: Changes): Findings {
  const { projectKey, experiment } = useExperiment();
  const body = JSON.stringify(changes);
  const [found, setFound] = useState<Found>();
  const { test_id, updated_at } = experiment;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is stored has a part in it, too
  useEffect(() => {
    const leaving = new AbortController();
    const ask = async () => {
      try {
        const { data } = await send("post", "/v2/project/{project_key}/experiment/{test_id}/change-preview", {
          params: { path: { project_key: projectKey, test_id } },
          body: JSON.parse(body),
          signal: leaving.signal,
        });
        setFound({ body, warnings: data.warnings.flatMap(warningIn), errors: [] });
      } catch (thrown) {
        if (leaving.signal.aborted) return;
        const { status, fields } = failureFrom(thrown);
        // Anything else is said when it is saved.
        if (status === 400) setFound((before) => ({ body, warnings: before?.warnings ?? [], errors: fields }));
      }
    };
    const timer = setTimeout(ask, body === "{}" ? 0 : ASK_AFTER_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [body, projectKey, test_id, updated_at]);
  return useMemo(() => findingsIn(found, body), [found, body]);
}

const NO_MARKS: readonly CodeMark[] = [];

function findingsIn(found: Found | undefined, body: string): Findings {
  const warnings = found?.warnings ?? [];
  // Places of another state may be those of something else by now.
  const errors = found?.body === body ? found.errors : [];
  return {
    errors,
    errorOf: (field) => errors.find((one) => one.field === field)?.message,
    warningsOf: (field) => warnings.filter((one) => one.field === field).map((one) => one.message),
    marksOf: (field) => {
      const marks = warnings.flatMap((one) => (one.field === field ? markOf(one) : []));
      return marks.length > 0 ? marks : NO_MARKS;
    },
    countOf: (field) => [...warnings, ...errors].filter((one) => isWithin(one.field, field)).length,
  };
}

function markOf({ lines, message }: Warning): CodeMark[] {
  return lines === undefined ? [] : [{ from: lines[0], to: lines[1], severity: "warning", message }];
}

function isWithin(place: string, field: string): boolean {
  return place === field || (place.startsWith(field) && /^[.[]/.test(place.slice(field.length)));
}

const OURS = /^((?:variants|control|custom_js|custom_css)[\w.[\]]*): (.+)$/s;

/** A warning is a sentence that begins with its field; those of other steps are not shown here. */
function warningIn(text: string): Warning[] {
  const [, field, message] = OURS.exec(text) ?? [];
  if (field === undefined || message === undefined) return [];
  const lines = /\blines? (\d+)(?: to (\d+))?$/.exec(message);
  const from = Number(lines?.[1]);
  const sentence = `${capital(message)}.`;
  return [{ field, message: sentence, lines: lines ? [from, Number(lines[2] ?? from)] : undefined }];
}
