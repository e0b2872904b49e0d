// Launch: what to check before a start, previews of each variant, and the start itself.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Card } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { type Check, checklistQuery } from "~/experiment/acts/checks";
import { outdateExperiment, useExperiment } from "~/experiment/open";
import { ChecklistItems } from "./checklist";
import { PageDoctor } from "./page-doctor";
import { PreviewLinks } from "./preview-links";
import { StartPanel } from "./start-panel";

/** Interval at which the checklist is read while the page is open, so that work in other tabs updates it. */
const REFRESH_MS = 5_000;

export function LaunchPage() {
  const { projectKey, experiment } = useExperiment();
  const checklist = useQuery({
    ...checklistQuery(projectKey, experiment.test_id),
    refetchInterval: REFRESH_MS,
    refetchOnWindowFocus: "always",
  });
  useFollow(checklist.data?.items);
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="flex min-w-0 flex-col gap-5">
        <Card
          flush
          title="Checklist"
          about={
            experiment.status === 1
              ? "The server repeats these checks while this page is open."
              : "The server repeats these checks while this page is open. Only blocked ones prevent the start."
          }
        >
          <Loaded query={checklist}>
            {({ items }) => <ChecklistItems items={items} projectKey={projectKey} testId={experiment.test_id} />}
          </Loaded>
        </Card>
        <PageDoctor projectKey={projectKey} experiment={experiment} />
      </div>
      <div className="flex min-w-0 flex-col gap-5 max-lg:-order-1 lg:sticky lg:top-5">
        <StartPanel checklist={checklist.data} />
        <PreviewLinks projectKey={projectKey} testId={experiment.test_id} />
      </div>
    </div>
  );
}

/**
 * Reads the experiment again when the checklist shows that its status has changed: by somebody else, or by the clock.
 */
function useFollow(items: readonly Check[] | undefined): void {
  const cache = useQueryClient();
  const standing = items?.find(({ check }) => check === "lifecycle")?.sentence;
  const last = useRef(standing);
  useEffect(() => {
    if (last.current !== undefined && last.current !== standing) void outdateExperiment(cache);
    last.current = standing;
  }, [cache, standing]);
}
