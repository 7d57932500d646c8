/** `shelfwire verify`: compares the files of a render with what was recorded and, if it can, with a complete render. */
import type { Command } from "commander";
import { AppError, ERRORS } from "../../errors.ts";
import { withSnakeCase } from "../../lib/snake-case.ts";
import { isVerified, type VerifiedRender, verifyRender } from "../../pipeline/publication/verify.ts";
import type { CommandContext } from "../context.ts";
import { requireRender } from "../find.ts";
import { table } from "../table.ts";

export function verifyCommand(program: Command, { withSystem, print, endWith }: CommandContext): void {
  program
    .command("verify")
    .description(
      "check that a render's stored files are unchanged, and make it again if its items still exist",
    )
    .argument("<render>", "the id of the render's run")
    .action(async (id: string) => {
      const verified = await withSystem(async ({ db, jobs }) => {
        const { catalogId, id: runId } = await requireRender(db, id);
        return verifyRender({ db, folders: jobs.folders }, { catalogId, runId });
      });
      print(verifiedBody(verified), () => verifiedLines(verified));
      if (!isVerified(verified)) endWith(ERRORS.ledger_mismatch.exit);
    });
}

function verifiedBody(verified: VerifiedRender) {
  const { runId, files, index, whyNotRebuilt } = verified;
  const isRebuilt = whyNotRebuilt === null;
  return withSnakeCase({ runId, isVerified: isVerified(verified), files, index, isRebuilt, whyNotRebuilt });
}

function verifiedLines(verified: VerifiedRender): readonly string[] {
  const { files, index, whyNotRebuilt } = verified;
  const rows = files.map(({ file, stored, gzip, rebuilt }) => [file, stored, gzip, rebuilt ?? "not made"]);
  return [
    ...table(["file", "stored", "compressed", "made again"], rows),
    `The index is ${index === "same" ? "the one of these files" : index}.`,
    whyNotRebuilt === null
      ? "The render was made again from the items of the catalog, and compared."
      : `Only the stored files were checked. The render cannot be made again: ${whyNotRebuilt}`,
    ...(isVerified(verified) ? [] : [notVerified(verified).message]),
  ];
}

/** A render without an index can be served, but not compared. */
export function notVerified({ runId, files, index }: VerifiedRender): AppError {
  const wrong = files
    .filter(({ stored, gzip, rebuilt }) => stored !== "same" || gzip !== "same" || rebuilt === "different")
    .map(({ file }) => file);
  const names = [...wrong, ...(index === "different" ? ["its index"] : [])].join(", ");
  return new AppError(
    "ledger_mismatch",
    `The render ${runId} is not what it should be: ${names}. Render with --full, and please report this.`,
  );
}
