/** What an answer of the API has under its one key. */
import type { Answer } from "./running-api.ts";

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the type of what a test asked for
export const dataOf = <T>(answer: Answer): T => (answer.json as { data: T }).data;
