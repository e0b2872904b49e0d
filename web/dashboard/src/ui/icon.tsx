// Icons: strokes on a grid of 16. They are next to words, so screen readers skip them.

const PATHS = {
  approve: "M3.500 2.500h9v11h-9zM5.800 8.200l1.700 1.700 3-3.400",
  archive: "M2.5 4.5h11v-2h-11zM3.5 4.5v9h9v-9M6.5 7.5h3",
  arrowDown: "M8 3v10M4 9l4 4 4-4",
  arrowUp: "M8 13V3M4 7l4-4 4 4",
  bell: "M4 11.500V7.200a4 4 0 0 1 8 0v4.300M2.800 11.500h10.400M6.800 13.700h2.400",
  book: "M3 13.5v-10a1 1 0 0 1 1-1h9v9H4.2a1.2 1.2 0 0 0 0 2.5H13M6 5.5h4",
  check: "M3 8.5l3.2 3.2L13 5",
  chevronDown: "M4 6.2L8 10l4-3.8",
  chevronRight: "M6.2 4L10 8l-3.8 4",
  chevronsUpDown: "M5 6l3-3 3 3M5 10l3 3 3-3",
  clipboard: "M5.5 3.5h-2v10h9v-10h-2M5.5 2.5h5v2.5h-5z",
  close: "M4 4l8 8M12 4l-8 8",
  code: "M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5",
  comment: "M2.500 3.500h11v7.500H7l-3 2.500v-2.500H2.500z",
  download: "M8 2.500v7.500M5 7.200l3 3 3-3M3 13h10",
  external: "M6.5 3.5h-3v9h9v-3M9 2.5h4.5V7M13 3L7.5 8.5",
  flag: "M4 14V2.5h8l-1.5 3 1.5 3H4",
  flask: "M6.2 2.5v4L2.8 12a1 1 0 0 0 .9 1.5h8.6a1 1 0 0 0 .9-1.5L9.8 6.500v-4M5 2.5h6M4.600 9.500h6.800",
  gear: "M8 5.8a2.2 2.200 0 1 0 0 4.400 2.200 2.200 0 0 0 0-4.400zM8 1.800v1.700M8 12.500v1.700M1.800 8h1.700M12.500 8h1.700M3.600 3.600l1.200 1.200M11.200 11.200l1.200 1.200M3.600 12.400l1.200-1.200M11.200 4.800l1.200-1.200",
  info: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 7.500v3.500M8 5v.2",
  key: "M9.700 6.300a3.200 3.200 0 1 0-2.300 3.300L8.600 8.400h1.600V6.900zM10.200 8.400L14 12.200v1.600h-2.200v-1.500h-1.500v-1.500",
  layers: "M8 2.200L1.800 5.500 8 8.800l6.200-3.300zM2 8.500l6 3.200 6-3.200M2 11l6 3.200L14 11",
  lightbulb: "M5.800 10.300a4.200 4.200 0 1 1 4.400 0v1.400H5.800zM6.300 13.700h3.400",
  link: "M6.800 9.200a2.800 2.800 0 0 0 4 0l2.200-2.200a2.800 2.800 0 0 0-4-4l-1 1M9.200 6.800a2.800 2.800 0 0 0-4 0L3 9a2.800 2.800 0 0 0 4 4l1-1",
  menu: "M2.500 4.500h11M2.500 8h11M2.500 11.500h11",
  more: "M3.500 8h.1M8 8h.1M12.500 8h.1",
  people:
    "M6 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM1.800 13.500c0-2.300 1.800-3.700 4.200-3.700s4.200 1.400 4.200 3.700M10.500 3.200a2.400 2.400 0 0 1 0 4.600M12 10c1.400.5 2.300 1.700 2.300 3.500",
  person: "M8 8a2.700 2.700 0 1 0 0-5.400A2.700 2.700 0 0 0 8 8zM3 13.800c0-2.500 2.100-4 5-4s5 1.500 5 4",
  play: "M5 3.200v9.600l7.500-4.800z",
  plug: "M5.500 2v3M10.500 2v3M3.500 5h9v2.500a4.500 4.500 0 0 1-9 0zM8 12v2.500",
  plus: "M8 3v10M3 8h10",
  pulse: "M1.5 8h3l2-4.500 3 9 2-4.500h3",
  receipt:
    "M3.500 2v12l1.500-1 1.500 1L8 13l1.500 1 1.500-1 1.500 1V2l-1.500 1L9.500 2 8 3 6.500 2 5 3zM6 6.500h4M6 9.500h4",
  search: "M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM10.300 10.300l3.400 3.400",
  split: "M2.500 4.500h11v7h-11zM6.500 4.500v7M10.500 4.500v7",
  stop: "M4 4h8v8H4z",
  tag: "M2.500 2.500h5l6 6-5 5-6-6zM5.300 5.300v.1",
  trend: "M2 12l4-4.500 3 2.500 5-6M10.500 4H14v3.500",
  undo: "M5.500 3.500l-3 3 3 3M2.500 6.500h7.300a3.200 3.200 0 0 1 0 6.400H6",
  warning: "M8 2.300L14.300 13.500H1.700zM8 6.500v3M8 11.500v.2",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, className = "size-4" }: { name: IconName; className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === "more" ? 2 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`shrink-0 ${className}`}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** Logo of the product. */
export function Mark({ className = "size-6" }: { className?: string }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" className={`shrink-0 ${className}`}>
      <rect width="16" height="16" rx="4" className="fill-accent-fill" />
      <path
        d="M4 12V4l4 5 4-5v8"
        fill="none"
        className="stroke-on-accent"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
