import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { draftsOf, failureOf } from "../events.contract.ts";
import { feedWorld } from "./feed-world.contract.ts";

const old = `Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Variant Compare At Price,Variant Barcode,Image Src,Image Position,Google Shopping / Gender,Variant Image,Variant Weight Unit,Status
polo,Polo shirt,<p>Cotton</p>,Acme,Shirts,a,TRUE,Color,Red,Size,M,P-R-M,200,shopify,3,deny,19.90,25.00,4006381333931,https://c/2.jpg,2,unisex,https://c/red.jpg,kg,active
polo,,,,,,,,Blue,,M,,210,shopify,0,continue,19.90,,,https://c/1.jpg,1,,,kg,
polo,,,,,,,,,,,,,,,,,,,https://c/3.jpg,3,,,,
mug,Mug,,Acme,Cups,,TRUE,Title,Default Title,,,MUG,0,,,deny,5.00,,,https://c/mug.jpg,1,,,kg,draft
`;

const current = `Title,URL handle,Description,Vendor,Product category,Type,Published on online store,Status,SKU,Barcode,Option1 name,Option1 value,Price,Compare-at price,Inventory tracker,Inventory quantity,Continue selling when out of stock,Weight value (grams),Weight unit for display,Product image URL,Image position,Variant image URL
Polo shirt,polo,Cotton,Acme,Apparel > Shirts,Shirts,TRUE,active,P-R,,Color,Red,19.90,,shopify,0,FALSE,200,lb,https://c/1.jpg,1,
,,,,,,,,P-B,,,Blue,18.90,19.90,shopify,2,FALSE,,lb,https://c/2.jpg,2,https://c/blue.jpg
`;

describe("a Shopify export", () => {
  test("of the old template: variants take what their product says, images are gathered in order", async () => {
    await using world = await feedWorld();

    const drafts = draftsOf(await world.readPage(old, { store_url: "https://shop.example/" }));

    const product = {
      title: "Polo shirt",
      description: "<p>Cotton</p>",
      brand: "Acme",
      categories: ["Shirts"],
      published: "TRUE",
      gender: "unisex",
      groupId: "polo",
      link: "https://shop.example/products/polo",
    };
    assert.deepEqual(drafts[0], {
      ...product,
      id: "P-R-M",
      sku: "P-R-M",
      gtin: "4006381333931",
      price: "19.90",
      listPrice: "25.00",
      quantity: "3",
      availability: "in stock",
      weight: "200",
      weightUnit: "g",
      options: [
        { name: "Color", value: "Red" },
        { name: "Size", value: "M" },
      ],
      image: "https://c/red.jpg",
      additionalImages: ["https://c/1.jpg", "https://c/2.jpg", "https://c/3.jpg"],
    });
    assert.deepEqual(drafts[1], {
      ...product,
      id: "polo-blue-m",
      price: "19.90",
      quantity: "0",
      availability: "backorder",
      weight: "210",
      weightUnit: "g",
      options: [
        { name: "Color", value: "Blue" },
        { name: "Size", value: "M" },
      ],
      image: "https://c/1.jpg",
      additionalImages: ["https://c/2.jpg", "https://c/3.jpg"],
    });
    assert.deepEqual(drafts.slice(2), [
      {
        id: "MUG",
        sku: "MUG",
        title: "Mug",
        brand: "Acme",
        categories: ["Cups"],
        published: "draft",
        price: "5.00",
        availability: "in stock",
        image: "https://c/mug.jpg",
        link: "https://shop.example/products/mug",
      },
    ]);
  });

  test("of the current template: rows without a handle belong to the product above them", async () => {
    await using world = await feedWorld();

    const drafts = draftsOf(await world.readPage(current));

    assert.deepEqual(
      drafts.map(
        ({ id, title, price, listPrice, availability, weight, weightUnit, image, categories, link }) => ({
          id,
          title,
          price,
          listPrice,
          availability,
          weight,
          weightUnit,
          image,
          categories,
          link,
        }),
      ),
      [
        {
          id: "P-R",
          title: "Polo shirt",
          price: "19.90",
          listPrice: undefined,
          availability: "out of stock",
          weight: "200",
          weightUnit: "g",
          image: "https://c/1.jpg",
          categories: ["Shirts", "Apparel > Shirts"],
          link: "/products/polo",
        },
        {
          id: "P-B",
          title: "Polo shirt",
          price: "18.90",
          listPrice: "19.90",
          availability: "in stock",
          weight: undefined,
          weightUnit: undefined,
          image: "https://c/blue.jpg",
          categories: ["Shirts", "Apparel > Shirts"],
          link: "/products/polo",
        },
      ],
    );
  });

  test("a row that belongs to no product is unreadable", async () => {
    await using world = await feedWorld();

    const [first] = await world.readPage(
      "Handle,Title,Option1 Name,Option1 Value,Variant SKU\n,x,Color,Red,1\n",
    );

    assert.ok(first?.kind === "rejected");
    assert.match(first.rejection.message, /line 2 has no handle/);
  });

  test("a product whose rows never end meets a cap", async () => {
    await using world = await feedWorld({ maxRowChars: 500 });
    const rows = "polo,Polo,Color,Red,1\n".repeat(200);

    const error = await failureOf(
      world.readPage(`Handle,Title,Option1 Name,Option1 Value,Variant SKU\n${rows}`),
    );

    assert.equal(error.code, "source_too_large");
  });
});
