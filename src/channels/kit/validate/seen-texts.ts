/** The line on which each text was seen first. Once it is full, new texts are not added and `isFull` is set. */
import { TextTable } from "../../../lib/text-table.ts";

export class SeenTexts {
  isFull = false;
  private readonly lines = new TextTable();
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  /** The line on which the text was seen first, or undefined for a new one, which is then added. */
  add(text: string, line: number): number | undefined {
    const first = this.lines.get(text);
    if (first === undefined && this.lines.size < this.most) this.lines.set(text, line);
    else if (first === undefined) this.isFull = true;
    return first;
  }

  lineOf(text: string): number | undefined {
    return this.lines.get(text);
  }
}
