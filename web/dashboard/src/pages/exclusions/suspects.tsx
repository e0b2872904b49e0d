// Suspects of an experiment: visitors who may be made up, and what excluding them would change.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { query, type Schemas } from "~/api/query";
import { useExperiment } from "~/experiment/open";
import { count } from "~/lib/format";
import { usePageTitle } from "~/lib/page";
import { VERDICT } from "~/lib/words";
import { Button } from "~/ui/button";
import { Card, Empty } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { Table } from "~/ui/table";
import { NewExclusionDialog } from "./new-exclusion";
import { changeOf, KIND, ODDITY } from "./words";

type Suspect = Schemas["Suspect"];

export function SuspectsPage() {
  const { projectKey, experiment } = useExperiment();
  usePageTitle(`Suspects of ${experiment.test_name}`);
  const path = { project_key: projectKey, test_id: experiment.test_id };
  const suspects = useQuery(query("/v2/project/{project_key}/experiment/{test_id}/suspects", { path }));
  const [excluded, setExcluded] = useState<Suspect>();
  return (
    <Card
      flush
      title="Visitors who may be made up"
      about="Visitors of one network, browser, system or device who differ from all others by more than chance, or without whom a verdict does not hold. Excluding them applies to all results of the project, and can be undone."
      actions={
        <Link to="/settings/projects/$projectKey/exclusions" params={{ projectKey }} className="link">
          Exclusions
        </Link>
      }
    >
      <Loaded query={suspects}>
        {({ suspects }) =>
          suspects.length > 0 ? (
            <Suspects suspects={suspects} onExclude={setExcluded} />
          ) : (
            <Empty icon="people" title="No suspects">
              No network, browser, system or device stands out, and every verdict holds without each of them.
            </Empty>
          )
        }
      </Loaded>
      {excluded && (
        <NewExclusionDialog
          projectKey={projectKey}
          isOpen
          onClose={() => setExcluded(undefined)}
          initial={{ kind: excluded.kind, value: excluded.value }}
        />
      )}
    </Card>
  );
}

function Suspects({ suspects, onExclude }: { suspects: Suspect[]; onExclude: (suspect: Suspect) => void }) {
  return (
    <Table
      label="Suspects"
      rows={suspects}
      keyOf={({ kind, value }) => `${kind} ${value}`}
      columns={[
        {
          name: "Visitors",
          isName: true,
          cell: ({ kind, value, visitors, converted }) => (
            <>
              <span className="font-medium">{KIND[kind].name}</span>{" "}
              <code className="font-mono text-sm break-all">{value}</code>
              <span className="block text-sm text-soft">
                {count(visitors, "visitor")}
                {converted !== null && `, ${converted} converted`}
              </span>
            </>
          ),
        },
        { name: "Why", cell: ({ oddity }) => ODDITY[oddity] },
        {
          name: "Without them",
          cell: ({ variants }) => (
            <ul>
              {variants
                .filter(({ verdict }) => verdict !== null)
                .map((variant) => (
                  <li key={variant.variant_id}>
                    Variant {variant.variant_id}: {changeOf(variant, VERDICT)}
                  </li>
                ))}
            </ul>
          ),
        },
        {
          name: "Actions",
          isActs: true,
          cell: (suspect) => (
            <Button small onClick={() => onExclude(suspect)} aria-label={`Exclude ${suspect.value}`}>
              Exclude
            </Button>
          ),
        },
      ]}
    />
  );
}
