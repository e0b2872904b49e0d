// One hypothesis: its texts, its experiments, and the outcomes of others with the same ratings.

import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ApiFailure } from "~/api/failure";
import { outdate, type Schemas, send, type Tagged, taggedQuery } from "~/api/query";
import { may, useSession } from "~/api/session";
import { moment } from "~/lib/format";
import { FormView, useForm } from "~/ui/form/form";
import { FormGuard } from "~/ui/form/guard";
import { usePageTitle } from "~/lib/page";
import { Badge } from "~/ui/badge";
import { Button, ButtonLink } from "~/ui/button";
import { Card, Facts, Page, PageHeader } from "~/ui/layout";
import { ErrorPanel, Loaded } from "~/ui/loaded";
import { OutsideLink } from "~/ui/outside-link";
import { toast } from "~/ui/toast";
import { Comments } from "~/experiment/comments/comments";
import { HistorySection } from "~/experiment/history/history-section";
import { Alike } from "./alike";
import { bodyOf, HYPOTHESIS_LABELS, HypothesisFields, valuesOf } from "./hypothesis-form";
import { type Hypothesis, titleOf } from "~/experiment/hypothesis-words";
import { MadeFrom } from "./made-from";
import { ReadingCard } from "./reading";

const ONE = "/v2/project/{project_key}/hypothesis/{hypothesis_id}" as const;

export function HypothesisPage() {
  const { projectKey, hypothesisId } = useParams({ from: "/app/p/$projectKey/hypotheses/$hypothesisId" });
  const path = { project_key: projectKey, hypothesis_id: Number(hypothesisId) };
  const read = useQuery(taggedQuery(ONE, { path }));
  usePageTitle(read.data ? titleOf(read.data.data.hypothesis) : "Hypothesis");
  return (
    <Page>
      <Loaded query={read}>{(tagged) => <Opened projectKey={projectKey} tagged={tagged} />}</Loaded>
    </Page>
  );
}

function outdateHypothesis(cache: QueryClient): Promise<void> {
  return outdate(cache, ONE, `${ONE}/history`, "/v2/project/{project_key}/hypotheses", "/v2/programme");
}

/** Saves changes of the hypothesis. After a conflict it is read again, so that the form can show both values. */
function useSaveHypothesis(projectKey: string, id: number, etag: string | undefined) {
  const cache = useQueryClient();
  return async (changes: Schemas["HypothesisPatch"], news: string) => {
    try {
      const params = { path: { project_key: projectKey, hypothesis_id: id } };
      await send("patch", ONE, { params, body: changes, ifMatch: etag });
      toast(news);
    } catch (thrown) {
      if (thrown instanceof ApiFailure && thrown.status === 412) await outdateHypothesis(cache);
      throw thrown;
    }
    await outdateHypothesis(cache);
  };
}

interface OpenedProps {
  projectKey: string;
  tagged: Tagged<Schemas["HypothesisAnswer"]>;
}

function Opened({ projectKey, tagged: { data, etag } }: OpenedProps) {
  const { hypothesis } = data;
  const id = hypothesis.hypothesis_id;
  const canWrite = may(useSession(), projectKey, "write");
  const save = useSaveHypothesis(projectKey, id, etag);
  const cache = useQueryClient();
  const { revision } = useSearch({ from: "/app/p/$projectKey/hypotheses/$hypothesisId" });
  return (
    <>
      <PageHeader
        title={titleOf(hypothesis)}
        above={
          <Link to="/p/$projectKey/hypotheses" params={{ projectKey }} className="link">
            Hypotheses
          </Link>
        }
        about={hypothesis.archived && <Badge>Archived</Badge>}
        actions={
          canWrite && (
            <>
              <ArchiveButton hypothesis={hypothesis} save={save} />
              <ButtonLink
                icon="flask"
                to={"/p/$projectKey/experiments/new" as "/"}
                params={{ projectKey } as never}
                search={{ hypothesis: id } as never}
              >
                New experiment
              </ButtonLink>
            </>
          )
        }
      />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-5">
          {canWrite ? <EditCard hypothesis={hypothesis} save={save} /> : <ReadingCard hypothesis={hypothesis} />}
          <Comments kind="hypothesis" projectKey={projectKey} id={id} canWrite={canWrite} />
          <HistorySection
            subject={{ kind: "hypothesis", projectKey, id }}
            chosen={revision}
            etag={etag}
            canRestore={canWrite}
            onRestored={() => outdateHypothesis(cache)}
          />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <MadeFrom projectKey={projectKey} hypothesis={hypothesis} />
          <Alike projectKey={projectKey} hypothesis={hypothesis} />
          <AboutCard hypothesis={hypothesis} />
        </div>
      </div>
    </>
  );
}

type Save = ReturnType<typeof useSaveHypothesis>;

function EditCard({ hypothesis, save }: { hypothesis: Hypothesis; save: Save }) {
  const form = useForm({
    name: `hypothesis/${hypothesis.hypothesis_id}`,
    stored: valuesOf(hypothesis),
    submit: (_, changes) => save(bodyOf(changes), "The hypothesis was saved."),
  });
  return (
    <Card>
      <FormView form={form} act="Save hypothesis" labels={HYPOTHESIS_LABELS}>
        <HypothesisFields form={form} />
        <FormGuard form={form} />
      </FormView>
    </Card>
  );
}

function ArchiveButton({ hypothesis: { archived = false }, save }: { hypothesis: Hypothesis; save: Save }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const act = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await save(
        { archived: !archived },
        archived ? "The hypothesis was taken out of the archive." : "The hypothesis was archived.",
      );
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {error !== undefined && <ErrorPanel error={error} />}
      <Button icon="archive" isBusy={isBusy} onClick={act}>
        {archived ? "Take out of the archive" : "Archive"}
      </Button>
    </>
  );
}

function AboutCard({ hypothesis }: { hypothesis: Hypothesis }) {
  const { slug, hypothesis_url: url, created_at, updated_at } = hypothesis;
  return (
    <Card title="About">
      <Facts
        facts={[
          ...(url === null ? [] : [["Research", <OutsideLink key="url" url={url} />] as [string, ReactNode]]),
          [
            "Name in files",
            <code key="slug" className="font-mono text-sm break-all">
              {slug}
            </code>,
          ],
          ["Created", moment(created_at)],
          ["Last change", moment(updated_at)],
        ]}
      />
    </Card>
  );
}
