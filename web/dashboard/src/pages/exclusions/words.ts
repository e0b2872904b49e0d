import type { Schemas } from "~/api/query";
import { change } from "~/lib/format";
import type { Word } from "~/lib/words";

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
    name: "Browser or device",
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

export const ODDITY: Record<Schemas["SuspectOddity"], string> = {
  verdict: "A verdict does not hold without them.",
  effect: "The variants differ among them in another way than among all others.",
  split: "The variants have other shares of them than of all others.",
};

type Change = Pick<Schemas["SuspectVariant"], "verdict" | "verdict_without" | "lift" | "lift_without">;

/** Words for the verdict and the lift of a variant, before and after. */
export function changeOf(of: Change, words: Record<Schemas["VerdictWord"], Word>): string {
  const lift = (percent: number | null) => (percent === null ? "no lift" : change(percent / 100));
  const word = (verdict: Change["verdict"]) => (verdict === null ? "no verdict" : words[verdict].text.toLowerCase());
  const [before, after] = [word(of.verdict), word(of.verdict_without)];
  const verdicts = before === after ? `still ${after}` : `${before} becomes ${after}`;
  return `${verdicts}, lift ${lift(of.lift)} becomes ${lift(of.lift_without)}`;
}
