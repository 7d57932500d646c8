/** For tests of validators: validates text or bytes and returns the findings. */
import assert from "node:assert/strict";
import type { ChannelFile } from "./registry.ts";
import type { FindingSeverity } from "./kit/validate/findings.ts";
import { type ValidationReport, validateFeed } from "./validate.ts";

/** The moment at which all tests happen. */
export const NOW = new Date("2026-11-14T10:00:00.000Z");

export type FileContent = string | Uint8Array;

/** Bytes in pieces of a given size, so that nothing depends on where a file happens to be cut. */
export async function* inPieces(
  content: FileContent,
  size = 64 * 1024,
): AsyncGenerator<Uint8Array, void, void> {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export function reportOn(
  format: ChannelFile,
  content: FileContent,
  pieceBytes?: number,
): Promise<ValidationReport> {
  return validateFeed(inPieces(content, pieceBytes), { format, now: NOW, most: 10_000 });
}

/** `error REQ brand`: what was found, without where. */
export function foundIn({ problems }: ValidationReport, least: FindingSeverity = "info"): string[] {
  const severities: readonly FindingSeverity[] =
    least === "error" ? ["error"] : least === "warning" ? ["error", "warning"] : ["error", "warning", "info"];
  return problems
    .filter(({ severity }) => severities.includes(severity))
    .map(({ severity, rule, field }) => `${severity} ${rule}${field === null ? "" : ` ${field}`}`);
}

export function assertFound(report: ValidationReport, severity: FindingSeverity, rule: string): void {
  const found = report.rules.some((one) => one.rule === rule && one.severity === severity);
  assert.ok(found, `${severity} ${rule} is missing among: ${foundIn(report).join("; ")}`);
}

export function assertNotFound(report: ValidationReport, severity: FindingSeverity, rule: string): void {
  const found = report.problems.find((one) => one.rule === rule && one.severity === severity);
  assert.equal(found, undefined, `${severity} ${rule} should not be said`);
}
