import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { draftsOf, failureOf } from "../events.contract.ts";
import { feedFixture } from "./feed-fixture.contract.ts";
import { namedValues } from "../../../test/named-values.ts";
import { madeId } from "./item-ids.ts";

async function draftsIn(document: unknown, settings: Record<string, string> = {}) {
  await using world = await feedFixture();
  return draftsOf(await world.readPage(JSON.stringify(document), settings));
}

describe("JSON objects that are not flat items", () => {
  test("numbers keep their digits", async () => {
    await using world = await feedFixture();
    const text =
      '[{"id": 12345678901234567890, "title": "x", "price": 19.90, "gtin": 4006381333931, "weight": 0.1000000000000000055}]';

    assert.deepEqual(draftsOf(await world.readPage(text)), [
      {
        id: "12345678901234567890",
        title: "x",
        gtin: "4006381333931",
        price: "19.90",
        weight: "0.1000000000000000055",
      },
    ]);
  });

  test("Google's own JSON has camel case, lists and amounts in objects", async () => {
    const [draft] = await draftsIn([
      {
        offerId: "A",
        title: "Mug",
        imageLink: "https://c/1",
        additionalImageLinks: ["https://c/2"],
        itemGroupId: "G",
        price: { value: "5.90", currency: "EUR" },
        productTypes: ["Home > Cups"],
        isBundle: false,
        shipping: [{ country: "DE", price: { value: "4.90", currency: "EUR" } }],
        productDetails: [{ sectionName: "General", attributeName: "Volume", attributeValue: "350 ml" }],
        variant_dict: { Color: "Teal" },
      },
    ]);

    assert.deepEqual(draft, {
      id: "A",
      title: "Mug",
      image: "https://c/1",
      additionalImages: ["https://c/2"],
      groupId: "G",
      price: "5.90 EUR",
      categories: ["Home > Cups"],
      isBundle: "false",
      shipping: [{ country: "DE", price: "4.90 EUR" }],
      details: [{ section: "General", name: "Volume", value: "350 ml" }],
      options: [{ name: "Color", value: "Teal" }],
    });
  });

  test("the public product list of a Shopify shop has one item per variant", async () => {
    const drafts = await draftsIn(
      {
        products: [
          {
            id: 1,
            title: "Polo",
            handle: "polo",
            body_html: "<p>x</p>",
            vendor: "Acme",
            product_type: "Shirts",
            options: [{ name: "Color" }, { name: "Size" }],
            images: [{ src: "https://c/1.jpg" }, { src: "https://c/2.jpg" }],
            variants: [
              {
                id: 11,
                title: "Red / M",
                option1: "Red",
                option2: "M",
                sku: "R",
                price: "19.90",
                compare_at_price: "25.00",
                available: true,
                grams: 200,
                featured_image: { src: "https://c/2.jpg" },
              },
              {
                id: 12,
                title: "Blue / M",
                option1: "Blue",
                option2: "M",
                sku: "B",
                price: "19.90",
                compare_at_price: null,
                available: false,
                grams: 0,
              },
            ],
          },
          {
            id: 2,
            title: "Mug",
            handle: "mug",
            body_html: "",
            options: [{ name: "Title" }],
            images: [],
            variants: [
              { id: 21, title: "Default Title", option1: "Default Title", price: "5.00", available: true },
            ],
          },
        ],
      },
      { store_url: "https://shop.example" },
    );

    const shared = {
      title: "Polo",
      description: "<p>x</p>",
      brand: "Acme",
      categories: ["Shirts"],
      groupId: "1",
      groupTitle: "Polo",
    };
    assert.deepEqual(drafts, [
      {
        ...shared,
        id: "11",
        sku: "R",
        price: "19.90",
        listPrice: "25.00",
        availability: "true",
        options: namedValues({ Color: "Red", Size: "M" }),
        weight: "200",
        weightUnit: "g",
        image: "https://c/2.jpg",
        additionalImages: ["https://c/1.jpg"],
        link: "https://shop.example/products/polo?variant=11",
      },
      {
        ...shared,
        id: "12",
        sku: "B",
        price: "19.90",
        availability: "false",
        options: namedValues({ Color: "Blue", Size: "M" }),
        image: "https://c/1.jpg",
        additionalImages: ["https://c/2.jpg"],
        link: "https://shop.example/products/polo?variant=12",
      },
      {
        id: "21",
        title: "Mug",
        price: "5.00",
        availability: "true",
        link: "https://shop.example/products/mug?variant=21",
      },
    ]);
  });

  test("a full page of a Shopify shop's list is refused, because more products may follow", async () => {
    await using world = await feedFixture();
    const product = { id: 1, title: "Mug", handle: "mug", body_html: "", variants: [{ id: 2, price: "5" }] };
    const page = (count: number): string =>
      JSON.stringify({ products: Array.from({ length: count }, () => product) });
    const read = (path: string, count: number) =>
      world.read({ url: world.host.serve(path, { kind: "file", body: page(count) }) });

    const error = await failureOf(read("/products.json", 30));

    assert.equal(error.code, "source_incomplete");
    assert.equal(draftsOf(await read("/products.json", 29)).length, 29);
    assert.equal(draftsOf(await read("/products.json?limit=250", 30)).length, 30);
  });

  test("OpenAI's nested feed is read with minor units and the current price", async () => {
    const drafts = await draftsIn({
      products: [
        {
          id: "P",
          title: "Mug",
          description: { plain: "Stoneware" },
          url: "https://shop.example/mug",
          variants: [
            {
              id: "P-1",
              title: "Mug teal",
              price: { amount: 1590, currency: "USD" },
              list_price: { amount: 2000, currency: "USD" },
              availability: { available: true, status: "in_stock" },
              barcodes: [{ type: "GTIN", value: "4006381333931" }],
              media: [
                { type: "video", url: "https://c/v" },
                { type: "image", url: "https://c/1" },
                { type: "image", url: "https://c/2" },
              ],
              variant_options: [{ name: "Color", value: "Teal" }],
              condition: ["new"],
              categories: [
                { value: "Home > Cups", taxonomy: "merchant" },
                { value: "2169", taxonomy: "google_product_category" },
              ],
            },
            {
              id: "P-2",
              title: "Mug red",
              price: { amount: 500, currency: "JPY" },
              availability: { available: false },
              variant_options: [{ name: "Color", value: "Red" }],
            },
          ],
        },
      ],
    });

    const shared = {
      description: "Stoneware",
      link: "https://shop.example/mug",
      groupId: "P",
      groupTitle: "Mug",
    };
    assert.deepEqual(drafts, [
      {
        ...shared,
        id: "P-1",
        title: "Mug teal",
        price: "15.9 USD",
        listPrice: "20 USD",
        availability: "in_stock",
        gtin: "4006381333931",
        image: "https://c/1",
        additionalImages: ["https://c/2"],
        options: [{ name: "Color", value: "Teal" }],
        condition: "new",
        categories: ["Home > Cups"],
        googleCategory: "2169",
      },
      {
        ...shared,
        id: "P-2",
        title: "Mug red",
        price: "500 JPY",
        availability: "out of stock",
        options: [{ name: "Color", value: "Red" }],
      },
    ]);
  });

  test("variants of any other document are items as well", async () => {
    const drafts = await draftsIn([
      {
        id: "P",
        name: "Mug",
        url: "https://shop.example/mug",
        price: 5,
        variants: [
          { sku: "P-1", name: "Red", price: 6 },
          { sku: "P-2", name: "Mug blue", price: 7 },
        ],
      },
    ]);

    assert.deepEqual(drafts, [
      {
        sku: "P-1",
        title: "Mug",
        price: "6",
        link: "https://shop.example/mug",
        groupId: "P",
        groupTitle: "Mug",
        options: [{ name: "Variant", value: "Red" }],
      },
      {
        sku: "P-2",
        title: "Mug blue",
        price: "7",
        link: "https://shop.example/mug",
        groupId: "P",
        groupTitle: "Mug",
      },
    ]);
  });

  describe("the title of a variant", () => {
    const product = { id: "P", title: "Mug", link: "https://shop.example/mug", price: 5 };
    const read = async (...variants: object[]) =>
      (await draftsIn([{ ...product, variants }])).map(({ id, title, options }) => [
        id,
        title,
        options?.map(({ value }) => value).join(),
      ]);

    test("counts as an option where it alone tells variants apart", async () => {
      assert.deepEqual(await read({ title: "Small" }, { title: "Large" }), [
        [madeId(["P", "/mug"], ["Small"]), "Mug", "Small"],
        [madeId(["P", "/mug"], ["Large"]), "Mug", "Large"],
      ]);
      assert.deepEqual(await read({ title: "Mug - small" }, { title: "Large mug" }), [
        [madeId(["P", "/mug"], ["small"]), "Mug - small", "small"],
        [madeId(["P", "/mug"], ["Large"]), "Large mug", "Large"],
      ]);
      assert.deepEqual(await read({ id: 1, title: "Small" }, { id: 2, title: "Large" }), [
        ["1", "Mug", "Small"],
        ["2", "Mug", "Large"],
      ]);
    });

    test("is not in an id that was made without it", async () => {
      const none = ["", "", "", ""];
      const [small, large] = ["https://shop.example/s", "https://shop.example/l"];
      assert.deepEqual(await read({ title: "Small", link: small }, { title: "Large", link: large }), [
        [madeId(["P", "/s"], none), "Mug, Small", undefined],
        [madeId(["P", "/l"], none), "Mug, Large", undefined],
      ]);
      assert.deepEqual(await read({ title: "S", size: "S" }, { title: "L", size: "L" }), [
        [madeId(["P", "/mug"], ["", "S", "", ""]), "Mug", undefined],
        [madeId(["P", "/mug"], ["", "L", "", ""]), "Mug", undefined],
      ]);
      assert.deepEqual(await read({ title: "Default" }), [[madeId(["", "/mug"], none), "Mug", undefined]]);
    });
  });

  test("JSON-LD: products and the variants of groups are items, other nodes are none", async () => {
    const drafts = await draftsIn({
      "@context": "https://schema.org",
      "@graph": [
        { "@type": "OnlineStore", "@id": "x", name: "Shop" },
        {
          "@type": "ProductGroup",
          name: "Polo",
          productGroupID: "TS",
          brand: { "@type": "Brand", name: "Acme" },
          hasVariant: [
            {
              "@type": "Product",
              name: "Polo red",
              sku: "TS-R",
              gtin13: "4006381333931",
              color: "Red",
              image: ["https://c/1", { "@type": "ImageObject", url: "https://c/2" }],
              offers: {
                "@type": "Offer",
                url: "https://shop.example/ts?v=r",
                price: "15.90",
                priceCurrency: "EUR",
                availability: "https://schema.org/InStock",
                priceSpecification: {
                  "@type": "UnitPriceSpecification",
                  priceType: "https://schema.org/StrikethroughPrice",
                  price: "19.90",
                },
              },
            },
          ],
        },
        {
          "@type": "Product",
          name: "Mug",
          sku: "M",
          offers: [{ price: 5, priceCurrency: "EUR" }],
          aggregateRating: { ratingValue: "4.5", reviewCount: 8 },
        },
      ],
    });

    assert.deepEqual(drafts, [
      {
        id: "TS-R",
        sku: "TS-R",
        title: "Polo red",
        groupId: "TS",
        groupTitle: "Polo",
        brand: "Acme",
        gtin: "4006381333931",
        color: "Red",
        image: "https://c/1",
        additionalImages: ["https://c/2"],
        link: "https://shop.example/ts?v=r",
        price: "15.90",
        currency: "EUR",
        listPrice: "19.90",
        availability: "https://schema.org/InStock",
      },
      { id: "M", sku: "M", title: "Mug", price: "5", currency: "EUR", ratingValue: "4.5", ratingCount: "8" },
    ]);
  });
});

test("a file in the form of a push is read as a feed: our own field names are known", async () => {
  await using world = await feedFixture();
  const product = {
    id: "a",
    title: "Mug",
    link: "https://shop.example/a",
    price: "10.00 EUR",
    sale_price: "8.00 EUR",
    sale_from: "2026-11-01",
    sale_to: "2026-11-10",
    expires_at: "2026-12-01",
    return_days: 30,
    details: [{ name: "Origin", value: "Norway" }],
  };

  const [draft] = draftsOf(await world.readPage(JSON.stringify({ products: [product] })));

  assert.deepEqual(
    [draft?.saleFrom, draft?.saleTo, draft?.expiresAt, draft?.returnDays],
    ["2026-11-01", "2026-11-10", "2026-12-01", "30"],
  );
  assert.equal(draft?.description, undefined);
  assert.deepEqual(draft?.details, [{ name: "Origin", value: "Norway" }]);
});

test("a variant without its own price or stock has its product's", async () => {
  await using world = await feedFixture();
  const product = {
    id: "g",
    title: "Mug",
    link: "https://shop.example/g",
    price: "9.50 USD",
    availability: "in_stock",
    details: { Volume: "3 dl" },
    variants: [
      { id: "v1", options: { Color: "Red" } },
      { id: "v2", price: "12.00 USD" },
    ],
  };

  const drafts = draftsOf(await world.readPage(JSON.stringify({ products: [product] })));

  assert.deepEqual(
    drafts.map(({ id, price, availability }) => [id, price, availability]),
    [
      ["v1", "9.50 USD", "in_stock"],
      ["v2", "12.00 USD", "in_stock"],
    ],
  );
  assert.deepEqual(drafts[0]?.details, [{ name: "Volume", value: "3 dl" }]);
});

describe("products as headless shop systems return them", () => {
  const priced = async (document: unknown) =>
    (await draftsIn(document)).map(({ sku, title, price, availability, quantity, image, groupId }) => [
      sku,
      title,
      price,
      availability ?? quantity,
      image,
      groupId,
    ]);
  const image = "https://cdn.example/m.jpg";

  test("commercetools: cent amounts have the fraction digits of their currency, and two currencies are no price", async () => {
    const money = (centAmount: number, currencyCode: string, fractionDigits: number) => ({
      value: { type: "centPrecision", centAmount, currencyCode, fractionDigits },
    });
    const results = [
      {
        id: "p1",
        name: { "en-US": "Mug" },
        masterVariant: {
          sku: "M-1",
          prices: [money(1299, "EUR", 2)],
          images: [{ url: image }],
          availability: { isOnStock: true, availableQuantity: 4 },
        },
        variants: [
          { sku: "M-2", prices: [money(1299, "JPY", 0)], images: [] },
          { sku: "M-3", prices: [money(1299, "EUR", 2), money(1399, "USD", 2)], images: [] },
        ],
      },
    ];

    const items = await priced({ limit: 20, results });
    assert.deepEqual(
      items.map((fields) => fields.slice(0, 4)),
      [
        ["M-1", "Mug", "12.99 EUR", "in stock"],
        ["M-2", "Mug", "1299 JPY", undefined],
        ["M-3", "Mug", undefined, undefined],
      ],
    );
  });

  test("Vendure: the price with tax is in minor units", async () => {
    const variant = {
      sku: "M-1",
      name: "Mug",
      price: 1000,
      priceWithTax: 1200,
      currencyCode: "EUR",
      stockLevel: "IN_STOCK",
      options: [],
    };
    const product = { id: "9", name: "Mug", featuredAsset: { preview: image }, variants: [variant] };

    assert.deepEqual(await priced({ data: { products: { items: [product] } } }), [
      ["M-1", "Mug", "12 EUR", "IN_STOCK", image, undefined],
    ]);
  });

  test("Medusa: version 2 has amounts in the currency's main unit", async () => {
    const variant = {
      id: "v1",
      sku: "M-1",
      title: "Blue",
      manage_inventory: true,
      inventory_quantity: 3,
      calculated_price: { calculated_amount: 12.5, currency_code: "eur" },
      options: [],
    };

    assert.deepEqual(
      await priced({ products: [{ id: "p1", title: "Mug", thumbnail: image, variants: [variant] }] }),
      [["M-1", "Mug", "12.5 EUR", "3", image, undefined]],
    );
  });

  describe("Medusa's prices", () => {
    const document = (price: object, more: object = {}) => ({
      products: [
        {
          id: "p1",
          title: "Mug",
          options: [{ id: "o1", title: "Color" }],
          variants: [
            {
              id: "v1",
              sku: "M-1",
              title: "Blue",
              prices: [{ currency_code: "eur", amount: 2500, ...price }],
              options: [{ option_id: "o1", value: "Blue" }],
              ...more,
            },
          ],
        },
      ],
    });

    test("version 1 counts in minor units, version 2 in the main unit", async () => {
      const first = document({ id: "ma_1", price_list_id: null, region_id: null });
      const second = document({ id: "price_1", raw_amount: { value: "2500", precision: 20 } });

      assert.equal((await priced(first))[0]?.[2], "25 EUR");
      assert.equal((await priced(document({}, { original_price: null })))[0]?.[2], "25 EUR");
      assert.equal((await priced(second))[0]?.[2], "2500 EUR");
      assert.equal((await priced(document({ amount: 25.5 })))[0]?.[2], "25.5 EUR");
      assert.deepEqual((await draftsIn(first))[0]?.options, [{ name: "Color", value: "Blue" }]);
    });

    test("amounts of an unknown version are rejected", async () => {
      await using world = await feedFixture();
      const [rejected] = await world.readPage(JSON.stringify(document({})));

      assert.ok(rejected?.kind === "rejected");
      assert.deepEqual([rejected.rejection.code, rejected.rejection.itemId], ["ambiguous_price", "p1"]);
      assert.match(rejected.rejection.message, /25\.00 in Medusa 1 and 2500 in Medusa 2/);
      assert.equal((await priced(document({ currency_code: "jpy" }))).length, 1);
    });

    test("one of several currencies is chosen by the setting columns", async () => {
      await using world = await feedFixture();
      const prices = [
        { id: "ma_1", currency_code: "eur", amount: 2500 },
        { id: "ma_2", currency_code: "usd", amount: 3000 },
        { id: "ma_3", currency_code: "usd", amount: 100, price_list_id: "pl_1" },
      ];
      const file = JSON.stringify(document({}, { prices }));

      assert.equal(draftsOf(await world.readPage(file))[0]?.price, undefined);
      assert.equal(
        draftsOf(await world.readPage(file, { columns: "Price in USD = price" }))[0]?.price,
        "30 USD",
      );
    });
  });

  describe("Sylius", () => {
    const product = {
      "@id": "/api/v2/shop/products/MUG",
      "@type": "Product",
      code: "MUG",
      name: "Mug",
      images: [{ path: "ab/cd.jpg" }],
      taxons: [{ code: "cups", name: "Cups" }],
    };
    const fields = async (document: unknown) =>
      (await draftsIn(document)).map(({ id, title, price, listPrice, groupId, image }) => [
        id,
        title,
        price,
        listPrice,
        groupId,
        image,
      ]);

    test("amounts of channels have two decimals, and channels with different prices have none", async () => {
      const variants = [
        { code: "MUG-S", channelPricings: { WEB: { price: 1990, originalPrice: 2490 } } },
        {
          code: "MUG-M",
          channelPricings: [
            { channelCode: "A", price: 1990 },
            { channelCode: "B", price: 990 },
          ],
        },
      ];
      for (const list of ["hydra:member", "member"]) {
        assert.deepEqual(await fields({ "@type": "Collection", [list]: [{ ...product, variants }] }), [
          ["MUG-S", "Mug", "19.9", "24.9", "MUG", "/media/image/ab/cd.jpg"],
          ["MUG-M", "Mug", undefined, undefined, "MUG", "/media/image/ab/cd.jpg"],
        ]);
      }
    });

    test("a product whose variants are addresses has the price of its default variant", async () => {
      const variants = ["/api/v2/shop/product-variants/MUG-S"];
      const defaultVariantData = { code: "MUG-S", price: 1990, originalPrice: 1990, inStock: true };

      assert.deepEqual(await fields({ "hydra:member": [{ ...product, variants, defaultVariantData }] }), [
        ["MUG-S", "Mug", "19.9", "19.9", undefined, "/media/image/ab/cd.jpg"],
      ]);
    });

    test("a list of variants is read as items of their products", async () => {
      const variant = {
        "@type": "ProductVariant",
        code: "MUG-S",
        name: "Mug S",
        product: "/api/v2/shop/products/MUG",
      };

      assert.deepEqual(await fields({ "hydra:member": [{ ...variant, price: 1990 }] }), [
        ["MUG-S", "Mug S", "19.9", undefined, "MUG", undefined],
      ]);
    });
  });

  test("Saleor: the gross price counts", async () => {
    const variant = {
      id: "v1",
      sku: "M-1",
      name: "Blue",
      quantityAvailable: 2,
      pricing: { price: { gross: { amount: 12.5, currency: "EUR" }, net: { amount: 10, currency: "EUR" } } },
      attributes: [],
    };
    const node = { id: "p1", name: "Mug", media: [{ url: image }], variants: [variant] };

    assert.deepEqual(await priced({ data: { products: { edges: [{ node }] } } }), [
      ["M-1", "Mug", "12.5 EUR", "2", image, undefined],
    ]);
  });
});

test("a whole amount in an object is refused without variants, because it may be in cents", async () => {
  await using world = await feedFixture();
  const product = (id: string, price: object) => ({
    id,
    title: "Mug",
    link: "https://shop.example/g",
    price,
  });
  const products = [
    product("a", { amount: 1990, currency: "USD" }),
    product("b", { amount: 19.9, currency: "USD" }),
    product("c", { amount: "1990", currency: "USD" }),
    product("d", { amount: 1990, currency: "JPY" }),
  ];

  const events = await world.readPage(JSON.stringify({ products }));

  assert.deepEqual(
    draftsOf(events).map(({ id, price }) => [id, price]),
    [
      ["b", "19.9 USD"],
      ["c", "1990 USD"],
      ["d", "1990 JPY"],
    ],
  );
  const [refused] = events.filter((event) => event.kind === "rejected");
  assert.deepEqual(
    [refused?.rejection.itemId, refused?.rejection.code, refused?.rejection.message],
    [
      "a",
      "ambiguous_price",
      'price has the amount 1990 USD, which can be 1990 or 19.90. Send a text such as "19.90 USD".',
    ],
  );
});

test("a product without a parent is in no group, and an image with a name is read by its address", async () => {
  await using world = await feedFixture();
  const images = [{ src: "https://shop.example/1.jpg", name: "Front", alt: "" }];
  const products = [1, 2].map((id) => ({
    id,
    name: "Mug",
    parent_id: 0,
    price: "9.50",
    permalink: `https://shop.example/${id}`,
    images,
  }));

  const drafts = draftsOf(await world.readPage(JSON.stringify(products)));

  assert.deepEqual(
    drafts.map(({ groupId, additionalImages }) => [groupId, additionalImages]),
    [
      [undefined, ["https://shop.example/1.jpg"]],
      [undefined, ["https://shop.example/1.jpg"]],
    ],
  );
});
