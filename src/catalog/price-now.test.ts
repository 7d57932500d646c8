import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Item } from "./item.ts";
import { offerAt } from "./price-now.ts";

const price = { amount: "20.00", currency: "EUR" };
const salePrice = { amount: "15.00", currency: "EUR" };
const mug: Item = { id: "1", title: "Mug", link: "https://shop.example/1", price, availability: "in_stock" };
const from = "2026-11-01T00:00:00.000Z";
const to = "2026-11-30T23:59:59.999Z";

test("a sale without dates always runs", () => {
  assert.deepEqual(offerAt({ ...mug, salePrice }, new Date(from)), { price, salePrice, nextChangeAt: null });
  assert.deepEqual(offerAt(mug, new Date(from)), { price, nextChangeAt: null });
});

test("a sale includes its start and excludes its end", () => {
  const item: Item = { ...mug, salePrice, saleFrom: from, saleTo: to };

  assert.deepEqual(offerAt(item, new Date("2026-10-31T23:59:59.999Z")), { price, nextChangeAt: from });
  assert.deepEqual(offerAt(item, new Date(from)), { price, salePrice, nextChangeAt: to });
  assert.deepEqual(offerAt(item, new Date("2026-11-30T23:59:59.998Z")), {
    price,
    salePrice,
    nextChangeAt: to,
  });
  assert.deepEqual(offerAt(item, new Date(to)), { price, nextChangeAt: null });
});

test("an item is free during a sale at zero, and has its price before and after", () => {
  const free = { amount: "0.00", currency: "EUR" };
  const item: Item = { ...mug, salePrice: free, saleFrom: from, saleTo: to };

  assert.deepEqual(offerAt(item, new Date("2026-10-31")), { price, nextChangeAt: from });
  assert.deepEqual(offerAt(item, new Date("2026-11-15")), { price: free, nextChangeAt: to });
  assert.deepEqual(offerAt(item, new Date(to)), { price, nextChangeAt: null });
});

test("the availability date and the expiration date change the feed", () => {
  const dates = { availabilityDate: "2026-12-01T00:00:00.000Z", expiresAt: "2026-12-31T00:00:00.000Z" };
  const at = (availability: Item["availability"], now: string): string | null =>
    offerAt({ ...mug, availability, ...dates }, new Date(now)).nextChangeAt;

  assert.equal(at("preorder", "2026-11-15"), dates.availabilityDate);
  assert.equal(at("backorder", "2026-11-15"), dates.availabilityDate);
  assert.equal(at("in_stock", "2026-11-15"), dates.expiresAt);
  assert.equal(at("preorder", "2026-12-15"), dates.expiresAt);
  assert.equal(at("preorder", "2027-01-01"), null);
});

test("between now and the next change the offer stays as it is", () => {
  const instant = fc.date({ min: new Date("2026-01-01"), max: new Date("2027-01-01"), noInvalidDate: true });
  const item = fc
    .record({ saleFrom: instant, saleTo: instant, expiresAt: instant }, { requiredKeys: [] })
    .map((dates): Item => {
      const texts = Object.entries(dates).map(([field, date]) => [field, date.toISOString()]);
      return { ...mug, salePrice, ...Object.fromEntries(texts) };
    });

  fc.assert(
    fc.property(item, instant, fc.double({ min: 0, max: 1, noNaN: true }), (offer, now, share) => {
      const { nextChangeAt, ...today } = offerAt(offer, now);
      const end = nextChangeAt === null ? now.getTime() + 1e12 : Date.parse(nextChangeAt);
      assert.ok(end > now.getTime());
      const between = new Date(now.getTime() + Math.floor((end - 1 - now.getTime()) * share));
      assert.deepEqual(offerAt(offer, between), { ...today, nextChangeAt });
    }),
  );
});
