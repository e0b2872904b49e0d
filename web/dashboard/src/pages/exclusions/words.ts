import type { Schemas } from "~/api/query";

type Kind = Schemas["ExclusionKind"];

interface KindWords {
  name: string;
  /** Label of the value; without one, the exclusion has no value. */
  label?: string;
  hint: string;
}

export const KIND: Record<Kind, KindWords> = {
  network: {
    name: "Network",
    label: "IP address",
    hint: "The whole network is excluded: 256 addresses of IPv4, a /48 of IPv6. Visits that a server sent with a key have no network.",
  },
  visitor: { name: "Visitor", label: "Visitor's id", hint: "Such as that of a colleague's browser." },
  origin: {
    name: "Website",
    label: "Origin of the pages",
    hint: "Such as https://copy.example, for a copy of the site.",
  },
  user_agent: {
    name: "Browser",
    label: "Browser, system and device",
    hint: "One to three words, such as chrome windows desktop.",
  },
  source: {
    name: "Source of the visit",
    label: "Source",
    hint: "direct, search, social, email, paid or referral.",
  },
  time: { name: "Everybody in a period", hint: "All visitors who were exposed in this period." },
};
