// Draws the pictures of the shop. Each is a separate file, so that pages can have a policy that forbids inline styles.

/** Pseudo-random numbers from 0 to 1. The same seed gives the same numbers. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

const svg = (width, height, inside) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${inside}</svg>\n`;

/** A mountain ridge from left to right, with its base below the picture. */
function ridge(seed, colour, at, rough) {
  const next = numbers(seed);
  let points = [at + (next() - 0.5) * rough, at + (next() - 0.5) * rough];
  for (let size = rough; points.length < 60; size *= 0.52) {
    points = points.flatMap((here, index) => {
      const after = points[index + 1];
      return after === undefined ? [here] : [here, (here + after) / 2 + (next() - 0.5) * size];
    });
  }
  const line = points.map((y, index) => `${Math.round((index * 1200) / (points.length - 1))} ${Math.round(y)}`);
  return `<path fill="${colour}" d="M0 700L${line.join("L")}L1200 700z"/>`;
}

function trees(seed, colour, ground) {
  const next = numbers(seed);
  let path = "";
  for (let x = -20; x < 1220; x += 16 + next() * 26) {
    const tall = 46 + next() * 74;
    const wide = tall * 0.19;
    const foot = ground + next() * 16;
    path += `M${Math.round(x - wide)} ${Math.round(foot)}L${Math.round(x)} ${Math.round(foot - tall)}L${Math.round(x + wide)} ${Math.round(foot)}z`;
  }
  return `<path fill="${colour}" d="${path}"/><rect fill="${colour}" y="${ground}" width="1200" height="300"/>`;
}

const sky = (top, bottom) =>
  `<linearGradient id="s" x2="0" y2="1"><stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient><rect width="1200" height="700" fill="url(#s)"/>`;

const pitched = (x, y, size, colour, light) =>
  `<g transform="translate(${x} ${y}) scale(${size})"><path fill="${colour}" d="M-70 0Q-58-62 0-78Q58-62 70 0z"/><path fill="${light}" d="M-22 0Q-14-44 0-60Q14-44 22 0z"/><path fill="none" stroke="#0003" stroke-width="2.5" d="M-70 0Q-58-62 0-78Q58-62 70 0"/></g>`;

const stars = (seed, count) => {
  const next = numbers(seed);
  let inside = "";
  for (let nth = 0; nth < count; nth += 1) {
    inside += `<circle cx="${Math.round(next() * 1200)}" cy="${Math.round(next() * 330)}" r="${(0.8 + next() * 1.5).toFixed(1)}"/>`;
  }
  return `<g fill="#fff" opacity=".75">${inside}</g>`;
};

const SCENES = {
  hero: [
    sky("#f0c9a0", "#f7ead6"),
    '<circle cx="860" cy="265" r="62" fill="#fff3dc"/>',
    ridge(7, "#c9a692", 330, 210),
    ridge(21, "#94887f", 405, 190),
    ridge(5, "#57706a", 480, 150),
    ridge(33, "#31524a", 550, 110),
    trees(3, "#1f3a34", 628),
    pitched(930, 640, 0.62, "#d0713f", "#f6cf9c"),
  ],
  "hero-light": [
    sky("#a9c9d6", "#eef1e6"),
    '<circle cx="300" cy="210" r="54" fill="#fffbe9"/>',
    ridge(11, "#b5c4c4", 320, 220),
    ridge(25, "#86a3a0", 400, 180),
    ridge(41, "#5b8378", 490, 140),
    ridge(13, "#3f6b52", 570, 90),
    trees(9, "#27493b", 640),
  ],
  "hero-snow": [
    sky("#7f97b4", "#dfe6ee"),
    ridge(17, "#c3cfdb", 310, 230),
    ridge(29, "#e3e9ef", 400, 200),
    ridge(37, "#f4f6f8", 500, 140),
    trees(15, "#2c4250", 640),
    '<rect y="652" width="1200" height="60" fill="#f7f9fb"/>',
  ],
  dusk: [
    sky("#232a4d", "#d98b6a"),
    stars(4, 70),
    ridge(19, "#6a4a63", 390, 170),
    ridge(45, "#3a3350", 470, 130),
    trees(23, "#171b2b", 600),
    pitched(640, 606, 0.95, "#e39a52", "#ffe2a6"),
  ],
  lake: [
    sky("#c3dbe2", "#f3f0e2"),
    ridge(31, "#8fb0b0", 340, 190),
    ridge(47, "#557f78", 420, 120),
    '<rect y="470" width="1200" height="230" fill="#9fc0c6"/>',
    '<g stroke="#fff" stroke-opacity=".55" stroke-width="4" stroke-linecap="round"><path d="M150 520h190M520 560h260M860 510h120M300 620h330M800 640h250"/></g>',
    trees(27, "#2f5347", 668),
  ],
  forest: [
    sky("#dfe6cf", "#f4f1e2"),
    ridge(53, "#b9c6a4", 420, 110),
    trees(35, "#8da37d", 470),
    trees(39, "#587355", 550),
    trees(51, "#2b473a", 640),
    '<path fill="#e6d9b8" d="M520 700Q600 610 560 560Q540 530 566 510L580 510Q566 535 600 566Q660 620 690 700z"/>',
  ],
};

/** The drawing of a product by category, on a canvas of 400 by 320. */
const THINGS = {
  stoves: (colour) =>
    `<path fill="#f2b25a" d="M200 62c26 34 36 54 36 76a36 36 0 0 1-72 0c0-14 6-26 14-36 2 12 8 18 14 20-2-22 0-40 8-60z"/><path fill="#fff0c4" d="M202 116c12 14 16 22 16 32a17 17 0 0 1-34 0c0-10 6-18 10-22 2 6 4 8 8 8 0-6-2-12 0-18z"/><path fill="#3a4242" d="M140 178h120l10 12H130zM150 190h10l-6 22h-8zM250 190h-10l6 22h8z"/><rect x="176" y="190" width="48" height="22" rx="5" fill="#59625f"/><rect x="150" y="212" width="100" height="58" rx="16" fill="${colour}"/><rect x="150" y="232" width="100" height="12" fill="#fff" opacity=".3"/>`,
  boots: (colour) =>
    `<path fill="${colour}" d="M138 74h78q4 50 12 74q38 14 66 40q14 14 12 42H134q-8-46-2-86z"/><path fill="#0002" d="M138 74h78l3 26h-84z"/><path fill="#2b2f2e" d="M130 230h178q4 26-12 28H144q-14 0-14-28z"/><g stroke="#f3e6c8" stroke-width="6" stroke-linecap="round"><path d="M196 118l26-8M202 142l28-10M216 162l26-12M240 176l20-14"/></g><path fill="none" stroke="#fff" stroke-opacity=".3" stroke-width="5" d="M140 210h146"/>`,
  socks: (colour) =>
    `<path fill="${colour}" d="M150 62h78v110q0 14 16 22l42 22q22 14 10 38-8 14-34 10l-84-12q-34-6-32-44z"/><path fill="#f3e6c8" d="M150 62h78v26h-78zM252 200l34 17q22 14 10 38-5 9-18 10-24-24-26-65z"/><path stroke="#fff" stroke-opacity=".35" stroke-width="7" d="M150 112h78M150 136h78"/>`,
  jackets: (colour) =>
    `<path fill="${colour}" d="M160 66q40 26 80 0l44 24 34 118-36 12-26-74 2 124H142l2-124-26 74-36-12 34-118z"/><path fill="#0003" d="M160 66q40 26 80 0l8 12q-48 34-96 0z"/><path stroke="#fff" stroke-opacity=".6" stroke-width="5" d="M200 92v178"/><path stroke="#0003" stroke-width="6" stroke-linecap="round" d="M158 196l24 26M242 196l-24 26"/>`,
  tents: (colour) =>
    `<path fill="#0001" d="M60 262h280l-14 14H74z"/><path fill="${colour}" d="M66 262Q98 128 200 84q102 44 134 178z"/><path fill="#0002" d="M200 84q102 44 134 178h-70Q250 150 200 84z"/><path fill="#f6dca8" d="M152 262q14-84 48-128 34 44 48 128z"/><path fill="none" stroke="#fff" stroke-opacity=".55" stroke-width="5" d="M66 262Q98 128 200 84q102 44 134 178M200 134v128"/>`,
  packs: (colour) =>
    `<rect x="128" y="92" width="144" height="178" rx="40" fill="${colour}"/><path fill="#0002" d="M128 140q72 40 144 0v-10q0-48-40-56-32-8-64 0-40 8-40 56z"/><rect x="150" y="184" width="100" height="66" rx="16" fill="#fff" opacity=".22"/><path fill="none" stroke="#2b2f2e" stroke-width="8" stroke-linecap="round" d="M176 74q24-26 48 0M200 148v26"/><rect x="106" y="168" width="24" height="78" rx="12" fill="#59625f"/><rect x="270" y="168" width="24" height="78" rx="12" fill="#59625f"/>`,
  "sleeping-bags": (colour) =>
    `<path fill="${colour}" d="M126 232Q96 96 176 62q52-14 84 34 30 52 40 124 4 44-54 48H176q-42-2-50-36z"/><path fill="#f3e6c8" d="M176 92q34-22 62 10 8 34-26 44-40 4-46-24 0-20 10-30z"/><g fill="none" stroke="#fff" stroke-opacity=".35" stroke-width="5"><path d="M130 166q76 30 156 0M128 204q80 30 166 2M136 242q78 22 158-2"/></g>`,
};

/** All pictures: content by file name. */
export function pictures(goods) {
  const files = new Map();
  for (const [name, parts] of Object.entries(SCENES)) files.set(`${name}.svg`, svg(1200, 700, parts.join("")));
  for (const { id, category, colour } of goods) {
    const draw = THINGS[id === "merino-hike" ? "socks" : category];
    const field = `<rect width="400" height="320" fill="${colour}" opacity=".13"/><ellipse cx="200" cy="276" rx="128" ry="10" opacity=".1"/>`;
    files.set(`${id}.svg`, svg(400, 320, field + draw(colour)));
  }
  files.set(
    "mark.svg",
    svg(
      32,
      32,
      '<rect width="32" height="32" rx="8" fill="#1f3a34"/><path fill="#e7a06b" d="M4 24L13 9l5 8 3-4 7 11z"/>',
    ),
  );
  return files;
}
