/** Joins the classes that apply: `names("a", isOpen && "b")`. */
export function names(...classes: (string | false | null | undefined)[]): string {
  return classes.filter(Boolean).join(" ");
}
