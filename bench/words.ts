/** Words of the generated shop. */
export const BRANDS = [
  "Fjord & Fern",
  "Kittelsen",
  "Atelier Noé",
  "Harbor Lane",
  "Größenwerk",
  "Maple Street Co.",
];

export const ADJECTIVES = ["Classic", "Relaxed", "Lightweight", "Everyday", "Heritage", "Compact", "Brushed"];

export const MATERIALS = ["Merino Wool", "Organic Cotton", "Linen", "Recycled Polyester", "Oak", "Stoneware"];

// The first three letters of a color are part of the variant's id, so they must differ.
export const COLORS = ["Moss", "Navy", "Charcoal", "Oat", "Rust", "Sky Blue", "Black", "Écru"];

export const SIZES = ["XS", "S", "M", "L", "XL"];

export const DEPARTMENTS = [
  { google: "1604", path: "Clothing > Tops & Knitwear", nouns: ["Sweater", "Cardigan", "Shirt", "Vest"] },
  { google: "5598", path: "Clothing > Outerwear > Jackets", nouns: ["Parka", "Overshirt", "Rain Jacket"] },
  { google: "654", path: "Home & Garden > Kitchen & Dining > Table", nouns: ["Bowl", "Plate", "Pitcher"] },
  { google: "569", path: "Home & Garden > Bed & Bath", nouns: ["Blanket", "Duvet Cover", "Towel"] },
  { google: "100", path: "Luggage & Bags > Backpacks", nouns: ["Daypack", "Roll-Top Pack", "Duffel"] },
] as const;

export const OPENINGS = [
  "Made for long days and short notice: our",
  "A quiet favorite of the workshop, the",
  "Designed in Gothenburg and made in small batches, this is the",
  "Built to be repaired rather than replaced, our",
];

export const FEATURES = [
  "The seams are felled by hand, so nothing rubs where it should not.",
  "Tested for 25,000 cycles, it keeps its shape, its color and its temper.",
  'A hidden pocket holds a phone of up to 6.7" and the keys you always look for.',
  "The yarn is spun by a family mill in Biella, dyed without heavy metals, and finished with plain steam.",
  "Packs flat into its own pouch (22 × 14 cm), which doubles as a pillow on the train.",
  "Dishwasher, oven and freezer safe; small differences in glaze are part of its charm.",
  "Every piece carries a number with which you can look up who made it, where, and from what.",
];

export const CARE = [
  "Wash at 30 °C with like colors, dry flat, and iron while it is still damp.",
  "Wipe with a soft cloth; oil it twice a year and it will outlive us all.",
  "Free returns within 30 days, repairs at cost for as long as you own it.",
];
