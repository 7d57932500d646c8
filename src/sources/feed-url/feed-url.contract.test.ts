import { feedHost } from "../../../test/fakes/feed-host.ts";
import { httpClient } from "../../lib/outbound/http-client.ts";
import { BRIEF_RETRIES, describeSource, type SourceFixture } from "../source.contract.ts";
import { feedUrlConnector } from "./feed-url.ts";
import { FEED_LIMITS } from "./limits.ts";

const item = (number: number): Record<string, string> => ({
  id: `sku-${number}`,
  title: `Mug ${number}`,
  link: `https://shop.example/p/${number}`,
  price: `${number}.90 EUR`,
});
const items = (count: number): Record<string, string>[] =>
  Array.from({ length: count }, (_, i) => item(i + 1));

const csvRow = (fields: Record<string, string>): string => `${Object.values(fields).join(",")}\n`;
const csv = (count: number): string => `id,title,link,price\n${items(count).map(csvRow).join("")}`;
const xmlItem = (fields: Record<string, string>): string =>
  `<item>${Object.entries(fields)
    .map(([name, text]) => `<g:${name}>${text}</g:${name}>`)
    .join("")}</item>`;
const rss = (inner: string): string =>
  `<rss xmlns:g="http://base.google.com/ns/1.0"><channel>${inner}</channel></rss>`;

/** The same shop in every form: whole, with one item broken, and cut off in the middle. */
const forms = {
  csv: {
    whole: csv,
    broken: `id,title,link,price\n${csvRow(item(1))}x,y,z,1,2,3\n${csvRow(item(3))}`,
    cut: `id,title,link,price\n${csvRow(item(1))}2,"never closed`,
  },
  json: {
    whole: (count: number) => JSON.stringify({ products: items(count) }),
    broken: JSON.stringify({ products: [item(1), "no object", item(3)] }),
    cut: JSON.stringify({ products: items(2) }).slice(0, -20),
  },
  "json lines": {
    whole: (count: number) =>
      count === 0
        ? '{"products":[]}'
        : items(count)
            .map((one) => JSON.stringify(one))
            .join("\n"),
    broken: `${JSON.stringify(item(1))}\n{"id": oops}\n${JSON.stringify(item(3))}\n`,
    cut: `${JSON.stringify(item(1))}\n${JSON.stringify(item(2)).slice(0, -9)}`,
  },
  rss: {
    whole: (count: number) => rss(items(count).map(xmlItem).join("\n")),
    // XML either is well-formed or nothing; the second item comes as a row of another form.
    broken: null,
    cut: rss(xmlItem(item(1))).slice(0, -20),
  },
};

/** The one item of a feed, once more. */
const repeat = (feed: string): string =>
  feed
    .replace(/(<item>.*<\/item>)/, "$1$1")
    .replace(/(\{"id".*?\})/, feed.startsWith('{"id"') ? "$1\n$1" : "$1,$1")
    .replace(/(sku-1,.*\n)/, "$1$1");

for (const [form, { whole, broken, cut }] of Object.entries(forms)) {
  describeSource(`a feed URL with ${form}`, async (): Promise<SourceFixture> => {
    const host = await feedHost();
    const http = httpClient({ allowPrivate: ["127.0.0.1/32"], userAgent: "test" });
    const serve = (body: string) => ({ url: host.serve("/feed", { kind: "file", body }), format: "auto" });
    return {
      connector: feedUrlConnector({ ...FEED_LIMITS, retries: BRIEF_RETRIES }),
      http,
      withItems: (count) => serve(whole(count)),
      withBrokenItem: () => serve(broken ?? forms.csv.broken),
      withFailure: () => ({ settings: serve(cut), code: "source_incomplete" }),
      withFlakyPage: () => {
        const broken = { kind: "file", body: "", status: 503 } as const;
        const url = host.serve("/feed", broken, broken, { kind: "file", body: whole(300) });
        return { settings: { url, format: "auto" }, items: 300 };
      },
      withRevokedCredentials: null,
      // A file's repeated row is its author's: it is passed on, and the sync refuses it with its place.
      withRepeatedItem: () => ({ settings: serve(repeat(whole(1))), drafts: 2 }),
      withChanges: null,
      requestCount: () => host.requests.length,
      busyConnections: host.busyConnections,
      async [Symbol.asyncDispose]() {
        await http.close();
        await host[Symbol.asyncDispose]();
      },
    };
  });
}
