/** Reads the stages and steps of the Dockerfile, for tests that repeat them and for the list of the image's files. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Copy, DockerfileParser, type Instruction, type JSONInstruction } from "dockerfile-ast";

const ROOT = join(import.meta.dirname, "..");

export type Step = { readonly keyword: string; readonly text: string; readonly list: readonly string[] };
export type Stage = { readonly name: string; readonly base: string; readonly steps: readonly Step[] };

/** The stages of the Dockerfile in a folder. */
export async function readStages(folder = ROOT): Promise<readonly Stage[]> {
  const file = DockerfileParser.parse(await readFile(join(folder, "Dockerfile"), "utf8"));
  const stages: (Stage & { steps: Step[] })[] = [];
  for (const instruction of file.getInstructions()) {
    const words = instruction.getArguments().map((word) => word.getValue());
    const keyword = instruction.getKeyword();
    if (keyword === "FROM") {
      const [base = "", , name = "final"] = words;
      stages.push({ name, base, steps: [] });
    } else
      stages.at(-1)?.steps.push({ keyword, text: textOf(instruction), list: listOf(instruction, words) });
  }
  return stages;
}

/** The instruction with continued lines joined. */
const textOf = (instruction: Instruction): string =>
  (instruction.getRawArgumentsContent() ?? "").replaceAll(/\\\n\s*/g, "");

/** The words of an instruction in exec form, or its arguments. A COPY has its `--from` first, if it has one. */
function listOf(instruction: Instruction, words: readonly string[]): readonly string[] {
  const from =
    instruction.getKeyword() === "COPY" ? (instruction as Copy).getFromFlag()?.getValue() : undefined;
  if (from) return [`--from=${from}`, ...words.filter((word) => !word.startsWith("--"))];
  const list = "getJSONStrings" in instruction ? (instruction as JSONInstruction).getJSONStrings() : [];
  return list.length > 0 ? list.map((text) => JSON.parse(text.getValue()) as string) : words;
}
