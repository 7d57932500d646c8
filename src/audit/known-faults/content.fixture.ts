/** Test cases of the rules about content and classification. */
import { describe, item } from "../perfect.fixture.ts";
import { faults, long, TEE, type KnownFault } from "./fault.fixture.ts";

export const CONTENT_FAULTS: readonly KnownFault[] = [
  ...faults("content.title_quality", [
    ["promotional text", 3, item("stool", { title: "Fjellgarn stool of solid oak, free shipping" })],
    ["capitals", 3, item("stool", { title: "FJELLGARN STOOL OF SOLID OAK, OILED" })],
    ["a word", 4, item("stool", { title: "Fjellgarn" })],
    ["stars", 6, item("stool", { title: "★ Fjellgarn stool of solid oak, oiled ★" })],
    ["doubled marks", 6, item("stool", { title: "Fjellgarn stool of solid oak, oiled!!" })],
    ["short", 8, item("stool", { title: "Fjellgarn stool of oak" })],
  ]),
  ...faults("content.description_depth", [
    ["100 characters", 5, item("stool", { description: long(100) })],
    ["the title", 0, item("stool", { description: "Fjellgarn stool of solid oak, oiled" })],
    [
      "the title and a few words",
      0,
      item("stool", { description: "Fjellgarn stool of solid oak, oiled – from our workshop." }),
    ],
    ["a part of the title", 0, item("stool", { description: "Stool of solid oak" })],
  ]),
  ...faults("content.description_unique", [
    [
      "the lamp's opening",
      0,
      item("stool", {
        description: `${describe("Fjellgarn reading lamp with a shade of wool").slice(0, 200)} and so on, at some length that the other one has not got.`,
      }),
    ],
  ]),
  ...faults("content.description_neutral", [
    [
      "an address",
      0,
      item("stool", { description: `${describe("The stool")} See www.shop.example for more.` }),
    ],
    [
      "an e-mail address",
      0,
      item("stool", { description: `${describe("The stool")} Ask ola@shop.example for more.` }),
    ],
    ["promotional text", 6, item("stool", { description: `${describe("The stool")} Free shipping.` })],
  ]),
  ...faults("content.images_extra", [
    ["one", 4, item("stool", { images: ["https://a.example/1.jpg"] })],
    ["two", 8, item("stool", { images: ["https://a.example/1.jpg", "https://a.example/2.jpg"] })],
  ]),
  ...faults("content.clean_text", [
    ["a tag in the title", 0, item("stool", { title: "Fjellgarn stool of <b>solid</b> oak, oiled" })],
    ["an entity", 6, item("stool", { description: `${describe("The stool")} Oak &amp; oil.` })],
    ["a template", 6, item("stool", { description: `${describe("The stool")} {{ more }}` })],
    ["a wrong encoding", 6, item("stool", { description: `${describe("The stool")} Eine schÃ¶ne Sache.` })],
  ]),
  ...faults("content.title_brand", [
    ["not named", 0, item("stool", { title: "A stool of solid oak, oiled twice" })],
  ]),
  ...faults("content.highlights", [["one", 0, item("stool", { highlights: ["Made to be repaired"] })]]),
  ...faults("class.category", [
    ["none", 0, item("stool", { googleCategory: undefined })],
    ["no such number", 0, item("stool", { googleCategory: "172" })],
    ["no such root", 0, item("stool", { googleCategory: "Stools" })],
    ["an invented path", 0, item("stool", { googleCategory: "Foo > Bar" })],
    ["a path that cannot be looked up", 0, item("stool", { googleCategory: "Möbler > Pallar" })],
    ["a root", 4, item("stool", { googleCategory: "Furniture" })],
    ["a root in German", 4, item("stool", { googleCategory: "Möbel" })],
  ]),
  ...faults("class.apparel", [
    ["no gender", 9, item(TEE, { gender: undefined })],
    [
      "accessories without a gender",
      8,
      item("lamp", { googleCategory: "167", gender: undefined, ageGroup: "adult" }),
    ],
  ]),
  ...faults("class.attributes", [
    ["no details", 9, item("stool", { details: undefined, highlights: undefined })],
    ["no condition", 9, item("stool", { condition: undefined })],
  ]),
  ...faults("class.product_type", [["none", 0, item("stool", { categories: undefined })]]),
  ...faults("class.color", [
    ["none", 0, item("lamp", { color: "multicolor" })],
    ["a code", 0, item("lamp", { color: "#ffeedd" })],
    ["four", 6, item("lamp", { color: "Red/Green/Blue/Black" })],
  ]),
  ...faults("class.trait_lengths", [
    ["a long size", 0, item("stool", { size: "as large as you will ever need" })],
  ]),
  ...faults("class.dimensions", [
    ["two units", 0, item("stool", { height: { value: "18", unit: "in" } })],
    ["half a parcel", 0, item("stool", { shippingLength: { value: "50", unit: "cm" } })],
  ]),
  ...faults("class.options_agree", [
    [
      "another color",
      0,
      item(TEE, {
        color: "Crimson",
        images: ["https://a.example/1", "https://a.example/2", "https://a.example/3"],
      }),
    ],
  ]),
];
