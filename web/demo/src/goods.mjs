// Products for sale and for rent. The pages are generated from them, and the browser looks up names and prices here.

export const CATEGORIES = [
  { id: "stoves", name: "Stoves", line: "Boil water at minus ten, or simmer lentils at plus twenty." },
  { id: "boots", name: "Boots", line: "Lasts that fit feet, soles that can be replaced." },
  { id: "jackets", name: "Jackets", line: "Three layers against weather nobody ordered." },
  { id: "tents", name: "Tents", line: "Pitched in four minutes, dry for a week." },
  { id: "packs", name: "Packs", line: "Loads that sit on the hips and leave the shoulders free." },
  { id: "sleeping-bags", name: "Sleeping bags", line: "Down that can be traced, warm to what the label says." },
];

/** Prices in euro; `facts` are rows of a table, in the same order within a category. */
export const GOODS = [
  good("stoves", "ember-one", "Ember One", 49, "#b4532a", "A gas burner the size of a matchbox.", [
    ["Weight", "74 g"],
    ["Fuel", "Gas"],
    ["One litre boils in", "4:10 min"],
  ]),
  good("stoves", "ember-duo", "Ember Duo", 89, "#c0762f", "A burner with a pot that keeps the wind out.", [
    ["Weight", "356 g"],
    ["Fuel", "Gas"],
    ["One litre boils in", "2:40 min"],
  ]),
  good("stoves", "larch-wood", "Larch Wood", 129, "#6b6f3a", "Burns twigs, folds flat, needs no cartridge.", [
    ["Weight", "410 g"],
    ["Fuel", "Wood"],
    ["One litre boils in", "7:30 min"],
  ]),
  good("stoves", "polar-multi", "Polar Multi", 189, "#31606b", "Petrol, paraffin or gas, down to minus thirty.", [
    ["Weight", "485 g"],
    ["Fuel", "Petrol, gas"],
    ["One litre boils in", "3:20 min"],
  ]),
  good("stoves", "spark-spirit", "Spark Spirit", 49, "#77506b", "Nothing that can break, nothing that hisses.", [
    ["Weight", "31 g"],
    ["Fuel", "Spirit"],
    ["One litre boils in", "9:00 min"],
  ]),
  good("stoves", "hearth-two", "Hearth Two", 240, "#8a3f35", "Two flames and a lid, for camps with a car.", [
    ["Weight", "3.1 kg"],
    ["Fuel", "Gas"],
    ["One litre boils in", "3:50 min"],
  ]),
  good("boots", "granite-mid", "Granite Mid", 189, "#5d564c", "For rock and for the wet way down.", [
    ["Weight of a pair", "1,080 g"],
    ["Upper", "Nubuck leather"],
    ["Sole", "Can be replaced twice"],
  ]),
  good("boots", "granite-low", "Granite Low", 129, "#7a6a4f", "The same sole under a lighter shoe.", [
    ["Weight of a pair", "760 g"],
    ["Upper", "Leather and mesh"],
    ["Sole", "Can be replaced once"],
  ]),
  good("boots", "merino-hike", "Merino Hike socks", 17, "#31606b", "Thick where boots rub, thin where feet sweat.", [
    ["Weight of a pair", "78 g"],
    ["Wool", "70 % merino"],
    ["Wash", "30 °C, every third day"],
  ]),
  good("jackets", "stormline-shell", "Stormline Shell", 349, "#b4532a", "A shell for days that begin sideways.", [
    ["Weight", "395 g"],
    ["Water column", "28,000 mm"],
    ["Repairs", "For as long as you walk"],
  ]),
  good("jackets", "fell-wind", "Fell Wind", 89, "#3f6b52", "Ninety grams between you and the ridge.", [
    ["Weight", "92 g"],
    ["Water column", "Showers only"],
    ["Repairs", "For as long as you walk"],
  ]),
  good("jackets", "lichen-down", "Lichen Down", 240, "#8a7a2f", "Warm before the kettle is.", [
    ["Weight", "340 g"],
    ["Filling", "800 cuin, traced"],
    ["Repairs", "For as long as you walk"],
  ]),
  good("tents", "tarn-2", "Tarn 2", 349, "#3f6b52", "Two people, four minutes, one pole to think about.", [
    ["Weight", "1,740 g"],
    ["Floor", "130 × 220 cm"],
    ["Stands", "Free"],
  ]),
  good("tents", "tarn-1", "Tarn 1", 240, "#6b6f3a", "A room of one's own at 1,150 grams.", [
    ["Weight", "1,150 g"],
    ["Floor", "85 × 215 cm"],
    ["Stands", "Free"],
  ]),
  good("tents", "canopy-tarp", "Canopy Tarp", 129, "#31606b", "Three by three metres of roof.", [
    ["Weight", "540 g"],
    ["Floor", "None"],
    ["Stands", "Between trees"],
  ]),
  good("packs", "saddle-45", "Saddle 45", 189, "#31606b", "Four days of food, and it still sits.", [
    ["Weight", "1,290 g"],
    ["Volume", "45 l"],
    ["Back", "42 to 54 cm"],
  ]),
  good("packs", "saddle-20", "Saddle 20", 89, "#b4532a", "For the day that the hut keeps the rest.", [
    ["Weight", "640 g"],
    ["Volume", "20 l"],
    ["Back", "One size"],
  ]),
  good("sleeping-bags", "lyra-400", "Lyra 400", 240, "#4a4a78", "Three seasons of down, zipped on the left.", [
    ["Weight", "860 g"],
    ["Comfort", "-2 °C"],
    ["Filling", "400 g, traced"],
  ]),
  good("sleeping-bags", "lyra-200", "Lyra 200", 189, "#77506b", "Summer, huts, and friends' floors.", [
    ["Weight", "520 g"],
    ["Comfort", "6 °C"],
    ["Filling", "200 g, traced"],
  ]),
];

/** Products for rent; prices in euro per night. */
export const RENTAL = [
  { id: "rent-tent-1", name: "Tarn 1, a tent for one", night: 9, of: "tarn-1" },
  { id: "rent-tent-2", name: "Tarn 2, a tent for two", night: 12, of: "tarn-2" },
  { id: "rent-tarp", name: "Canopy Tarp, three by three metres", night: 5, of: "canopy-tarp" },
  { id: "rent-bag-warm", name: "Lyra 400, warm to -2 °C", night: 7, of: "lyra-400" },
  { id: "rent-bag-light", name: "Lyra 200, warm to 6 °C", night: 5, of: "lyra-200" },
  { id: "rent-stove", name: "Ember Duo with its pot", night: 4, of: "ember-duo" },
  { id: "rent-stove-winter", name: "Polar Multi with a bottle", night: 6, of: "polar-multi" },
  { id: "rent-pack", name: "Saddle 45, fitted to the back", night: 6, of: "saddle-45" },
];

/** The kit for the visitor's answers. A question without an answer counts as its second choice. */
export function kitFor({ where = "fell", people = "2", nights = "2" }) {
  const heads = Number(people);
  const tent = heads === 1 ? "rent-tent-1" : "rent-tent-2";
  const kit = [
    [tent, Math.ceil(heads / 2)],
    [where === "forest" ? "rent-bag-light" : "rent-bag-warm", heads],
    [where === "winter" ? "rent-stove-winter" : "rent-stove", 1],
    ["rent-pack", heads],
  ];
  if (where === "forest") kit.push(["rent-tarp", 1]);
  const items = kit.map(([id, count]) => ({ ...RENTAL.find((each) => each.id === id), count }));
  return {
    items,
    nights: Number(nights),
    price: items.reduce((sum, { night, count }) => sum + night * count * Number(nights), 0),
  };
}

function good(category, id, name, price, colour, line, facts) {
  return { id, category, name, price, colour, line, facts, path: `/${category}/${id}`, image: `/img/${id}.svg` };
}

export const goodOf = (id) => GOODS.find((each) => each.id === id);

/** `1,240 €` */
export const euro = (amount) => `${amount.toLocaleString("en-IE", { maximumFractionDigits: 2 })} €`;
