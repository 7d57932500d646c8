/**
 * A set of texts that is mostly small, such as the links of one product. Up to a dozen it is a list whose places are
 * used again and again: comparing a few texts takes a fraction of the time that hashing one does, and nothing is
 * allocated. Beyond that it is a set like any other.
 */
const FEW = 12;

export class FewTexts {
  private readonly list: string[] = Array.from({ length: FEW }, () => "");
  private count = 0;
  private set: Set<string> | undefined;

  has(text: string): boolean {
    if (this.set !== undefined) return this.set.has(text);
    for (let at = 0; at < this.count; at++) if (this.list[at] === text) return true;
    return false;
  }

  add(text: string): void {
    if (this.set !== undefined) this.set.add(text);
    else if (this.count < FEW) this.list[this.count++] = text;
    else this.set = new Set(this.list).add(text);
  }

  clear(): void {
    this.count = 0;
    this.set = undefined;
  }
}
