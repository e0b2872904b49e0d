// One of a few, all of which are seen: how a list is shown, what a picture is of.

interface SegmentsProps<T> {
  /** What is chosen: "View". */
  label: string;
  of: readonly (readonly [value: T, name: string])[];
  value: T;
  change: (value: T) => void;
}

export function Segments<T extends string | undefined>({ label, of, value, change }: SegmentsProps<T>) {
  return (
    <fieldset aria-label={label} className="flex w-fit flex-wrap rounded-md border border-edge bg-panel p-0.5">
      {of.map(([one, name]) => (
        <button
          key={name}
          type="button"
          aria-pressed={value === one}
          onClick={() => change(one)}
          className="rounded-sm px-2.5 py-1 font-medium text-soft hover:text-ink pointer-coarse:py-2 aria-pressed:bg-accent-wash aria-pressed:text-accent"
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
