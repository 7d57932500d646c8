/**
 * SQL as a tagged template. Values never enter the text, so injection has no door; fragments made by the same tag
 * may be nested. Importable only inside `store/`.
 */
export type Sql = {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Planned once for each connection under this name. The text behind a name never varies. */
  readonly name?: string;
};

/** For the few statements that run all day and are slow to plan. */
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
