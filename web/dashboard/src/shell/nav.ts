// The pages that navigation and palette lead to. Whoever adds a section adds it here.

import type { LinkProps } from "@tanstack/react-router";
import { isAtLeast, type Role, type Session } from "~/api/session";
import type { IconName } from "~/ui/icon";

export interface Place {
  name: string;
  icon: IconName;
  to: LinkProps["to"];
  /** Words that find it in the palette, too. */
  also?: string;
  /** Who sees it; everybody unless said. */
  least?: Role;
}

/** Of the whole company. */
export const COMPANY: Place[] = [
  { name: "Experiments", icon: "flask", to: "/experiments", also: "tests overview list" },
];

/** Of the current project: `to` has `$projectKey`. */
export const PROJECT: Place[] = [];

export const SETTINGS: Place[] = [
  { name: "Projects", icon: "layers", to: "/settings/projects", also: "settings consent" },
  { name: "People", icon: "people", to: "/settings/people", also: "roles invitations team", least: "admin" },
  { name: "API keys", icon: "key", to: "/settings/keys", also: "tokens", least: "admin" },
  { name: "Audit log", icon: "receipt", to: "/settings/audit", also: "history who changed", least: "admin" },
];

export const OWN: Place[] = [
  { name: "Your account", icon: "person", to: "/account", also: "password sessions authenticator totp" },
];

export function visible(places: Place[], session: Session): Place[] {
  return places.filter(({ least }) => least === undefined || isAtLeast(session.role, least));
}
