// Names of countries and languages.

/** Codes that the server accepts: ISO 3166-1, and XK, which geographic databases use for Kosovo. */
const CODES =
  "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW";

/** Countries whose names have an article in a sentence. */
const ARTICLE = /^(AE|BS|CF|CK|DO|FK|FO|GB|GM|IM|IO|KM|KY|MH|MP|MV|NL|PH|SB|SC|TC|UM|US|VG|VI)$/;

/** Languages that are offered. Any other tag can be typed. */
const TAGS =
  "ar bg bn ca cs da de de-AT de-CH el en en-AU en-CA en-GB en-US es es-419 es-ES es-MX et fa fi fr fr-CA fr-CH he hi hr hu id it ja ko lt lv ms nb nl nl-BE pl pt pt-BR pt-PT ro ru sk sl sr sv th tr uk ur vi zh zh-CN zh-HK zh-TW";

const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
const languages = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

/** Name of a country, or its code if it has none. */
export function countryName(code: string): string {
  return named(regions, code);
}

/** Name within a sentence: "the United States". */
export function countryInSentence(code: string): string {
  return (ARTICLE.test(code) ? "the " : "") + countryName(code);
}

export function languageName(tag: string): string {
  return named(languages, tag);
}

function named(display: Intl.DisplayNames, code: string): string {
  try {
    return display.of(code) ?? code;
  } catch {
    // The text does not have the form of a code.
    return code;
  }
}

type Option = readonly [value: string, text: string];

function options(codes: string, name: (code: string) => string): Option[] {
  return codes
    .split(" ")
    .map((code): Option => [code, name(code)])
    .sort(([, a], [, b]) => a.localeCompare(b, "en"));
}

export const COUNTRIES: readonly Option[] = options(CODES, countryName);
export const LANGUAGES: readonly Option[] = options(TAGS, languageName);
