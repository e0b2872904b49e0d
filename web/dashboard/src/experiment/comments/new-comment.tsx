// Form for a comment. `@` finds people to mention. Chosen people are sent by id, because several can have the same
// name.

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { outdate, query, send } from "~/api/query";
import { useDelayed } from "~/lib/delayed";
import { FormView, useForm } from "~/ui/form/form";
import { FormGuard } from "~/ui/form/guard";
import { useIdempotencyKey } from "~/lib/idempotency";
import { type Mentioned, stillCalled } from "~/lib/mentions";
import { ROLE } from "~/lib/words";
import { MentionBox } from "~/ui/mention-box";
import { toast } from "~/ui/toast";
import { type CommentsProps, operation } from "./operation";

const SHOWN = 6;
const REST_MS = 150;

interface Draft {
  text: string;
  mentions: Mentioned[];
}

export function NewComment(props: CommentsProps) {
  const cache = useQueryClient();
  const keyFor = useIdempotencyKey();
  // After a comment was saved, the same words again are a new comment, with a new key.
  const [written, setWritten] = useState(0);
  const [search, setSearch] = useState<string>();
  const found = usePeople(props.projectKey, search);
  const form = useForm<Draft>({
    name: `comments/${props.projectKey}/${props.kind}/${props.id}`,
    stored: { text: "", mentions: [] },
    submit: async ({ text, mentions }) => {
      const { operation: to, path } = operation(props);
      const ids = stillCalled(text, mentions).map(({ person_id }) => person_id);
      const body = ids.length > 0 ? { text, mentions: ids } : { text };
      const key = keyFor(`${written} ${JSON.stringify(body)}`);
      const { data } = await send("post", to, { params: { path }, body, idempotencyKey: key });
      setWritten(written + 1);
      if (data.mentioned.length > 0) toast(`${inWords(data.mentioned)} will find it in the inbox.`);
      // The author of a comment on an experiment watches it from then on.
      await outdate(cache, to, "/v2/project/{project_key}/experiment/{test_id}/watch");
    },
  });
  return (
    <FormView
      isPlain
      form={form}
      act="Comment"
      labels={{ text: "Your comment", mentions: "People to mention" }}
      className="flex flex-col gap-2"
    >
      <MentionBox
        label="Your comment"
        hint="Type @ and a name to notify somebody."
        name="text"
        rows={2}
        maxLength={10_000}
        value={form.values.text}
        onChange={(text) => form.set("text", text)}
        onSearch={setSearch}
        found={found}
        onMention={({ person_id, name }) =>
          form.set("mentions", [
            ...form.values.mentions.filter((one) => one.person_id !== person_id),
            { person_id, name },
          ])
        }
        error={form.errorOf("text") ?? form.errorOf("mentions")}
      />
      <FormGuard form={form} />
    </FormView>
  );
}

/** People who see the project and whose names contain the typed text; undefined while the search is in flight. */
function usePeople(projectKey: string, search: string | undefined) {
  const rested = useDelayed(search, REST_MS);
  const { data, isPlaceholderData } = useQuery({
    ...query("/v2/project/{project_key}/people", {
      path: { project_key: projectKey },
      query: { limit: SHOWN, ...(rested && { search: rested }) },
    }),
    enabled: search !== undefined && rested !== undefined,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (search === undefined || data === undefined) return undefined;
  // Until the server answers, show the previous people who still match. Enter must not choose anybody else.
  const isLate = isPlaceholderData || rested !== search;
  const fits = ({ name }: { name: string }) => !isLate || name.toLowerCase().includes(search.toLowerCase());
  const people = data.people.filter(fits);
  if (isLate && people.length === 0) return undefined;
  return people.map(({ person_id, name, role }) => ({ person_id, name, aside: ROLE[role].text }));
}

/** `Ada`, `Ada and Grace`, `Ada, Grace and 3 others`. */
function inWords(people: readonly Mentioned[]): string {
  const [first = "", second, ...others] = people.map(({ name }) => name);
  if (second === undefined) return first;
  if (others.length === 0) return `${first} and ${second}`;
  return `${first}, ${second} and ${others.length === 1 ? "1 other" : `${others.length} others`}`;
}
