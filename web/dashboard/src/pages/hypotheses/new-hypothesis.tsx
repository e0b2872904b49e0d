// Creates a hypothesis.

import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { outdate, send } from "~/api/query";
import { may, useSession } from "~/api/session";
import { FormView, useForm } from "~/ui/form/form";
import { FormGuard } from "~/ui/form/guard";
import { useIdempotencyKey } from "~/lib/idempotency";
import { usePageTitle } from "~/lib/page";
import { Card, Page, PageHeader } from "~/ui/layout";
import { toast } from "~/ui/toast";
import { bodyOf, HYPOTHESIS_LABELS, HypothesisFields, NO_HYPOTHESIS } from "./hypothesis-form";

export function NewHypothesisPage() {
  usePageTitle("New hypothesis");
  const { projectKey } = useParams({ from: "/app/p/$projectKey/hypotheses/new" });
  const cache = useQueryClient();
  const navigate = useNavigate();
  const canWrite = may(useSession(), projectKey, "write");
  const keyOf = useIdempotencyKey();
  const form = useForm({
    name: `hypothesis/new/${projectKey}`,
    stored: NO_HYPOTHESIS,
    submit: async (_, changes) => {
      const body = bodyOf(changes);
      const { data } = await send("post", "/v2/project/{project_key}/hypothesis", {
        params: { path: { project_key: projectKey } },
        body,
        idempotencyKey: keyOf(JSON.stringify(body)),
      });
      await outdate(cache, "/v2/project/{project_key}/hypotheses");
      toast("The hypothesis was created.");
      await navigate({
        to: "/p/$projectKey/hypotheses/$hypothesisId",
        params: { projectKey, hypothesisId: String(data.hypothesis_id) },
        ignoreBlocker: true,
      });
    },
  });
  return (
    <Page width="form">
      <PageHeader
        title="New hypothesis"
        above={
          <Link to="/p/$projectKey/hypotheses" params={{ projectKey }} className="link">
            Hypotheses
          </Link>
        }
        about="One sentence in one of the three texts is enough to begin."
      />
      <Card>
        <FormView
          form={form}
          act="Create hypothesis"
          labels={HYPOTHESIS_LABELS}
          isAlwaysReady
          locked={canWrite ? undefined : "Your role in this project can view everything, but change nothing."}
        >
          <HypothesisFields form={form} />
          <FormGuard form={form} />
        </FormView>
      </Card>
    </Page>
  );
}
