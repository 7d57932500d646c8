/** Test cases of the rules about offers and freshness. */
import { freshness, item, settings } from "../perfect.fixture.ts";
import { eur, faults, RATE, TEE, type KnownFault } from "./fault.fixture.ts";

export const OFFER_FAULTS: readonly KnownFault[] = [
  ...faults("offer.sale_below_price", [["no reduction", 0, item("lamp", { salePrice: eur("59.00") })]]),
  ...faults("eligibility.price", [["zero in a running sale", 0, item("lamp", { salePrice: eur("0.00") })]]),
  ...faults("offer.sale_below_price", [
    [
      "zero, in a sale to come",
      0,
      item("lamp", {
        salePrice: eur("0.00"),
        saleFrom: "2027-01-01T00:00:00.000Z",
        saleTo: "2027-01-02T00:00:00.000Z",
      }),
    ],
    ["another currency", 0, item("lamp", { salePrice: { amount: "1.00", currency: "USD" } })],
    [
      "ends before it begins",
      0,
      item("lamp", { saleFrom: "2027-01-02T00:00:00.000Z", saleTo: "2027-01-01T00:00:00.000Z" }),
    ],
    ["over", 6, item("lamp", { saleTo: "2026-11-10T00:00:00.000Z" })],
  ]),
  ...faults("offer.sale_dates", [["no end", 0, item("lamp", { saleTo: undefined })]]),
  ...faults("offer.single_currency", [
    [
      "dollars",
      0,
      item("stool", { price: { amount: "59.00", currency: "USD" }, shipping: undefined, isDigital: true }),
    ],
  ]),
  ...faults("offer.price_plausible", [
    ["one cent", 0, item("stool", { price: eur("0.01") })],
    ["all nines", 0, item("stool", { price: eur("999999.99") })],
    ["far above its siblings", 3, item(TEE, { price: eur("4100.00") })],
    ["far below its siblings", 3, item(TEE, { price: eur("0.41") })],
  ]),
  ...faults("offer.stock_consistent", [
    ["none in stock", 0, item("lamp", { quantity: 0 })],
    ["some out of stock", 0, item("lamp", { availability: "out_of_stock" })],
  ]),
  ...faults("offer.availability_date", [
    ["a pre-order without", 0, item("stool", { availabilityDate: undefined })],
    ["a backorder without", 6, item("stool", { availability: "backorder", availabilityDate: undefined })],
    ["a pre-order with a past date", 0, item("stool", { availabilityDate: "2026-11-01T00:00:00.000Z" })],
    [
      "a backorder with a past date",
      6,
      item("stool", { availability: "backorder", availabilityDate: "2026-11-01T00:00:00.000Z" }),
    ],
    ["in two years", 6, item("stool", { availabilityDate: "2028-11-01T00:00:00.000Z" })],
  ]),
  ...faults("offer.shipping_valid", [
    [
      "another currency",
      0,
      item("stool", { shipping: [{ ...RATE, price: { amount: "5.00", currency: "USD" } }] }),
    ],
    ["two kinds of area", 6, item("stool", { shipping: [{ ...RATE, region: "BY", postalCode: "80331" }] })],
    ["half a time", 6, item("stool", { shipping: [{ ...RATE, minTransit: 1 }] })],
    ["two rates for one service", 6, item("stool", { shipping: [RATE, { ...RATE, price: eur("9.90") }] })],
  ]),
  ...faults("offer.shipping", [["none", 0, item("stool", { shipping: undefined })]]),
  ...faults("offer.returns", [
    ["not stated", 0, settings({ acceptsReturns: undefined })],
    ["days for nothing", 6, item("stool", { returns: { accepted: false, days: 14 } })],
  ]),
  ...faults("offer.unit_price", [["none", 0, item("oil", { unitPricing: undefined })]]),
  ...faults("fresh.sync", [
    [
      "two intervals ago",
      0,
      freshness({
        lastSyncAt: new Date("2026-11-14T23:59:59.000Z"),
        publishedAt: new Date("2026-11-15T11:05:00.000Z"),
      }),
    ],
  ]),
  ...faults("fresh.published", [
    ["older than the catalog", 0, freshness({ publishedAt: new Date("2026-11-15T10:00:00.000Z") })],
    ["never", 0, freshness({ publishedAt: null })],
  ]),
  ...faults("fresh.expiry", [
    ["over", 0, item("lamp", { expiresAt: "2026-11-14T00:00:00.000Z" })],
    ["in two months", 6, item("lamp", { expiresAt: "2027-01-15T00:00:00.000Z" })],
  ]),
];
