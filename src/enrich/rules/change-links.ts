/** The action add_parameters: query parameters of links, such as those by which analytics tell feeds apart. */
import type { CatalogSettings } from "../../catalog/settings.ts";
import { type Change, pointerPart } from "./change.ts";
import { requiredField } from "./field-names.ts";
import { withParameters } from "./links.ts";
import { RuleError } from "./problem.ts";
import { compileTemplate, type Template } from "./template.ts";
import { isRefusal, setValue } from "./write.ts";

/** As shops write them; anything else is likely a mistake. */
const NAME = /^[\w.~-]{1,100}$/;

export function parametersChange(
  parameters: Readonly<Record<string, string>>,
  settings: CatalogSettings,
): Change {
  const templates = Object.entries(parameters).map(([name, text]) => parameter(name, text));
  const links = ["link", "mobile_link"].map((name) => requiredField(name, ""));
  return (item, source) => {
    const rendered = templates.map(([name, { render }]) => [name, render(item, source)] as const);
    const values = new Map(rendered.filter(([, value]) => value !== ""));
    let changed = item;
    for (const field of links) {
      const url = field.read(changed, source);
      if (typeof url !== "string") continue;
      const written = setValue(field, withParameters(url, values), settings)(changed);
      if (isRefusal(written)) return written;
      changed = written;
    }
    return changed;
  };
}

function parameter(name: string, text: string): readonly [string, Template] {
  const pointer = `/action/parameters/${pointerPart(name)}`;
  if (!NAME.test(name)) {
    const message = "A parameter's name has only letters, digits and _ . ~ -, such as utm_source.";
    throw new RuleError("invalid_value", pointer, message);
  }
  if (text.trim() === "")
    throw new RuleError("invalid_value", pointer, `The parameter ${name} has no value.`);
  return [name, compileTemplate(text, pointer)];
}
