/** All channels, by the names of their files; the only list of them. */
import type { Channel } from "./channel.ts";
import { googleTsv, googleXml } from "./google/channel.ts";
import { namesOf } from "./kit/field-table.ts";
import type { Validator } from "./kit/validate/validator.ts";
import { openaiCsv, openaiJson, openaiJsonLines } from "./openai/channel.ts";
import { schemaOrgJson } from "./schema-org/channel.ts";

/**
 * Goes up whenever the same catalog may give other bytes or refusals, so that files made by older code are not reused.
 */
export const RENDERER_VERSION = "3";

export const CHANNELS = {
  "acp.csv": openaiCsv,
  "acp.json": openaiJson,
  "gmc.tsv": googleTsv,
  "jsonld.json": schemaOrgJson,
  "gmc.xml": googleXml,
  "acp.jsonl": openaiJsonLines,
} as const satisfies Readonly<Record<string, Channel>>;

export type ChannelFile = keyof typeof CHANNELS;
export const CHANNEL_FILES: readonly ChannelFile[] = namesOf(CHANNELS);

type HostedFile<File extends ChannelFile> = (typeof CHANNELS)[File]["isHosted"] extends true ? File : never;

/** The files that are hosted: the four of the API, in its order. */
export type FeedFile = { readonly [File in ChannelFile]: HostedFile<File> }[ChannelFile];
export const FEED_FILES: readonly FeedFile[] = CHANNEL_FILES.filter(isFeedFile);

export function isFeedFile(file: string): file is FeedFile {
  return isChannelFile(file) && CHANNELS[file].isHosted;
}

function isChannelFile(file: string): file is ChannelFile {
  return Object.hasOwn(CHANNELS, file);
}

/** The validators, by the names of the files. */
export const VALIDATORS: ReadonlyMap<ChannelFile, Validator> = new Map(
  CHANNEL_FILES.flatMap((file) => {
    const { validator }: Channel = CHANNELS[file];
    return validator === undefined ? [] : [[file, validator] as const];
  }),
);

/** The file of the channel with this name. */
export function fileOfChannel(name: string): ChannelFile | undefined {
  return CHANNEL_FILES.find((file) => CHANNELS[file].name === name);
}
