// Addresses for programs: the API, OpenFeature, agents.

import { Link } from "@tanstack/react-router";
import { isAtLeast, useSession } from "~/api/session";
import { Copyable } from "~/ui/copyable";
import { Card } from "~/ui/layout";

export function Developers({ projectKey }: { projectKey: string }) {
  const canMakeKeys = isAtLeast(useSession().role, "admin");
  const server = location.origin;
  return (
    <Card
      title="For developers"
      about={
        <>
          Servers and agents need an API key
          {canMakeKeys ? (
            <>
              :{" "}
              <Link to="/settings/keys" className="link">
                create one
              </Link>
              .
            </>
          ) : (
            ". Ask an admin for one."
          )}{" "}
          Pages need none.
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Copyable label="Project key" text={projectKey} />
        <Copyable
          label="API"
          text={`${server}/v2/project/${projectKey}`}
          hint={
            <a href="/docs" target="_blank" rel="noreferrer" className="link">
              Every operation<span className="sr-only"> (opens in a new tab)</span>
            </a>
          }
        />
        <Copyable
          label="OpenFeature"
          text={`${server}/v2/project/${projectKey}`}
          hint="The base URL of your SDK's OFREP provider, with a key that has the permission evaluate. An experiment is a flag, its variant the value."
        />
        <Copyable
          label="Agents (MCP)"
          text={`${server}/mcp?project_key=${projectKey}`}
          hint="Streamable HTTP, with the header Authorization: Bearer and a key. Give an agent a key of its own, limited to this project."
        />
        <p className="text-sm text-soft">
          If programs reach this server at a different address than your browser does, use that address.
        </p>
      </div>
    </Card>
  );
}
