// Live view of one visitor's events on the site, and of each experiment's decisions.

import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { usePageTitle } from "~/lib/page";
import { Button } from "~/ui/button";
import { TextInput } from "~/ui/field";
import { Card, Page, PageHeader } from "~/ui/layout";
import { HowTo } from "./how-to";
import { Watching } from "./watching";

export function LivePage() {
  usePageTitle("Live view");
  const { projectKey } = useParams({ from: "/app/p/$projectKey/live" });
  const { visitor } = useSearch({ from: "/app/p/$projectKey/live" });
  return (
    <Page>
      <PageHeader
        title="Live view"
        about="The events of one visitor on your site, as they happen, and the decision of each experiment."
      />
      <Chooser key={visitor} visitor={visitor} />
      {visitor === undefined ? (
        <HowTo projectKey={projectKey} />
      ) : (
        <Watching projectKey={projectKey} visitor={visitor} />
      )}
    </Page>
  );
}

/** Visitor id that is watched. It is in the address, so that it can be shared and reloaded. */
function Chooser({ visitor = "" }: { visitor: string | undefined }) {
  const navigate = useNavigate({ from: "/p/$projectKey/live" });
  const [typed, setTyped] = useState(visitor);
  const [error, setError] = useState<string>();
  const watch = () => {
    const id = unquoted(typed);
    setError(problemOf(id));
    if (problemOf(id) === undefined) void navigate({ search: { visitor: id } });
  };
  return (
    <Card>
      <form
        noValidate
        className="flex max-w-160 flex-wrap items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          watch();
        }}
      >
        <TextInput
          label="Visitor id"
          name="visitor"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          error={error}
          autoComplete="off"
          spellCheck={false}
          className="min-w-0 flex-1 basis-60"
          controlClassName="font-mono"
        />
        <div className="flex gap-2 pt-6.5 max-xs:pt-0">
          <Button type="submit" kind="primary">
            Watch
          </Button>
          {visitor !== "" && <Button onClick={() => navigate({ search: {} })}>Stop watching</Button>}
        </div>
      </form>
    </Card>
  );
}

/** Consoles print texts in quotation marks. */
function unquoted(typed: string): string {
  return typed
    .trim()
    .replace(/^(["'])(.*)\1$/, "$2")
    .trim();
}

function problemOf(id: string): string | undefined {
  if (id === "") return "Enter the id of a visitor.";
  if (id === "undefined" || id === "null") return "The page has no id: see below for why.";
  return [...id].length > 128 ? "An id has at most 128 characters." : undefined;
}
