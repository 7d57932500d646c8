/**
 * SQL as a tagged template. Values are always parameters, never part of the text, so there is no SQL injection;
 * fragments of the same tag can be nested. Only `store/` and files named `*.sql.ts` import it.
 */
export type Sql = {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The name of a prepared statement, planned once per connection. A name always has the same text. */
  readonly name?: string;
};

/** For the few statements that run often and are slow to plan. */
export function prepared({ text, values }: Sql, name: string): Sql {
  return { name, text, values };
}

class Fragment implements Sql {
  readonly strings: readonly string[];
  readonly parts: readonly unknown[];

  constructor(strings: readonly string[], parts: readonly unknown[]) {
    this.strings = strings;
    this.parts = parts;
  }

  get text(): string {
    return render(this).text;
  }

  get values(): readonly unknown[] {
    return render(this).values;
  }
}

export function sql(strings: TemplateStringsArray, ...parts: readonly unknown[]): Sql {
  return new Fragment(strings, parts);
}

function render(root: Fragment): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const write = (fragment: Fragment): string =>
    fragment.strings.reduce((text, string, i) => {
      const part = fragment.parts[i - 1];
      if (part instanceof Fragment) return text + write(part) + string;
      values.push(part);
      return `${text}$${values.length}${string}`;
    });
  return { text: write(root), values };
}
