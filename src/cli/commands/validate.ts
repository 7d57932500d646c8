/** `shelfwire validate`: lists the problems of a feed file. It needs no server, database or settings. */
import { counted } from "../../lib/counted.ts";
import { type Command, InvalidArgumentError, Option } from "commander";
import { AppError, invalidRequest, systemCode } from "../../errors.ts";
import { formatByContent, formatByName, DETECTION_BYTES } from "../../channels/detect.ts";
import type { FeedProblem, RuleCount, FindingSeverity } from "../../channels/kit/validate/findings.ts";
import { type ChannelFile, VALIDATORS } from "../../channels/registry.ts";
import { unpacked } from "../../channels/kit/validate/unpack.ts";
import { type ValidationReport, validateFeed } from "../../channels/validate.ts";
import { fileBytes, peekBytes } from "../../lib/formats/byte-stream.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import type { CommandContext } from "../context.ts";
import { FINDINGS } from "../exit.ts";
import { table } from "../table.ts";

const STANDARD_INPUT = "-";

/** Which severities make the command fail. */
const FAILING = {
  error: ["error"],
  warning: ["error", "warning"],
  never: [],
} as const satisfies Record<string, readonly FindingSeverity[]>;

type ValidateCommandOptions = { format?: ChannelFile; max: number; failOn: keyof typeof FAILING };

export function validateCommand(program: Command, { print, endWith }: CommandContext): void {
  program
    .command("validate")
    .description("check a feed file, written by Shelfwire or by another program")
    .argument("<file>", "the file, plain, gzip or zstd; - for standard input")
    .addOption(
      new Option("--format <format>", "detected from the name and the content by default").choices([
        ...VALIDATORS.keys(),
      ]),
    )
    .option("--max <number>", "how many problems --json lists; all are counted", toCount, 1_000)
    .addOption(
      new Option("--fail-on <severity>", "the lowest severity that fails the command")
        .choices(Object.keys(FAILING))
        .default("error"),
    )
    .action(async (file: string, { format, max, failOn }: ValidateCommandOptions) => {
      const report = await check(file, format, max);
      print(asJson(file, report), () => asLines(file, report));
      if (FAILING[failOn].some((severity) => report.counts[severity] > 0)) endWith(FINDINGS);
    });
}

function toCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

async function check(file: string, given: ChannelFile | undefined, most: number): Promise<ValidationReport> {
  try {
    const source = file === STANDARD_INPUT ? process.stdin : fileBytes(file);
    const { head, bytes } = await peekBytes(await unpacked(source), DETECTION_BYTES);
    const format = given ?? formatByName(file) ?? formatByContent(new TextDecoder().decode(head));
    if (format !== undefined) return await validateFeed(bytes, { format, now: new Date(), most });
    await bytes.return();
    throw invalidRequest(`${file} has an unknown format. Set it with --format.`);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): unknown {
  if (error instanceof FormatError)
    return new AppError("invalid_request", `${file}: ${error.message}`, { cause: error });
  const code = systemCode(error);
  if (code === "ENOENT") return new AppError("not_found", `There is no file ${file}.`);
  if (code === "EISDIR") return invalidRequest(`${file} is a folder.`);
  if (code === "EACCES") return invalidRequest(`${file} cannot be read: permission denied.`);
  return error;
}

function asJson(file: string, { format, rows, bytes, counts, rules, problems }: ValidationReport) {
  return {
    file,
    format,
    rows,
    bytes,
    counts,
    rules: rules.map(({ examples, ...rule }) => ({ ...rule, examples: examples.map(problemJson) })),
    problems: problems.map(problemJson),
  };
}

function problemJson({ line, itemId, ...problem }: FeedProblem) {
  return { line, item_id: itemId, ...problem };
}

function asLines(file: string, report: ValidationReport): readonly string[] {
  const [head = "", ...rows] = table(
    ["severity", "count", "rule", "meaning"],
    report.rules.map(({ severity, count, rule, sentence }) => [severity, String(count), rule, sentence]),
  );
  const found = report.rules.flatMap((rule, place) => [rows[place] ?? "", ...exampleLines(rule)]);
  return [...(found.length === 0 ? [] : [head, ...found, ""]), verdict(file, report)];
}

function exampleLines({ examples, sentence }: RuleCount): readonly string[] {
  return examples.map(({ line, itemId, field, message, value }) => {
    const place = [line === null ? "the file" : `line ${line}`];
    if (itemId !== null) place.push(`item ${itemId}`);
    if (field !== null) place.push(field);
    const found = value === null ? "" : ` ${JSON.stringify(value)}`;
    const text = `    ${place.join(", ")}:${found}${message === sentence ? "" : ` ${message}`}`;
    // Values of the file must not send control characters to the terminal.
    return text.replace(/:$/, "").replace(/\p{Cc}/gu, "\uFFFD");
  });
}

function verdict(file: string, { format, rows, counts }: ValidationReport): string {
  const name = VALIDATORS.get(format)?.rowName ?? "row";
  const { error, warning, info } = counts;
  return `${file} (${format}): ${counted(rows, name)}, ${counted(error, "error")}, ${counted(warning, "warning")}, ${counted(info, "hint")}.`;
}
