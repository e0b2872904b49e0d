// Operators of conditions, in words.

import type { Schemas } from "~/api/query";

export type Operator = Schemas["Operator"];

export interface OperatorInfo {
  spelling: Operator;
  /** Another spelling with the same meaning. A rule keeps its spelling. */
  also?: Operator;
  /** Text in the menu, after the name of what is compared. */
  choice: string;
  takes: "nothing" | "text" | "number";
  /** Text in a sentence. `…` is the value. */
  says: string;
}

export const OPERATORS: readonly OperatorInfo[] = [
  { spelling: "==", choice: "is", takes: "text", says: "is …" },
  { spelling: "!=", choice: "is not", takes: "text", says: "is not …" },
  { spelling: "**", choice: "contains", takes: "text", says: "contains …" },
  { spelling: "!*", choice: "does not contain", takes: "text", says: "does not contain …" },
  { spelling: "ex", choice: "is set", takes: "nothing", says: "is set" },
  { spelling: "nx", choice: "is not set", takes: "nothing", says: "is not set" },
  { spelling: "gt", also: ">", choice: "is above", takes: "number", says: "is above …" },
  { spelling: "gte", also: ">=", choice: "is at least", takes: "number", says: "is at least …" },
  { spelling: "lt", also: "<", choice: "is below", takes: "number", says: "is below …" },
  { spelling: "lte", also: "<=", choice: "is at most", takes: "number", says: "is at most …" },
  { spelling: "bt", choice: "is true", takes: "nothing", says: "is true" },
  { spelling: "bf", choice: "is false", takes: "nothing", says: "is false" },
  { spelling: "days_gt", choice: "is more than … days ago", takes: "number", says: "was more than … days ago" },
  { spelling: "days_gte", choice: "is at least … days ago", takes: "number", says: "was at least … days ago" },
  { spelling: "days_lt", choice: "is less than … days ago", takes: "number", says: "was less than … days ago" },
  { spelling: "days_lte", choice: "is at most … days ago", takes: "number", says: "was at most … days ago" },
];

export function operatorInfo(spelling: string): OperatorInfo | undefined {
  return OPERATORS.find((one) => one.spelling === spelling || one.also === spelling);
}

export function isOperator(spelling: string): boolean {
  return operatorInfo(spelling) !== undefined;
}

export function takesNoValue(spelling: string): boolean {
  return operatorInfo(spelling)?.takes === "nothing";
}
