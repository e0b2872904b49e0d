// Tries a goal in the user's own browser: the user opens a page of their site, and sees here what the server receives.
// Only the server decides whether an event matches, and only for saved goals.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { query } from "~/api/query";
import { GOAL_TYPE, type GoalType, isWatched } from "~/lib/goal-types";
import { Button } from "~/ui/button";
import { Copyable } from "~/ui/copyable";
import { TextInput } from "~/ui/field";
import { Card, Note } from "~/ui/layout";
import { OutsideLink } from "~/ui/outside-link";
import { WatchOwn } from "./watch-own";

interface TryOutProps {
  projectKey: string;
  /** Currently chosen type, which may not be saved. */
  type: GoalType;
  value: string;
  /** Page that the author of the goal named. */
  elementUrl: string;
  /** Id of the goal, if it is saved with the values in the form. */
  savedId: number | undefined;
}

export function TryOut({ projectKey, type, value, elementUrl, savedId }: TryOutProps) {
  const [visitor, setVisitor] = useOwnVisitor(projectKey);
  const [isOn, setOn] = useState(false);
  const code = GOAL_TYPE[type].code;
  return (
    <Card title="Try it" about="Do what the goal counts on a page of yours. The events that arrive are shown here.">
      <div className="flex flex-col gap-4">
        {savedId === undefined && isWatched(type) && (
          <Note>
            Pages watch for this only once the goal is saved. Save it, wait a minute, and load your page again.
          </Note>
        )}
        {code && value.trim() !== "" && <Copyable label="Code for your page" text={code(value.trim())} />}
        <ol className="flex list-decimal flex-col gap-3 pl-5 marker:text-soft">
          <li>
            <PageLinks projectKey={projectKey} elementUrl={elementUrl} />
          </li>
          <li className="[&>div]:mt-1">
            Open the console of its developer tools, and run this line to get your visitor id:
            <Copyable label="Line for the console" hidesLabel text="localStorage.muriel_id" />
          </li>
          <li>
            <form
              className="flex flex-wrap items-end gap-2"
              onSubmit={(event) => {
                event.preventDefault();
                setOn(!isOn);
              }}
            >
              <TextInput
                label="Your visitor id"
                value={visitor}
                // Consoles print text in quotes.
                onChange={({ target }) => setVisitor(target.value.replace(/^['"\s]+|['"\s]+$/g, ""))}
                disabled={isOn}
                maxLength={128}
                autoComplete="off"
                spellCheck={false}
                className="min-w-40 flex-1"
                controlClassName="font-mono text-sm"
              />
              <Button type="submit" disabled={visitor === ""}>
                {isOn ? "Stop watching" : "Watch"}
              </Button>
            </form>
          </li>
        </ol>
        {isOn && <WatchOwn projectKey={projectKey} visitor={visitor} type={type} savedId={savedId} />}
      </div>
    </Card>
  );
}

const KEY = "muriel-own-visitor:";

/** Visitor id of the user's own browser on the pages of a project, kept until the user signs out. */
function useOwnVisitor(projectKey: string): [visitor: string, set: (visitor: string) => void] {
  const [visitor, setVisitor] = useState(() => sessionStorage.getItem(KEY + projectKey) ?? "");
  return [
    visitor,
    (next) => {
      sessionStorage.setItem(KEY + projectKey, next);
      setVisitor(next);
    },
  ];
}

const PAGES_MAX = 3;

/** The page of the goal, and pages that sent events recently. */
function PageLinks({ projectKey, elementUrl }: { projectKey: string; elementUrl: string }) {
  const install = useQuery(query("/v2/project/{project_key}/install", { path: { project_key: projectKey } }));
  const seen = install.data?.pages.map(({ url }) => url) ?? [];
  const pages = [...new Set([elementUrl, ...seen])].filter((url) => url !== "").slice(0, PAGES_MAX);
  if (pages.length === 0) return <>Open a page of yours that has the script.</>;
  return (
    <>
      Open a page of yours that has the script:
      <ul className="mt-1 flex flex-col gap-1">
        {pages.map((url) => (
          <li key={url}>
            <OutsideLink url={url} />
          </li>
        ))}
      </ul>
    </>
  );
}
