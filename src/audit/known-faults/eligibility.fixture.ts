/** Test cases of the eligibility rules. */
import { item, settings } from "../perfect.fixture.ts";
import { eur, fault, long, type KnownFault } from "./fault.fixture.ts";

export const ELIGIBILITY_FAULTS: readonly KnownFault[] = [
  fault("eligibility.id", "51 characters", 0, item("stool", { id: "s".repeat(51) })),
  fault("eligibility.title", "a filler word", 0, item("stool", { title: "N/A" })),
  fault("eligibility.title", "dummy text", 0, item("stool", { title: "Item 1" })),
  fault("eligibility.title", "151 characters", 8, item("stool", { title: long(151) })),
  fault("eligibility.description", "none", 0, item("stool", { description: undefined })),
  fault("eligibility.description", "a filler word", 0, item("stool", { description: "TBD" })),
  fault("eligibility.description", "dummy text", 0, item("stool", { description: "Product description" })),
  fault("eligibility.description", "5,001 characters", 8, item("stool", { description: long(5_001) })),
  fault("eligibility.link", "an IP address", 0, item("stool", { link: "https://192.0.2.7/stool" })),
  fault("eligibility.link", "a private name", 0, item("stool", { link: "https://shop.internal/stool" })),
  fault("eligibility.link_domain", "another site", 0, item("stool", { link: "https://mall.example/stool" })),
  fault("eligibility.https", "a plain page", 0, item("stool", { link: "http://shop.example/stool" })),
  fault(
    "eligibility.https",
    "a plain image",
    6,
    item("stool", {
      images: ["http://cdn.shop.example/1.jpg", "https://a.example/2", "https://a.example/3"],
    }),
  ),
  fault("eligibility.image", "none", 0, item("stool", { images: undefined })),
  fault(
    "eligibility.image",
    "a drawing",
    4,
    item("stool", { images: ["https://a.example/1.svg?x=1", "https://a.example/2", "https://a.example/3"] }),
  ),
  fault(
    "eligibility.image_placeholder",
    "a placeholder",
    0,
    item("stool", {
      images: ["https://a.example/no-image.gif", "https://a.example/2", "https://a.example/3"],
    }),
  ),
  fault("eligibility.price", "zero", 0, item("stool", { price: eur("0.00") })),
  fault("eligibility.availability", "unknown", 0, item("lamp", { availability: "unknown" })),
  fault("eligibility.brand", "none", 0, item("stool", { brand: undefined })),
  fault("eligibility.brand", "a filler word", 0, item("stool", { brand: "n/a" })),
  fault(
    "eligibility.brand",
    "what Google takes for none",
    4,
    item("stool", { brand: "Generic", title: "Generic stool of solid oak, oiled" }),
  ),
  fault(
    "eligibility.brand",
    "71 characters",
    8,
    item("stool", { brand: "b".repeat(71), title: `${"b".repeat(71)} stool` }),
  ),
  fault("eligibility.adult", "for adults only", 0, item("stool", { adult: true })),
  fault("eligibility.seller_name", "not set", 0, settings({ sellerName: undefined })),
  fault("eligibility.store_facts", "one not set", 9, settings({ targetCountries: undefined })),
  fault("eligibility.checkout", "no terms", 0, settings({ termsUrl: undefined })),
  fault("eligibility.checkout", "search is off", 0, settings({ eligibleForSearch: false })),
];
