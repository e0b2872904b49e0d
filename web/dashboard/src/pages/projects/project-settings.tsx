// Settings of one project.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { outdate, query, type Schemas, send } from "~/api/query";
import { may, useRefreshSession, useSession } from "~/api/session";
import { FormCheckbox, FormNumber, FormRadios, FormText } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { FormGuard } from "~/ui/form/guard";
import { usePageTitle } from "~/lib/page";
import { Card, Note, Page, PageHeader } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { toast } from "~/ui/toast";

type Settings = Schemas["ProjectSettings"];
/** The settings as the form has them: lists as text. */
type List = "keep_query" | "page_origins";
type Fields = Omit<Settings, List> & Record<List, string>;

const wordsIn = (text: string) => text.split(/[\s,]+/).filter(Boolean);

export function ProjectSettingsPage() {
  const { projectKey } = useParams({ from: "/app/settings/projects/$projectKey" });
  const settings = useQuery(query("/v2/project/{project_key}/settings", { path: { project_key: projectKey } }));
  const name = settings.data?.settings.name;
  usePageTitle(name);
  return (
    <Page width="form">
      <PageHeader
        title={name ?? "Project"}
        above={
          <Link to="/settings/projects" className="link">
            Projects
          </Link>
        }
        about={<code className="font-mono text-sm break-all">{projectKey}</code>}
      />
      <Loaded query={settings}>{(data) => <SettingsForm projectKey={projectKey} settings={data.settings} />}</Loaded>
    </Page>
  );
}

const LABELS: Record<keyof Settings, string> = {
  name: "Name",
  consent: "Before a visitor has answered",
  gpc: "Global Privacy Control counts as a denial",
  bots: "Automated browsers and crawlers take part",
  health: "Page views whose health is reported, in percent",
  base: "Address at which pages reach this server",
  stop_on_page_harm: "Experiments that harm pages end automatically",
  editors_have_code: "Editors may change code that runs on pages",
  approve_code: "A second person approves changes of code",
  approve_live: "A second person approves changes of live experiments",
  keep_query: "Query parameters that are stored",
  visitors: "Visitors that results count",
  orders: "Orders that results count",
  page_origins: "Origins of pages that results count",
};

function SettingsForm({ projectKey, settings }: { projectKey: string; settings: Settings }) {
  const cache = useQueryClient();
  const session = useSession();
  const refreshSession = useRefreshSession();
  const form = useForm<Fields>({
    name: `project-settings/${projectKey}`,
    stored: {
      ...settings,
      keep_query: settings.keep_query.join(" "),
      page_origins: settings.page_origins.join(" "),
    },
    submit: async (_, { keep_query: names, page_origins: origins, ...changes }) => {
      const params = { path: { project_key: projectKey } };
      const body = {
        ...changes,
        ...(names !== undefined && { keep_query: wordsIn(names) }),
        ...(origins !== undefined && { page_origins: wordsIn(origins) }),
      };
      await send("patch", "/v2/project/{project_key}/settings", { params, body });
      await Promise.all([
        outdate(cache, "/v2/project/{project_key}/settings", "/v2/audit"),
        // The session contains the name, too.
        refreshSession(),
      ]);
      toast("The settings were saved. Pages get them within a second.");
    },
  });
  const isAllowed = may(session, projectKey, "admin");
  return (
    <FormView form={form} act="Save settings" labels={LABELS}>
      {!isAllowed && <Note>Only admins and owners change settings.</Note>}
      <fieldset disabled={!isAllowed} className="flex flex-col gap-5">
        <Card title="General">
          <div className="flex flex-col gap-4">
            <FormText form={form} name="name" label={LABELS.name} maxLength={255} required />
            <FormText
              form={form}
              name="base"
              label={LABELS.base}
              hint="Such as https://muriel.example.com, or a path on your own site that is forwarded to it. Empty: the server that delivered the script."
              maxLength={512}
              inputMode="url"
            />
          </div>
        </Card>
        <Card title="Visitors" about="Who takes part, and what is recorded.">
          <div className="flex flex-col gap-4">
            <FormRadios
              form={form}
              name="consent"
              legend={LABELS.consent}
              choices={[
                ["assumed", "Consent is assumed", "Visitors are recorded unless they deny it."],
                ["required", "Consent is required", "Nothing is decided, stored or sent before a visitor consents."],
                [
                  "memory",
                  "In memory until then",
                  "Variants are shown, nothing is stored, and events are sent once a visitor consents.",
                ],
              ]}
            />
            <FormCheckbox
              form={form}
              name="gpc"
              label={LABELS.gpc}
              hint="A signal of the browser that the visitor does not want to be tracked."
            />
            <FormCheckbox
              form={form}
              name="bots"
              label={LABELS.bots}
              hint="They distort results; let them in for end-to-end tests only."
            />
            <FormText
              form={form}
              name="keep_query"
              label={LABELS.keep_query}
              hint="Names, separated by blanks; utm_* stands for all that begin with utm_. Other parameters of addresses are left out of events, because they can contain personal data, but for those that goals and rules name."
              maxLength={3500}
            />
            <FormNumber
              form={form}
              name="health"
              label={LABELS.health}
              hint="Errors, slow pages and selectors that match nothing are found in these page views."
              min={0}
              max={100}
              step={1}
              className="max-w-60"
            />
            <FormCheckbox
              form={form}
              name="stop_on_page_harm"
              label={LABELS.stop_on_page_harm}
              hint="Once a variant is known to throw errors or to slow pages down by more than a margin. The history says why."
            />
          </div>
        </Card>
        <Card title="Trust" about="Anybody can send events to a public address. Results say how many they leave out.">
          <div className="flex flex-col gap-4">
            <FormRadios
              form={form}
              name="visitors"
              legend={LABELS.visitors}
              choices={[
                [
                  "any",
                  "All visitors",
                  "Automatic acts, such as ending an experiment, leave out those without a signature.",
                ],
                ["signed", "Signed ones", "Each network gets a hundred signatures of this server an hour."],
                ["keyed", "Keyed ones", "Only visitors whose exposure your server sends with an API key."],
              ]}
            />
            <FormRadios
              form={form}
              name="orders"
              legend={LABELS.orders}
              choices={[
                ["any", "All orders", "Also those of visitors without a signature."],
                ["signed", "Signed ones", "Orders of signed visitors, and orders with an API key."],
                ["keyed", "Keyed ones", "Only orders that your server sends with an API key."],
              ]}
            />
            <FormText
              form={form}
              name="page_origins"
              label={LABELS.page_origins}
              hint="Such as https://shop.example, separated by blanks. Visitors who enter on other pages, such as those of a test system, do not count. Empty: all pages."
              maxLength={5000}
            />
            {isAllowed && (
              <p>
                <Link to="/settings/projects/$projectKey/exclusions" params={{ projectKey }} className="link">
                  Exclusions
                </Link>{" "}
                leave out visits that were recorded already, such as those of a load test.
              </p>
            )}
          </div>
        </Card>
        <Card
          title="Code and approval"
          about="Experiments can contain code that runs on your pages. These settings decide who may change it, and whether a second person has to approve."
        >
          <div className="flex flex-col gap-4">
            <FormCheckbox
              form={form}
              name="editors_have_code"
              label={LABELS.editors_have_code}
              hint="Admins and owners may always change it."
            />
            <FormCheckbox
              form={form}
              name="approve_code"
              label={LABELS.approve_code}
              hint="Nobody approves their own change."
            />
            <FormCheckbox form={form} name="approve_live" label={LABELS.approve_live} />
          </div>
        </Card>
      </fieldset>
      <FormGuard form={form} />
    </FormView>
  );
}
