// A link for each variant that shows it on its page.

import { useQuery } from "@tanstack/react-query";
import { query } from "~/api/query";
import { Card } from "~/ui/layout";
import { Lines, Loaded } from "~/ui/loaded";
import { OutsideLink } from "~/ui/outside-link";

export function PreviewLinks({ projectKey, testId }: { projectKey: string; testId: number }) {
  const links = useQuery(
    query("/v2/project/{project_key}/experiment/{test_id}/preview-urls", {
      path: { project_key: projectKey, test_id: testId },
    }),
  );
  return (
    <Card
      title="Previews"
      about="Look at each variant on its page. Nothing is recorded, and the checklist shows what a preview finds."
    >
      <Loaded query={links} skeleton={<Lines count={3} />}>
        {({ variants }) => (
          <>
            <ul className="flex flex-col gap-1.5">
              {variants.map(({ variant_id, name, preview_url }) => (
                <li key={variant_id}>
                  <OutsideLink url={preview_url} text={`Look at ${name}`} />
                </li>
              ))}
            </ul>
            <p className="mt-3 text-sm text-soft">
              The links are valid for seven days. Anyone with a link sees the variant, without signing in.
            </p>
          </>
        )}
      </Loaded>
    </Card>
  );
}
