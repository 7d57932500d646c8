/** What goes wrong with exports, and what a merchant does on purpose that looks like it. */
import { anyHash, bitOf, HOSTS, type Shop, without } from "./shop.ts";

export type Accident = {
  readonly name: string;
  /** Does it to a share of the items. */
  readonly happen: (shop: Shop, share: number) => void;
};

const each = (change: (shop: Shop, id: string) => void): Accident["happen"] => {
  return (shop, share) => {
    for (const id of shop.some(share)) change(shop, id);
  };
};

const priced = (price: (before: number, shop: Shop) => number): Accident["happen"] =>
  each((shop, id) => {
    const before = shop.products.get(id)?.price ?? 0;
    shop.change(id, { price: Math.max(0, Math.round(price(before, shop))) });
  });

const lost = (field: Parameters<typeof bitOf>[0]): Accident["happen"] =>
  each((shop, id) => {
    const product = shop.products.get(id);
    if (product) shop.change(id, { filled: without(product, field) });
  });

/** Each of the items gets the value of the next one. */
const shuffled =
  (field: "title" | "link" | "image"): Accident["happen"] =>
  (shop, share) => {
    const ids = shop.some(share);
    const values = ids.map((id) => shop.products.get(id)?.[field] ?? 1);
    for (const [at, id] of ids.entries()) shop.change(id, { [field]: values[(at + 1) % values.length] ?? 1 });
  };

/** Of share 1, 0.5, 0.25 and 0.1 of the items. */
export const ACCIDENTS: readonly Accident[] = [
  { name: "prices are zero", happen: priced(() => 0) },
  { name: "prices × 100 (decimal mark lost)", happen: priced((price) => price * 100) },
  { name: "prices ÷ 100 (cents read as euros)", happen: priced((price) => price / 100) },
  { name: "prices × 10", happen: priced((price) => price * 10) },
  { name: "one price for all (a default value)", happen: priced(() => 100) },
  { name: "another currency code", happen: each((shop, id) => shop.change(id, { currency: "USD" })) },
  {
    name: "everything out of stock",
    happen: each((shop, id) => shop.change(id, { availability: "out_of_stock" })),
  },
  { name: "availability unknown", happen: each((shop, id) => shop.change(id, { availability: "unknown" })) },
  { name: "items gone (file cut short)", happen: each((shop, id) => shop.set(id, undefined)) },
  { name: "titles empty (rows rejected)", happen: each((shop, id) => shop.set(id, undefined)) },
  {
    name: "ids changed",
    happen: each((shop, id) => {
      const product = shop.products.get(id);
      shop.set(id, undefined);
      shop.set(`new-${id}`, product);
    }),
  },
  {
    name: "every item twice",
    happen: each((shop, id) => shop.set(`${id}-copy`, shop.products.get(id))),
  },
  {
    name: "links to a staging host",
    happen: each((shop, id) => shop.change(id, { linkHost: HOSTS.staging })),
  },
  {
    name: "images gone",
    happen: each((shop, id) => {
      const product = shop.products.get(id);
      if (product) shop.change(id, { filled: without(product, "image"), imageHost: 0 });
    }),
  },
  {
    name: "images on a staging host",
    happen: each((shop, id) => shop.change(id, { imageHost: HOSTS.staging })),
  },
  { name: "descriptions gone", happen: lost("description") },
  { name: "brands gone", happen: lost("brand") },
  { name: "GTINs gone", happen: lost("gtin") },
  { name: "categories gone", happen: lost("categories") },
  { name: "texts cut off", happen: each((shop, id) => shop.change(id, { bytes: 250 })) },
  {
    name: "texts with markup, five times as long",
    happen: each((shop, id) => shop.change(id, { bytes: 5 * (shop.products.get(id)?.bytes ?? 0) })),
  },
  { name: "tax left out (÷ 1.19)", happen: priced((price) => price / 1.19) },
  { name: "tax added (× 1.2)", happen: priced((price) => price * 1.2) },
  { name: "one title for all", happen: each((shop, id) => shop.change(id, { title: 7, titleStart: 7 })) },
  {
    name: "titles are the ids",
    happen: each((shop, id) =>
      shop.change(id, { title: anyHash(shop.random), titleStart: 7, isTitleId: true }),
    ),
  },
  {
    name: "titles cut off after 10 letters",
    happen: each((shop, id) => shop.change(id, { title: anyHash(shop.random), titleLength: 10 })),
  },
  { name: "titles of other items", happen: shuffled("title") },
  { name: "links of other items", happen: shuffled("link") },
  { name: "images of other items", happen: shuffled("image") },
  { name: "one description for all", happen: each((shop, id) => shop.change(id, { description: 7 })) },
  {
    name: "garbled letters (wrong encoding)",
    happen: each((shop, id) => shop.change(id, { title: anyHash(shop.random), isGarbled: true })),
  },
  { name: "every link to the home page", happen: each((shop, id) => shop.change(id, { link: 7 })) },
  { name: "one placeholder image for all", happen: each((shop, id) => shop.change(id, { image: 7 })) },
];

/** Done on purpose, once in a while. The guard asks, and a person promotes the render. */
export const DELIBERATE: readonly Accident[] = [
  {
    name: "the shop moves to another domain",
    happen: each((shop, id) => shop.change(id, { linkHost: HOSTS.newShop })),
  },
  {
    name: "the images move to another host",
    happen: each((shop, id) => shop.change(id, { imageHost: HOSTS.otherImages })),
  },
  {
    name: "holidays: everything out of stock",
    happen: each((shop, id) => shop.change(id, { availability: "out_of_stock" })),
  },
  {
    name: "the season changes overnight: half of the items",
    happen: (shop) => {
      for (const id of shop.some(0.5)) {
        const product = shop.products.get(id);
        shop.set(id, undefined);
        shop.set(shop.newId(), product);
      }
    },
  },
  { name: "another tax rate (× 1.02)", happen: priced((price) => price * 1.02) },
  { name: "all prices reduced by half", happen: priced((price) => price / 2) },
  {
    name: "another market: as many items again, in CHF",
    happen: each((shop, id) => {
      const product = shop.products.get(id);
      if (product) shop.set(`${id}-ch`, { ...product, currency: "CHF" });
    }),
  },
  {
    name: "a default brand for items without one",
    happen: each((shop, id) =>
      shop.change(id, { filled: (shop.products.get(id)?.filled ?? 0) | bitOf("brand") }),
    ),
  },
];
