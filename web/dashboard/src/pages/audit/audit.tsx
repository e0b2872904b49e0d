// The audit log: the author, action and time of each change, with the values before and after.

import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { read, type Schemas } from "~/api/query";
import { useSession } from "~/api/session";
import { moment, NOTHING } from "~/lib/format";
import { usePageTitle } from "~/lib/page";
import { Actor } from "~/ui/actor";
import { Button, buttonClass } from "~/ui/button";
import { Select, TextInput } from "~/ui/field";
import { Icon } from "~/ui/icon";
import { Card, Empty, Page, PageHeader } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { kindName, sentenceOf } from "./sentences";

type Entry = Schemas["AuditEntry"];

interface Filters {
  actor?: string;
  object?: string;
  project?: string;
  from?: string;
  to?: string;
}

const KINDS = [
  "experiment",
  "goal",
  "hypothesis",
  "group",
  "webhook",
  "rates",
  "project",
  "key",
  "person",
  "invitation",
  "session",
];
const PAGE = 50;

function auditQuery(filters: Filters) {
  return infiniteQueryOptions({
    queryKey: ["/v2/audit", filters, "pages"] as const,
    queryFn: ({ pageParam, signal }) =>
      read("/v2/audit", { query: { ...filters, limit: PAGE, ...(pageParam !== "" && { cursor: pageParam }) } }, signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
}

export function AuditPage() {
  usePageTitle("Audit log");
  const filters = useSearch({ from: "/app/settings/audit" });
  const audit = useInfiniteQuery(auditQuery(filters));
  const entries = audit.data?.pages.flatMap((page) => page.entries) ?? [];
  const csv = `/v2/audit.csv?${new URLSearchParams(filters as Record<string, string>)}`;
  return (
    <Page>
      <PageHeader
        title="Audit log"
        about="Everything that was done in the company, newest first. Each entry is chained to the one before, so that a changed or missing one is found."
        actions={
          <a href={csv} download="audit.csv" className={buttonClass("plain")}>
            Download CSV
          </a>
        }
      />
      <FilterBar filters={filters} />
      {audit.isError && (
        <ErrorPanel error={audit.error} retry={() => audit.refetch()} isOutdated={entries.length > 0} />
      )}
      <Card flush>
        {audit.isPending ? (
          <Lines count={8} />
        ) : entries.length > 0 ? (
          <ul>
            {entries.map((entry) => (
              <EntryLine key={entry.entry} entry={entry} />
            ))}
          </ul>
        ) : (
          audit.isSuccess && (
            <Empty icon="receipt" title="No entries">
              No actions match these filters.
            </Empty>
          )
        )}
      </Card>
      {audit.hasNextPage && (
        <div className="flex justify-center">
          <Button isBusy={audit.isFetchingNextPage} onClick={() => audit.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Page>
  );
}

function FilterBar({ filters }: { filters: Filters }) {
  const navigate = useNavigate({ from: "/settings/audit" });
  const { projects } = useSession();
  const change = (changes: Filters) =>
    navigate({ search: (before) => ({ ...before, ...changes }), replace: true, resetScroll: false });
  const set = (name: keyof Filters) => (event: { target: { value: string } }) =>
    change({ [name]: event.target.value || undefined });
  return (
    <div className="grid grid-cols-2 items-end gap-3 md:grid-cols-5">
      <TextInput
        key={filters.actor}
        label="By"
        placeholder="E-mail, key or name"
        defaultValue={filters.actor}
        maxLength={255}
        onBlur={set("actor")}
        onKeyDown={(event) => event.key === "Enter" && change({ actor: event.currentTarget.value || undefined })}
      />
      <Select label="Kind" value={filters.object ?? ""} onChange={set("object")}>
        <option value="">Everything</option>
        {/* A link can filter by a single object, such as experiment:17. */}
        {[...new Set([...KINDS, ...(filters.object ? [filters.object] : [])])].map((kind) => (
          <option key={kind} value={kind}>
            {kindName(kind)}
          </option>
        ))}
      </Select>
      <Select label="Project" value={filters.project ?? ""} onChange={set("project")}>
        <option value="">All projects</option>
        {projects.map(({ project_key, name }) => (
          <option key={project_key} value={project_key}>
            {name}
          </option>
        ))}
      </Select>
      <TextInput label="From" type="date" value={filters.from ?? ""} onChange={set("from")} />
      <TextInput label="Before" type="date" value={filters.to ?? ""} onChange={set("to")} />
    </div>
  );
}

function EntryLine({ entry }: { entry: Entry }) {
  const { projects } = useSession();
  const [isOpen, setOpen] = useState(false);
  const { act, thing } = sentenceOf(entry);
  const project = projects.find((one) => one.project_key === entry.project_key)?.name ?? entry.project_key;
  const fields = [...new Set([...Object.keys(asObject(entry.before)), ...Object.keys(asObject(entry.after))])];
  return (
    <li className="border-b border-line last:border-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full items-start gap-2.5 px-4 py-2.5 text-left hover:bg-accent-wash/30 md:px-5"
      >
        <Icon name={isOpen ? "chevronDown" : "chevronRight"} className="mt-0.75 size-3.5 text-soft" />
        <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
          <Actor actor={entry.actor} />
          <span className="text-soft">{act}</span>
          {thing !== undefined && <span className="min-w-0 truncate">{thing}</span>}
          {project && <span className="text-sm text-soft">in {project}</span>}
        </span>
        <span className="num text-sm text-soft max-xs:hidden">{moment(entry.at)}</span>
      </button>
      {isOpen && (
        <div className="flex flex-col gap-3 px-4 pb-4 pl-10 md:pl-11.5">
          <p className="text-sm text-soft">
            {moment(entry.at)} · entry {entry.entry} · {entry.action} · {entry.object.kind} {entry.object.id} · by{" "}
            {entry.actor.kind} {entry.actor.id}
          </p>
          {fields.length > 0 && (
            <dl className="flex flex-col gap-2">
              {fields.map((field) => (
                <div key={field} className="grid gap-x-4 gap-y-0.5 md:grid-cols-[10rem_1fr_1fr]">
                  <dt className="font-mono text-sm">{field}</dt>
                  <dd className="min-w-0">
                    <span className="text-sm text-soft">before </span>
                    <Value value={asObject(entry.before)[field]} />
                  </dd>
                  <dd className="min-w-0">
                    <span className="text-sm text-soft">after </span>
                    <Value value={asObject(entry.after)[field]} />
                  </dd>
                </div>
              ))}
            </dl>
          )}
          <p className="font-mono text-xs break-all text-soft">{entry.hash}</p>
        </div>
      )}
    </li>
  );
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function Value({ value }: { value: unknown }) {
  if (value === undefined) return <span className="text-soft">{NOTHING}</span>;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return <span className="font-mono text-sm break-words whitespace-pre-wrap">{text}</span>;
}
