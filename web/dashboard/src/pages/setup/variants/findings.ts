// The server's check of unsaved changes: warnings and errors, each with its field. It uses the preview of a change,
// which changes nothing, and runs when typing pauses.

import { capital } from "~/lib/capital";
import { useEffect, useMemo, useState } from "react";
import { failureFrom } from "~/api/failure";
import { send } from "~/api/query";
import type { CodeMark } from "~/ui/code-editor";
import { type Changes, useExperiment } from "~/experiment/open";

const ASK_AFTER_MS = 600;

interface Warning {
  field: string;
  message: string;
  /** Lines of code, counted from 1. */
  lines: [from: number, to: number] | undefined;
}

interface Found {
  /** The body that was checked. */
  body: string;
  warnings: Warning[];
  errors: readonly { field: string; message: string }[];
}

export interface Findings {
  /** All current errors. */
  errors: readonly { field: string; message: string }[];
  /** Error of a field. */
  errorOf: (field: string) => string | undefined;
  /** Warnings about the field itself. */
  warningsOf: (field: string) => string[];
  /** Warnings with lines. The array stays the same until the findings change. */
  marksOf: (field: string) => readonly CodeMark[];
  /** Number of findings about a field and its parts. */
  countOf: (field: string) => number;
}

/** Checks `changes`, the body of the update that would be sent. */
export function useFindings(changes: Changes): Findings {
  const { projectKey, experiment } = useExperiment();
  const body = JSON.stringify(changes);
  const [found, setFound] = useState<Found>();
  const { test_id, updated_at } = experiment;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the findings depend on the stored experiment, too
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
        // Other failures are reported when the user saves.
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
  // Paths of another state may refer to other parts now.
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

/** Parses a warning: a sentence that begins with its field. Warnings of other steps are not shown here. */
function warningIn(text: string): Warning[] {
  const [, field, message] = OURS.exec(text) ?? [];
  if (field === undefined || message === undefined) return [];
  const lines = /\blines? (\d+)(?: to (\d+))?$/.exec(message);
  const from = Number(lines?.[1]);
  const sentence = `${capital(message)}.`;
  return [{ field, message: sentence, lines: lines ? [from, Number(lines[2] ?? from)] : undefined }];
}
