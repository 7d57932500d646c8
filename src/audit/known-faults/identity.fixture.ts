/** Test cases of the rules about identity and variants. */
import { item } from "../perfect.fixture.ts";
import { faults, TEE, type KnownFault } from "./fault.fixture.ts";

export const IDENTITY_FAULTS: readonly KnownFault[] = [
  ...faults("identity.gtin_valid", [
    ["for one shop only", 0, item("stool", { gtin: "2000000000121" })],
    ["of a case", 6, item("stool", { gtin: "14006381000014" })],
  ]),
  ...faults("identity.gtin_unique", [
    ["the lamp's", 0, item("stool", { gtin: "4006381000048" })],
    ["the lamp's with a zero before it", 0, item("stool", { gtin: "04006381000048" })],
  ]),
  ...faults("identity.gtin_check_digit", [
    ["a wrong digit", 0, item(TEE, { gtin: undefined, barcode: "4006381000025" })],
    ["a lost zero", 0, item(TEE, { gtin: undefined, barcode: "36000291452" })],
  ]),
  ...faults("identity.identifier_present", [["none", 0, item("stool", { gtin: undefined })]]),
  ...faults("identity.identifier_claim", [
    ["a GTIN after all", 0, item("oil", { gtin: "4006381000062" })],
    ["an MPN after all", 0, item("oil", { mpn: "FG-OIL" })],
  ]),
  ...faults("identity.plain_codes", [
    ["a space in the id", 0, item("stool", { id: "oak stool" })],
    ["an accent in the SKU", 0, item("stool", { sku: "tabouret-chêne" })],
  ]),
  ...faults("identity.mpn_is_sku", [["the same", 0, item("stool", { mpn: "S-1", sku: "S-1" })]]),
  ...faults("identity.group_consistent", [
    ["the product itself", 0, item(TEE, { id: "tee", options: undefined })],
    [
      "a choice twice",
      0,
      item(TEE, {
        options: [
          { name: "Color", value: "Red" },
          { name: "Size", value: "S" },
        ],
        size: "S",
      }),
    ],
    [
      "other options",
      4,
      item(TEE, {
        options: [
          { name: "Color", value: "Red" },
          { name: "Fit", value: "Wide" },
        ],
      }),
    ],
    ["traits for options", 4, item(TEE, { options: undefined })],
    ["another brand", 6, item(TEE, { brand: "Fjell" })],
    ["another group title", 6, item(TEE, { groupTitle: "Another T-shirt" })],
  ]),
  ...faults("identity.variant_axes", [
    [
      "no attributes",
      0,
      item(TEE, {
        options: undefined,
        color: undefined,
        size: undefined,
        material: undefined,
        gender: undefined,
        ageGroup: undefined,
        googleCategory: "443",
        energyClass: "E",
      }),
    ],
  ]),
  ...faults("identity.variant_link", [
    ["a sibling's", 0, item(TEE, { link: "https://shop.example/tee?color=red&size=S" })],
  ]),
  ...faults("identity.variant_image", [
    [
      "that of another color",
      0,
      item("tee-blue-s", {
        images: ["https://cdn.shop.example/tee-red-1.jpg?v=3", "https://a.example/2", "https://a.example/3"],
      }),
    ],
  ]),
  ...faults("identity.group_single", [["alone in its group", 0, item("stool", { groupId: "stools" })]]),
  ...faults("identity.group_missing", [
    ["options only", 0, item("stool", { options: [{ name: "Wood", value: "Oak" }] })],
  ]),
];
