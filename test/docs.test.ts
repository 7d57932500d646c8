/** The documents list exactly what the code has. */
import assert from "node:assert/strict";
import { access, glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { REJECTION_CODES, WARNING_CODES } from "../src/catalog/finding.ts";
import { runCli } from "../src/cli/cli.ts";
import { SETTINGS } from "../src/config.ts";
import type { DestinationKind } from "../src/contract/destinations.ts";
import { DESTINATION_KINDS } from "../src/destinations/kinds.ts";
import { ERRORS } from "../src/errors.ts";
import type { ErrorCode } from "../src/errors.ts";
import { checkSection, table } from "./doc-sections.ts";

const ROOT = join(import.meta.dirname, "..");

const settings = () =>
  table(
    ["Setting", "Default", "What it does"],
    Object.values(SETTINGS).map((entry) => [
      `\`${entry.env}\`${"secret" in entry ? ` or \`${entry.env}_FILE\`` : ""}`,
      entry.default,
      entry.help,
    ]),
  );

const errors = () =>
  table(
    ["Code", "Status", "Exit", "Meaning"],
    (Object.keys(ERRORS) as ErrorCode[]).map((code) => [
      `\`${code}\``,
      String(ERRORS[code].status),
      String(ERRORS[code].exit),
      ERRORS[code].title,
    ]),
  );

const codes = (list: Readonly<Record<string, string>>) =>
  table(
    ["Code", "Meaning"],
    Object.entries(list).map(([code, meaning]) => [`\`${code}\``, meaning]),
  );

const destinationSettings = (kind: DestinationKind) =>
  table(
    ["Setting", "What it is"],
    DESTINATION_KINDS[kind].fields.map(({ name, help, required, secret, default: value }) => [
      `\`${name}\``,
      [
        help,
        required ? " Required." : "",
        secret ? " Secret." : "",
        value === null ? "" : ` Default: \`${value}\`.`,
      ].join(""),
    ]),
  );

const SECTIONS = [
  { file: "docs/config.md", name: "settings", text: settings },
  { file: "docs/errors.md", name: "errors", text: errors },
  { file: "docs/errors.md", name: "rejections", text: () => codes(REJECTION_CODES) },
  { file: "docs/errors.md", name: "warnings", text: () => codes(WARNING_CODES) },
  { file: "docs/destinations.md", name: "sftp", text: () => destinationSettings("sftp") },
  { file: "docs/destinations.md", name: "https", text: () => destinationSettings("https") },
] as const;

for (const { file, name, text } of SECTIONS)
  test(`${file} lists exactly the ${name} the code has`, () => checkSection(file, name, text()));

test("ARCHITECTURE.md lists at most 45 files for a row and 15 for an event, all of which exist", async () => {
  const page = await readFile(join(ROOT, "ARCHITECTURE.md"), "utf8");
  const between = (start: string, end: string): string => page.split(start)[1]?.split(end)[0] ?? "";
  const filesIn = (text: string, pattern: RegExp): readonly string[] =>
    text
      .matchAll(pattern)
      .flatMap(([line]) => line.matchAll(/`([\w/.-]+\.ts)`/g).map(([, file = ""]) => file))
      .toArray();
  const row = filesIn(between("## Follow a row", "\n## "), /^\|.*\|$/gm);
  const event = filesIn(between("### Follow an event", "Search words"), /^\d+\. .*$/gm);

  assert.ok(row.length > 30 && row.length <= 45, `${row.length} files for a row`);
  assert.ok(event.length > 10 && event.length <= 15, `${event.length} files for an event`);
  for (const file of [...row, ...event]) await access(join(ROOT, "src", file));
});

test("every file and folder that ARCHITECTURE.md names exists", async () => {
  const page = await readFile(join(ROOT, "ARCHITECTURE.md"), "utf8");
  const files = await Array.fromAsync(
    glob("{src,test,receiver,migrations,reference-data,console/src}/**/*", { cwd: ROOT }),
  );
  const paths = [...files, "console", "receiver", "reference-data"];
  // A file next to one that was named before stands without its folder.
  const exists = (path: string): boolean => paths.some((file) => `/${file}`.endsWith(`/${path}`));

  const named = page
    .matchAll(/`([\w/.-]+(?:\.(?:ts|json|sql)|\/))`/g)
    .map(([, path = ""]) => path.replace(/\/$/, ""));
  assert.deepEqual(
    [...new Set(named)].filter((path) => !exists(path)),
    [],
  );
});

test(".env.example names every setting, and nothing else", async () => {
  const names = (await readFile(join(ROOT, ".env.example"), "utf8")).matchAll(/^#?([A-Z_]+)=/gm);

  assert.deepEqual(
    [...names].map(([, name]) => name),
    Object.values(SETTINGS).map(({ env }) => env),
  );
});

test(".env.example shows the defaults that docs/config.md has", async () => {
  const lines = (await readFile(join(ROOT, ".env.example"), "utf8")).matchAll(/^#([A-Z_]+)=(.*)$/gm);
  const shown = new Map(Array.from(lines, ([, name = "", value = ""]) => [name, value]));

  for (const entry of Object.values(SETTINGS)) {
    const fixed = /^`([^`]+)`$/.exec(entry.default)?.[1];
    if (fixed === undefined || fixed.includes("HOST")) continue;
    assert.equal(shown.get(entry.env), fixed, entry.env);
  }
  assert.equal(shown.get("BASE_URL"), `http://${shown.get("HOST")}:${shown.get("PORT")}`);
});

test("no page installs an unpublished package of ours from the registry", async () => {
  const pages = await Array.fromAsync(glob(["*.md", "docs/**/*.md", "receiver/*.md"], { cwd: ROOT }));
  const byName = /\b(npx|npm (i|install|add|create)|pnpm|yarn)( -\S+)* @?shelfwire(?!\S*\.tgz)\b/;

  for (const page of pages) assert.doesNotMatch(await readFile(join(ROOT, page), "utf8"), byName, page);
});

test("every page begins with one sentence for whom it is, and is in the list of pages", async () => {
  const pages = (await Array.fromAsync(glob("docs/**/*.md", { cwd: ROOT }))).filter(
    (page) => !/adr\/\d/.test(page),
  );
  const index = await readFile(join(ROOT, "docs/README.md"), "utf8");
  const folders = await Promise.all(
    ["sources", "guides"].map((name) => readFile(join(ROOT, "docs", name, "README.md"), "utf8")),
  );

  for (const page of pages) {
    assert.match(await readFile(join(ROOT, page), "utf8"), /^# .+\n\nFor [^\n]/, page);
    const isListed = index.includes(`(${page.slice("docs/".length)})`);
    const isInFolder = folders.some((text) => text.includes(`(${page.split("/").at(-1)})`));
    assert.ok(isListed || isInFolder || page === "docs/README.md", `${page} is in no list`);
  }
});

test("every guide says whom it is for, when its facts were checked, what to do, and where the facts are from", async () => {
  const guides = await Array.fromAsync(glob("docs/guides/*.md", { cwd: ROOT }));
  const index = await readFile(join(ROOT, "docs/guides/README.md"), "utf8");
  for (const guide of guides.filter((name) => !name.endsWith("README.md"))) {
    const text = await readFile(join(ROOT, guide), "utf8");
    assert.match(text, /^# .+\n\nFor merchants /, guide);
    assert.match(text, /Facts checked \d{4}-\d{2}/, guide);
    const sections = [
      "Steps",
      "What Shelfwire shows",
      "Common mistakes",
      "What the file does not have",
      "Sources",
    ];
    for (const section of sections) assert.ok(text.includes(`\n## ${section}\n`), `${guide}: ${section}`);
    const listed = new Set(text.split("\n## Sources\n")[1]?.match(/^\d+(?=\. )/gm));
    const cited = new Set(
      [...text.matchAll(/\[(\d+(?:, \d+)*)\]/g)].flatMap(([, list = ""]) => list.split(", ")),
    );
    assert.deepEqual([...cited].sort(), [...listed].sort(), `${guide}: sources that are cited and listed`);
    assert.ok(index.includes(`(${guide.slice("docs/guides/".length)})`), `${guide} is in the index`);
  }
});

test("decisions are numbered without gaps, and docs/adr/README.md lists each with its title and what supersedes it", async () => {
  const folder = join(ROOT, "docs/adr");
  const files = (await Array.fromAsync(glob("0*.md", { cwd: folder }))).sort();
  const listed = (await readFile(join(folder, "README.md"), "utf8"))
    .matchAll(/^\| \[(\d+)\]\(([^)]+)\) \| (.+) \| (.+) \|$/gm)
    .map(([, number, file, title, text = ""]) => ({
      number,
      file,
      title,
      isChanged: text.includes("Superseded"),
    }))
    .toArray();

  const expected = files.map(async (file, at) => {
    const text = await readFile(join(folder, file), "utf8");
    const number = String(at + 1);
    assert.equal(file.slice(0, 4), number.padStart(4, "0"));
    const title = /^# (\d+)\. (.+)\n\n/.exec(text);
    assert.equal(title?.[1], number, file);
    const isChanged = /^# .+\n\n\*\*Superseded (in part )?by \[\d+\]\(/.test(text);
    return { number, file, title: title?.[2], isChanged };
  });
  assert.deepEqual(listed, await Promise.all(expected));
});

test("every link between our documents has a target", async () => {
  const documents = await Array.fromAsync(glob(["*.md", "docs/**/*.md", "receiver/*.md"], { cwd: ROOT }));
  assert.ok(documents.length > 20);
  for (const document of documents) {
    const text = await readFile(join(ROOT, document), "utf8");
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      await assert.doesNotReject(
        readFile(join(ROOT, document, "..", target)).catch(asFolder),
        `${document} → ${target}`,
      );
    }
  }
});

test("every command in our documents exists, with the options it is given", async () => {
  const documents = await Array.fromAsync(glob(["*.md", "docs/**/*.md"], { cwd: ROOT }));
  const helps = new Map<string, string | null>();
  const unknown: string[] = [];
  for (const document of documents) {
    const text = (await readFile(join(ROOT, document), "utf8")).replaceAll("\\\n", " ");
    for (const [, line = ""] of text.matchAll(/(?:^ *|`|&& |\| )shelfwire ([a-z][^`\n|;#)]*)/gm)) {
      const words = /^(?:[a-z][a-z-]*(?: |$))+/.exec(line)?.[0].trim() ?? "";
      const help = helps.get(words) ?? (await helpOf(words.split(" ")));
      helps.set(words, help);
      const missing = (line.match(/(?<= )--[a-z-]+/g) ?? []).filter(
        (option) => !help?.includes(`${option} `),
      );
      if (help === null || missing.length > 0) unknown.push(`${document}: ${line}`);
    }
  }
  assert.ok(helps.size > 30);
  assert.deepEqual(unknown, []);
});

/** What a command prints for --help; null if there is no such command. */
async function helpOf(words: readonly string[]): Promise<string | null> {
  let help = "--json ";
  const out = (text: string): void => {
    help += text;
  };
  await runCli([...words, "--help"], { env: {}, out, talk: () => undefined, isTerminal: false });
  // Of an unknown subcommand, the help is that of the group.
  const isUnknown = words.length > 1 && help.includes("\nCommands:");
  return help.includes(`Usage: shelfwire ${words[0]}`) && !isUnknown ? help : null;
}

/** A link to a folder is good; a link to nothing is not. */
function asFolder(error: NodeJS.ErrnoException): void {
  if (error.code !== "EISDIR") throw error;
}
