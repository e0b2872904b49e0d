// Forms name the fields of objects by their path, as errors do: `configuration.end_test_date`. A merge-patch takes
// objects.

/** Converts `{"plan.mde": 5, tags: []}` to `{plan: {mde: 5}, tags: []}`. */
export function nested(changes: object): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const [place, value] of Object.entries(changes)) {
    const [name = "", inner] = place.split(".");
    whole[name] = inner === undefined ? value : { ...(whole[name] as object | undefined), [inner]: value };
  }
  return whole;
}
