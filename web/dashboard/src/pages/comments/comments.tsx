// What people and programs say about an experiment or a hypothesis: newest first, with who and when. Comments stay: there is no operation
// that changes or removes one.

import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { outdate, read, type Schemas, send } from "~/api/query";
import { ago, count, moment } from "~/lib/format";
import { FormTextBox } from "~/lib/fields";
import { FormView, useForm } from "~/lib/form";
import { FormGuard } from "~/lib/guard";
import { useIdempotencyKey } from "~/lib/idempotency";
import { Actor } from "~/ui/actor";
import { Button } from "~/ui/button";
import { Card } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";

const EXPERIMENT = "/v2/project/{project_key}/experiment/{test_id}/comments";
const HYPOTHESIS = "/v2/project/{project_key}/hypothesis/{hypothesis_id}/comments";
const PAGE = 20;

export interface CommentsProps {
  kind: "experiment" | "hypothesis";
  projectKey: string;
  id: number;
  /** Whether who is signed in may write one. */
  canWrite: boolean;
}

/** The operation and its parameters, typed as those of experiments: both answer alike. */
function operation({ kind, projectKey, id }: CommentsProps) {
  const of = kind === "experiment" ? { test_id: id } : { hypothesis_id: id };
  return {
    operation: (kind === "experiment" ? EXPERIMENT : HYPOTHESIS) as typeof EXPERIMENT,
    path: { project_key: projectKey, ...of } as { project_key: string; test_id: number },
  };
}

function commentsQuery(of: CommentsProps) {
  const { operation: from, path } = operation(of);
  return infiniteQueryOptions({
    queryKey: [from, path, "pages"] as const,
    queryFn: ({ pageParam, signal }) =>
      read(from, { path, query: { limit: PAGE, ...(pageParam !== "" && { cursor: pageParam }) } }, signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
}

export function Comments(props: CommentsProps) {
  const found = useInfiniteQuery(commentsQuery(props));
  const comments = found.data?.pages.flatMap((page) => page.comments) ?? [];
  const total = found.data?.pages[0]?.total ?? 0;
  return (
    <Card title="Comments" about={total > 0 ? count(total, "comment") : undefined}>
      <div className="flex flex-col gap-5">
        {props.canWrite && <NewComment {...props} />}
        {found.isError && (
          <ErrorPanel error={found.error} retry={() => found.refetch()} isOutdated={comments.length > 0} />
        )}
        {found.isPending && (
          <div aria-busy="true">
            <Lines count={3} />
          </div>
        )}
        {found.isSuccess && comments.length === 0 && <p className="text-soft">Nobody has said anything yet.</p>}
        {comments.length > 0 && (
          <ol aria-label="Comments, newest first" className="flex flex-col gap-4">
            {comments.map((comment) => (
              <OneComment key={comment.comment_id} comment={comment} />
            ))}
          </ol>
        )}
        {found.hasNextPage && (
          <div>
            <Button small isBusy={found.isFetchingNextPage} onClick={() => found.fetchNextPage()}>
              Show older comments
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}

function OneComment({ comment }: { comment: Schemas["Comment"] }) {
  return (
    <li className="flex flex-col gap-0.5">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <Actor actor={comment.actor} />
        <time dateTime={comment.at} title={moment(comment.at)} className="text-sm text-soft">
          {ago(comment.at)}
        </time>
      </p>
      <p className="max-w-150 break-words whitespace-pre-wrap">{comment.text}</p>
    </li>
  );
}

function NewComment(props: CommentsProps) {
  const cache = useQueryClient();
  const keyFor = useIdempotencyKey();
  // The same words again are another comment, once the first was kept.
  const [written, setWritten] = useState(0);
  const form = useForm({
    name: `comments/${props.projectKey}/${props.kind}/${props.id}`,
    stored: { text: "" },
    submit: async ({ text }) => {
      const { operation: to, path } = operation(props);
      await send("post", to, { params: { path }, body: { text }, idempotencyKey: keyFor(`${written} ${text}`) });
      setWritten(written + 1);
      await outdate(cache, to);
    },
  });
  return (
    <FormView form={form} act="Comment" labels={{ text: "Your comment" }} className="flex flex-col gap-2">
      <FormTextBox form={form} name="text" label="Your comment" rows={2} maxLength={10_000} />
      <FormGuard form={form} />
    </FormView>
  );
}
