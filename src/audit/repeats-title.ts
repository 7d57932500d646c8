/** Whether a description says nothing that the title does not say: a copy of it, a part of it, or it and a few words. */

/** What may follow the title: "… - buy now at our shop" is no description. */
const FEW_WORDS = 20;
const NOT_WORDS = /[^\p{L}\p{N}]+/gu;

const plain = (text: string): string => text.toLowerCase().replace(NOT_WORDS, " ").trim();

export function repeatsTitle(title: string, description: string): boolean {
  if (description === title) return true;
  // Marks and spaces take some length too; nearly all descriptions are settled here.
  if (description.length > 2 * title.length + 2 * FEW_WORDS) return false;
  const [short, long] = [plain(title), plain(description)];
  if (long === "" || short === "") return true;
  return short.includes(long) || (long.includes(short) && long.length - short.length <= FEW_WORDS);
}
