// Code to paste and where, how to check a page, and what a content security policy has to allow.

import { useState } from "react";
import { Copyable } from "~/ui/copyable";
import { Choice, Choices } from "~/ui/field";
import { Card } from "~/ui/layout";
import type { Install } from "./state";

const FORMS = [
  [
    "snippet",
    "Hide the page until the script is there",
    "For a second at most. Nobody sees the original before their variant. Use this one if unsure.",
  ],
  [
    "async_snippet",
    "Never wait",
    "Only elements with the attribute data-muriel are hidden. Changes elsewhere that come too late are not made.",
  ],
] as const;

export function SnippetCard({ install }: { install: Install }) {
  const [form, setForm] = useState<(typeof FORMS)[number][0]>("snippet");
  return (
    <Card
      title="Put it on your pages"
      about={
        <>
          Paste both lines into the <code className="font-mono text-sm">&lt;head&gt;</code> of every page, right after{" "}
          <code className="font-mono text-sm">&lt;meta charset&gt;</code>: before styles and other scripts, and not
          through a tag manager, which comes too late.
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Copyable label="Lines for the head" text={install[form].trim()} hidesLabel isLong />
        <Choices legend="While the script loads">
          {FORMS.map(([value, text, about]) => (
            <Choice
              key={value}
              kind="radio"
              name="snippet"
              label={text}
              hint={about}
              checked={form === value}
              onChange={() => setForm(value)}
            />
          ))}
        </Choices>
      </div>
    </Card>
  );
}

export function CheckCard({ projectKey, example }: { projectKey: string; example: string | undefined }) {
  const page = example ?? "https://www.example.com/";
  return (
    <Card
      title="Check a page"
      about="The doctor fetches a page as a browser would, and reports what works, what could be better and what prevents experiments."
    >
      <Copyable
        label="Command"
        text={`muriel doctor ${quoted(page)} --project ${projectKey}`}
        hint={
          <>
            Run it where the program <code className="font-mono">muriel</code> is installed, such as the server's
            machine. It checks the position of the lines, delivery, policies and events, and records nothing.
          </>
        }
      />
    </Card>
  );
}

/** Quotes an address as one word of a shell. It comes from a page. */
function quoted(address: string): string {
  return /^[\w:/.@%+,=-]+$/.test(address) ? address : `'${address.replaceAll("'", `'\\''`)}'`;
}

export function PolicyCard({ install }: { install: Install }) {
  const origin = originOf(install.snippet);
  return (
    <Card>
      <details>
        <summary className="font-semibold">If your pages have a content security policy</summary>
        <dl className="mt-3 flex flex-col gap-3">
          <Directive name="script-src">
            A nonce on both tags, the same as in the policy. Code of experiments runs inline with that nonce, never
            through <code className="font-mono text-sm">eval</code>.
          </Directive>
          <Directive name="connect-src">
            {origin === undefined ? (
              "The address of this server"
            ) : (
              <code className="font-mono text-sm break-all">{origin}</code>
            )}
            , for events, places and previews.
          </Directive>
          <Directive name="trusted-types">
            <code className="font-mono text-sm">muriel</code>, where the policy has{" "}
            <code className="font-mono text-sm">require-trusted-types-for 'script'</code>.
          </Directive>
          <Directive name="style-src">Nothing: styles are set without elements.</Directive>
        </dl>
      </details>
    </Card>
  );
}

function Directive({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>
        <code className="font-mono text-sm font-medium">{name}</code>
      </dt>
      <dd className="text-soft">{children}</dd>
    </div>
  );
}

/** Origin of the script, which is also the origin of events, as the server put it into the snippet. */
function originOf(snippet: string): string | undefined {
  const source = /\bsrc="(https?:\/\/[^"]+)"/.exec(snippet)?.[1];
  return source === undefined ? undefined : new URL(source).origin;
}
