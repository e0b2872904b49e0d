// Explains how to find the visitor id of one's own browser.

import { Link } from "@tanstack/react-router";
import { Copyable } from "~/ui/copyable";
import { Card } from "~/ui/layout";

export function HowTo({ projectKey }: { projectKey: string }) {
  return (
    <Card title="Find the id of your own browser">
      <ol className="flex max-w-160 list-decimal flex-col gap-3 pl-4.5">
        <li>Open a page of your site, in this browser or another, on any device.</li>
        <li>Open the browser's developer tools there (F12, on a Mac ⌥⌘I), and in them the console.</li>
        <li className="[&>div]:mt-1.5">
          Paste this line and press Enter:
          <Copyable label="Line for the console" hidesLabel text="localStorage.muriel_id" />
        </li>
        <li>Paste what it prints into the field above. Then move around on your site, and watch here.</li>
      </ol>
      <div className="mt-4 max-w-160 border-t border-line pt-3 text-soft">
        <p className="font-medium text-ink">It prints undefined?</p>
        <ul className="mt-1 flex list-disc flex-col gap-1 pl-4.5">
          <li>
            The script is not on the page: see{" "}
            <Link to="/p/$projectKey/install" params={{ projectKey }} className="link">
              Install
            </Link>
            .
          </li>
          <li>The visitor has not consented or has denied consent, or the browser stores nothing for the site.</li>
          <li>
            The operator has given the script's API another name. Use that name instead of{" "}
            <code className="font-mono text-sm">muriel</code>.
          </li>
        </ul>
      </div>
    </Card>
  );
}
