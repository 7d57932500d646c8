/** Texts about the use of the files: where each goes, and the steps that make it work. */
import type { FeedFileName } from "../../../src/contract/feeds.ts";

export type FileUse = {
  readonly name: string;
  readonly file: FeedFileName;
  /** How the file gets there. */
  readonly summary: string;
  readonly steps: readonly Step[];
  readonly notes: readonly string[];
};

type Step = {
  readonly text: string;
  /** A command or an address to copy, made from the URL of the file. */
  readonly copy?: { readonly label: string; readonly of: (url: string) => string };
  /** A page of another site. */
  readonly site?: { readonly label: string; readonly url: string };
  /** A page of the catalog where it is done. */
  readonly page?: { readonly label: string; readonly path: string };
};

const copyUrl = { label: "Copy URL", of: (url: string) => url };

/** A merchant sees first what needs the fewest steps. */
const USES: readonly FileUse[] = [
  {
    name: "Google Merchant Center",
    file: "gmc.tsv",
    summary: "Fetches gmc.tsv by itself.",
    steps: [
      { text: "In Merchant Center, open Settings & tools, Data sources, Add product source." },
      { text: "Choose “Add products from a file” and enter the URL of the file:", copy: copyUrl },
      { text: "Choose a daily fetch, some time after the sync of your shop. No user name is needed." },
    ],
    notes: [
      "Your website must be verified and claimed in the same Merchant Center account.",
      "Turn on “Quoted fields”. New data sources have it on.",
      "Google drops products that it has not received for 30 days, so let it fetch at least weekly.",
    ],
  },
  {
    name: "OpenAI (ChatGPT)",
    file: "acp.csv",
    summary: "Does not fetch URLs. Shelfwire uploads the file for approved merchants.",
    steps: [
      {
        text: "Apply as a merchant. After approval, OpenAI assigns you a place to upload to (SFTP):",
        site: { label: "chatgpt.com/merchants", url: "https://chatgpt.com/merchants" },
      },
      {
        text: "Add that place as a destination, with the access that OpenAI gave you, and confirm the key of its server:",
        page: { label: "Add OpenAI as a destination", path: "/destinations/new?to=openai" },
      },
      { text: "Every publication is then uploaded. The page of the destination shows what arrived." },
    ],
    notes: [
      "The URL alone does not bring your items to ChatGPT.",
      "A standard upload is for the US market, whatever the rows say.",
      "Shops on Shopify and Etsy are reported to be included without an application.",
    ],
  },
  {
    name: "Microsoft Merchant Center",
    file: "gmc.tsv",
    summary: "Imports your Google feed, or fetches a file. It takes Google’s columns.",
    steps: [
      {
        text: "In Microsoft Advertising, open Tools, Merchant Center, then your store, Feeds, Create feed.",
      },
      {
        text: "As the input method, choose “Automatically download file from URL” and enter:",
        copy: copyUrl,
      },
      { text: "Choose a daily download, some time after the sync of your shop." },
    ],
    notes: ["Your website must be verified for the store, and every product link must be below its address."],
  },
  {
    name: "Meta (Facebook and Instagram)",
    file: "gmc.tsv",
    summary: "Fetches gmc.tsv by itself, up to once an hour.",
    steps: [
      { text: "In Commerce Manager, open your catalog, Data sources, and add items with a data feed." },
      { text: "Choose to upload from a URL, without a login, and enter:", copy: copyUrl },
      { text: "Choose an hourly or daily schedule. Then look at the result of the first upload." },
    ],
    notes: [
      "Meta documents availability as “in stock”, with a space; the file has Google’s “in_stock”. If the first upload reports availability, add a rule for that column to the data feed in Commerce Manager.",
    ],
  },
  {
    name: "Your own product pages",
    file: "jsonld.json",
    summary: "Search engines read markup in pages, not this file.",
    steps: [
      {
        text: "Let your shop read jsonld.json and find the node of a product by its productID:",
        copy: copyUrl,
      },
      {
        text: "Put the node into the page of that product, in the HTML that the server sends:",
        copy: {
          label: "Copy tag",
          of: () => `<script type="application/ld+json">…</script>`,
        },
      },
      { text: "Check some pages with Google’s Rich Results Test." },
    ],
    notes: [
      "Publishing the URL alone has no effect on search results.",
      "The page of an item in this console shows its node.",
    ],
  },
  {
    name: "Your own programs",
    file: "acp.json",
    summary: "The rows of acp.csv as JSON, for scripts and agents of your own.",
    steps: [
      {
        text: "Fetch the URL as often as you like. Unchanged files answer 304 to a request with their ETag:",
        copy: { label: "Copy command", of: (url) => `curl -fsS --compressed "${url}" -o acp.json` },
      },
    ],
    notes: ["OpenAI does not take a plain .json file: upload acp.csv there."],
  },
];

export const fileUseTexts = {
  title: "Where to use the files",
  uses: USES,
  notes: "Good to know",
  notReachable: (host: string) =>
    `The feed URLs begin with ${host}, which other companies cannot reach. Start Shelfwire with BASE_URL set to its public address (https://…); the URLs change accordingly.`,
} as const;
