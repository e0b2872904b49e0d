// Formats sentences of the server for users. The sentences are also for programs: they name fields by their path, and
// have times in UTC and numbers without separators. This uses the words and formats of the pages.

import { capital } from "~/lib/capital";
import { integer, moment } from "~/lib/format";
import { fieldName, isFieldPath } from "./changes/field-words";

const MOMENT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z\b/g;
/** A separate number of five digits or more, which is not a part of an address, an id or a fraction. */
const LARGE = /(^|[\s(])(\d{5,15})(?=$|[\s,;:)]|\.(?:\s|$))/g;
/** Path of a field, with or without backticks. */
const PATH =
  /`?\b((?:variants\[\d+\]|control|targeting|configuration|plan)(?:\.\w+)+|variants\[\d+\]|custom_(?:js|css))(?!\w)`?/gi;
const CHANGE = /\bdata\[(\d{1,3})\]/g;

export function plainSentence(sentence: string): string {
  const text = sentence
    .replaceAll(MOMENT, (iso) => moment(iso))
    .replaceAll(PATH, (whole, path: string) => {
      const known = path.charAt(0).toLowerCase() + path.slice(1);
      return isFieldPath(known) ? fieldName(known) : whole;
    })
    .replaceAll(CHANGE, (_, index) => `change ${Number(index) + 1}`)
    .replaceAll(LARGE, (_, before: string, digits: string) => before + integer(Number(digits)));
  return capital(text);
}
