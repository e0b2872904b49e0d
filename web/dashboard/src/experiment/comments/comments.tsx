// Comments on an experiment or a hypothesis by people and programs: newest first, with author and time. Comments are
// permanent: no operation changes or removes them.

import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { read, type Schemas } from "~/api/query";
import { useSession } from "~/api/session";
import { ago, count, moment } from "~/lib/format";
import { parts } from "~/lib/mentions";
import { names } from "~/lib/names";
import { Actor } from "~/ui/actor";
import { Button } from "~/ui/button";
import { Card } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { NewComment } from "./new-comment";
import { type CommentsProps, operation } from "./operation";

const PAGE = 20;

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
  const place = `comment-${comment.comment_id}`;
  const isLinked = useLocation({ select: ({ hash }) => hash === place });
  const element = useRef<HTMLLIElement>(null);
  // Comments are read after the page is shown, so the browser has not found the linked one.
  useEffect(() => {
    if (isLinked) element.current?.scrollIntoView({ block: "center" });
  }, [isLinked]);
  return (
    <li
      id={place}
      ref={element}
      className={names("flex flex-col gap-0.5", isLinked && "-mx-2.5 rounded-md bg-accent-wash/50 px-2.5 py-1.5")}
    >
      <p className="flex flex-wrap items-baseline gap-x-2">
        <Actor actor={comment.actor} />
        <time dateTime={comment.at} title={moment(comment.at)} className="text-sm text-soft">
          {ago(comment.at)}
        </time>
      </p>
      <CommentText comment={comment} />
    </li>
  );
}

/** Text of a comment. Mentions in it are marked, and mentioned people whom the text does not name are listed below. */
function CommentText({ comment: { text, mentions } }: { comment: Schemas["Comment"] }) {
  const { person } = useSession();
  const said = parts(text, mentions);
  const others = mentions.filter(({ person_id }) => !said.some((part) => part.person?.person_id === person_id));
  return (
    <>
      <p className="max-w-150 break-words whitespace-pre-wrap">
        {said.map((part, at) =>
          part.person === undefined ? (
            part.text
          ) : (
            <span
              key={at}
              className={names(
                "font-medium text-accent",
                part.person.person_id === person.person_id && "rounded-sm bg-accent-wash px-0.5",
              )}
            >
              {part.text}
            </span>
          ),
        )}
      </p>
      {others.length > 0 && (
        <p className="text-sm break-words text-soft">Mentions {others.map(({ name }) => name).join(", ")}</p>
      )}
    </>
  );
}
