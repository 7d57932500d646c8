/** Test cases of the eligibility rules. */
import { item, settings } from "../perfect.fixture.ts";
import { eur, faults, long, type KnownFault } from "./fault.fixture.ts";

export const ELIGIBILITY_FAULTS: readonly KnownFault[] = [
  ...faults("eligibility.id", [["51 characters", 0, item("stool", { id: "s".repeat(51) })]]),
  ...faults("eligibility.title", [
    ["a filler word", 0, item("stool", { title: "N/A" })],
    ["dummy text", 4, item("stool", { title: "Item 1" })],
    ["151 characters", 8, item("stool", { title: long(151) })],
  ]),
  ...faults("eligibility.description", [
    ["none", 0, item("stool", { description: undefined })],
    ["a filler word", 0, item("stool", { description: "TBD" })],
    ["dummy text", 4, item("stool", { description: "Product description" })],
    ["5,001 characters", 8, item("stool", { description: long(5_001) })],
  ]),
  ...faults("eligibility.link", [["none", 0, item("stool", { link: undefined })]]),
  ...faults("eligibility.url_length", [
    ["2,021 characters", 0, item("stool", { link: `https://shop.example/${"a".repeat(2_000)}` })],
  ]),
  ...faults("eligibility.public_host", [
    ["an IP address", 0, item("stool", { link: "https://192.0.2.7/stool" })],
    ["a private name", 0, item("stool", { link: "https://shop.internal/stool" })],
    [
      "an image on a private host",
      0,
      item("stool", { images: ["https://localhost/1", "https://a.example/2", "https://a.example/3"] }),
    ],
  ]),
  ...faults("eligibility.link_domain", [
    ["another site", 0, item("stool", { link: "https://mall.example/stool" })],
  ]),
  ...faults("eligibility.https", [
    ["a plain page", 0, item("stool", { link: "http://shop.example/stool" })],
    [
      "a plain image",
      6,
      item("stool", {
        images: ["http://cdn.shop.example/1.jpg", "https://a.example/2", "https://a.example/3"],
      }),
    ],
  ]),
  ...faults("eligibility.image", [
    ["none", 0, item("stool", { images: undefined })],
    [
      "a drawing",
      4,
      item("stool", {
        images: ["https://a.example/1.svg?x=1", "https://a.example/2", "https://a.example/3"],
      }),
    ],
  ]),
  ...faults("eligibility.image_placeholder", [
    [
      "a placeholder",
      0,
      item("stool", {
        images: ["https://a.example/no-image.gif", "https://a.example/2", "https://a.example/3"],
      }),
    ],
    [
      "a name like that of a placeholder",
      4,
      item("stool", {
        images: [
          "https://a.example/shop-placeholder-large.png",
          "https://a.example/2",
          "https://a.example/3",
        ],
      }),
    ],
  ]),
  ...faults("eligibility.price", [["zero", 0, item("stool", { price: eur("0.00") })]]),
  ...faults("eligibility.subscription_price", [
    [
      "zero",
      0,
      item("stool", {
        price: eur("0.00"),
        google: { subscription_cost: [{ period: "month", period_length: "12", amount: "35.00 EUR" }] },
      }),
    ],
  ]),
  ...faults("eligibility.availability", [["unknown", 0, item("lamp", { availability: "unknown" })]]),
  ...faults("eligibility.brand", [
    ["none", 0, item("stool", { brand: undefined })],
    ["a filler word", 0, item("stool", { brand: "n/a" })],
    [
      "what Google takes for none",
      4,
      item("stool", { brand: "Generic", title: "Generic stool of solid oak, oiled" }),
    ],
    ["71 characters", 8, item("stool", { brand: "b".repeat(71), title: `${"b".repeat(71)} stool` })],
  ]),
  ...faults("eligibility.adult", [["for adults only", 0, item("stool", { adult: true })]]),
  ...faults("eligibility.seller_name", [["not set", 0, settings({ sellerName: undefined })]]),
  ...faults("eligibility.store_facts", [["one not set", 9, settings({ targetCountries: undefined })]]),
  ...faults("eligibility.checkout", [
    ["no terms", 0, settings({ termsUrl: undefined })],
    ["search is off", 0, settings({ eligibleForSearch: false })],
  ]),
];
