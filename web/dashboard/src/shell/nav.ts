// Pages in the navigation and the palette. Add a new section here.

import type { LinkProps } from "@tanstack/react-router";
import { isAtLeast, type Role, type Session } from "~/api/session";
import type { IconName } from "~/ui/icon";

export interface Place {
  name: string;
  icon: IconName;
  to: LinkProps["to"];
  /** More search words for the palette. */
  also?: string;
  /** Count that is shown next to the name. */
  count?: "open-proposals" | "unread";
  /** Lowest role that sees the page. Everybody sees it if unset. */
  least?: Role;
}

/** Pages of the whole company. */
export const COMPANY: Place[] = [
  { name: "Experiments", icon: "flask", to: "/experiments", also: "tests overview list" },
  {
    name: "Learnings",
    icon: "trend",
    to: "/programme",
    also: "programme program lessons learned concluded insights knowledge win rate velocity pace impact calibration",
  },
  { name: "Inbox", icon: "bell", to: "/inbox", also: "notifications news unread mentions watching", count: "unread" },
];

/** Pages of the current project. `to` has `$projectKey`. */
export const PROJECT: Place[] = [
  {
    name: "Hypotheses",
    icon: "lightbulb",
    to: "/p/$projectKey/hypotheses",
    also: "ideas backlog observations problems solutions board",
  },
  { name: "Goals", icon: "flag", to: "/p/$projectKey/goals", also: "conversions metrics events revenue activity" },
  {
    name: "Groups and holdouts",
    icon: "split",
    to: "/p/$projectKey/groups",
    also: "exclusion groups mutually exclusive collisions holdouts",
  },
  {
    name: "Proposals",
    icon: "approve",
    to: "/p/$projectKey/proposals",
    also: "approval approve review second person changes",
    count: "open-proposals",
  },
  { name: "Install", icon: "code", to: "/p/$projectKey/install", also: "script snippet openfeature mcp doctor" },
  { name: "Live view", icon: "pulse", to: "/p/$projectKey/live", also: "visitor events debug why" },
  { name: "Webhooks", icon: "plug", to: "/p/$projectKey/webhooks", also: "notify slack signing", least: "admin" },
];

/**
 * Objects that can be created in the current project, for people who may write. Only in the palette, because the pages
 * have buttons for them.
 */
export const MAKE: Place[] = [
  {
    name: "New experiment",
    icon: "plus",
    to: "/p/$projectKey/experiments/new",
    also: "create add make test draft duplicate copy",
  },
];

export const SETTINGS: Place[] = [
  { name: "Projects", icon: "layers", to: "/settings/projects", also: "settings consent" },
  { name: "People", icon: "people", to: "/settings/people", also: "roles invitations team", least: "admin" },
  { name: "API keys", icon: "key", to: "/settings/keys", also: "tokens", least: "admin" },
  { name: "Audit log", icon: "receipt", to: "/settings/audit", also: "history who changed", least: "admin" },
];

export const OWN: Place[] = [
  { name: "Your account", icon: "person", to: "/account", also: "password sessions authenticator totp passkeys" },
];

export function visible(places: Place[], session: Session): Place[] {
  return places.filter(({ least }) => least === undefined || isAtLeast(session.role, least));
}
