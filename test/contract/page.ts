/** `docs/contract.md`: every sentence of the contract, the checks that prove it, and whether they hold. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Check } from "./check.ts";
import { ALL_CHANGES } from "./sentences.ts";
import type { Sentence } from "./sentences.ts";

export type Result = "holds" | "fails";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = join(ROOT, "docs/contract.md");

const isChange = ({ id }: Check): boolean => id.startsWith("change-");

/** The checks that prove a sentence. Fails if the sentence names a check that does not exist. */
export function checksOf({ id, checks = [] }: Sentence, all: readonly Check[]): readonly Check[] {
  return checks.flatMap((name) => {
    const found = all.filter((check) => (name === ALL_CHANGES ? isChange(check) : check.id === name));
    assert.ok(found.length > 0, `sentence ${id} names the check ${name}, which does not exist`);
    return found;
  });
}

const escaped = (text: string): string => text.replaceAll("|", "\\|");
const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

function proofOf({ checks = [], tests = [] }: Sentence): string {
  const names = checks.map((name) =>
    name === ALL_CHANGES ? "[every sudden change](#sudden-changes)" : `\`${name}\``,
  );
  return [...names, ...tests.map(({ file, title }) => `\`${file}\`: ${escaped(title)}`)].join(", ");
}

export function renderPage(
  sentences: readonly Sentence[],
  checks: readonly Check[],
  results: ReadonlyMap<string, Result>,
): string {
  const resultOf = (list: readonly Check[]): Result =>
    list.every(({ id }) => results.get(id) === "holds") ? "holds" : "fails";
  const resultOfSentence = (sentence: Sentence): string => {
    const proving = checksOf(sentence, checks);
    return proving.length === 0 ? "in `npm test`" : resultOf(proving);
  };
  const rows = (list: readonly Check[]) =>
    list.map((check) => row([`\`${check.id}\``, check.title, resultOf([check])]));
  return [
    "# The contract, sentence by sentence",
    "",
    "For developers who write a client, and for reviewers: which check proves each sentence of the API contract, and whether it holds.",
    "",
    "`npm run test:contract` starts the program and runs every check by HTTP only. This page is generated from the sentences and checks in",
    "`test/contract/` (`UPDATE_DOCS=1 npm run test:contract`), and a run fails if the page differs from them. A sentence that cannot be seen from",
    "outside within minutes names a test of the repository that controls the clock or breaks a part; these run with `npm test`.",
    "",
    "To check another installation, give its address and a key. The service must be able to reach the suite's own server, from which it pulls",
    "catalogs and to which it sends deliveries:",
    "",
    "```sh",
    "CONTRACT_BASE_URL=https://feeds.example CONTRACT_KEY=$KEY CONTRACT_PUBLIC_ORIGIN=https://suite.example \\",
    "  CONTRACT_LISTEN=127.0.0.1:9000 npm run test:contract",
    "```",
    "",
    "With an operator key every check gets a catalog of its own. With the key of one catalog, which must be empty, the checks run one after the",
    "other; `CONTRACT_READ_KEY` is an optional key of that catalog with the scope `read` alone.",
    "",
    "## Sentences",
    "",
    row(["Number", "Sentence", "Proved by", "Result"]),
    row(["---", "---", "---", "---"]),
    ...sentences.map((sentence) =>
      row([sentence.id, escaped(sentence.text), proofOf(sentence), resultOfSentence(sentence)]),
    ),
    "",
    "## Checks",
    "",
    row(["Check", "What it shows", "Result"]),
    row(["---", "---", "---"]),
    ...rows(checks.filter((check) => !isChange(check))),
    "",
    "## Sudden changes",
    "",
    "Each change happens between two syncs of catalogs with 1, 3, 10, 24 and 50 items, once as CSV with only id, title, price and link, and once with all",
    "fields as CSV or JSON; and in a first sync of 50 items. After every successful sync all four files have every item with its title and price, and the run, the",
    "last render and the three events agree. Two kinds of syncs must fail with 422 and leave the files as they were: those that would remove more than",
    "half of 25 or more items, and those whose rows are all rejected. An item needs an id, a title and a price.",
    "",
    row(["Check", "What it shows", "Result"]),
    row(["---", "---", "---"]),
    ...rows(checks.filter(isChange)),
    "",
  ].join("\n");
}

/**
 * Writes the page with the results of this run (`UPDATE_DOCS=1`), or fails unless it has every sentence and check as
 * holding.
 */
export async function checkPage(
  sentences: readonly Sentence[],
  checks: readonly Check[],
  results: ReadonlyMap<string, Result>,
): Promise<void> {
  if (process.env["UPDATE_DOCS"] === "1") {
    assert.equal(results.size, checks.length, "the page is written only after every check has run");
    await writeFile(PAGE, renderPage(sentences, checks, results));
    return;
  }
  const holding = new Map(checks.map(({ id }) => [id, "holds" as const]));
  assert.equal(await readFile(PAGE, "utf8"), renderPage(sentences, checks, holding));
}

/** Every test of the repository that a sentence names must exist, under its exact title. */
export async function checkRepositoryTests(sentences: readonly Sentence[]): Promise<void> {
  for (const { id, tests = [] } of sentences) {
    for (const { file, title } of tests) {
      const source = await readFile(join(ROOT, file), "utf8");
      const isThere = [`"${title}"`, `\`${title}\``].some((text) => source.includes(`test(${text}`));
      assert.ok(isThere, `sentence ${id} names a test that ${file} does not have: ${title}`);
    }
  }
}
